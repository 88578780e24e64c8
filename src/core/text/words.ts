import type { EpochMs } from '../model/ids.ts';
import type { MicroUsd } from '../model/model-use.ts';

/** A number of seconds as people write it: `45 s`, `5 min`, `6 h`, `1 h 30 min`. */
export function toDurationText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

/** A time in milliseconds as people write it. */
export function toTimeText(timeMs: number): string {
  return toDurationText(Math.round(timeMs / 1000));
}

/** A short time with tenths of a second: `1.5 s`. */
export function toSecondsText(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}

/** `1 review comment`, `3 review comments`. */
export function toCountText(count: number, singular: string, plural: string = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

const MAX_NAMES = 3;
const MAX_NAME_LENGTH = 120;

/** The first `most` items as lines, and a last line that counts the rest. */
export function toLines<Item>(
  items: readonly Item[],
  most: number,
  toLine: (item: Item) => string,
  toRest: (rest: number) => string = (rest) => `- and ${rest} more`,
): readonly string[] {
  const lines = items.slice(0, most).map(toLine);
  const rest = items.length - lines.length;
  return rest > 0 ? [...lines, toRest(rest)] : lines;
}

/** At most three names, each cut, because a reason is one sentence. */
export function toNamesText(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => JSON.stringify(name.slice(0, MAX_NAME_LENGTH)));
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/** Numbers of pull requests in a sentence: `#8`, `#8 and #9`. */
export function toNumbersText(numbers: readonly number[]): string {
  return numbers.map((number) => `#${number}`).join(' and ');
}

/** A time for people, in UTC, to the minute. With seconds the text would change, and be sent again, at every look. */
export function toUtcMinute(at: EpochMs): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Money for people: two digits after the point, four below one cent. Never rounded down to nothing. */
export function toMoneyText(microUsd: MicroUsd): string {
  const usd = microUsd / 1_000_000;
  return `${usd > 0 && usd < 0.01 ? Math.max(usd, 0.0001).toFixed(4) : usd.toFixed(2)} USD`;
}
