import { toByteLength } from '../text/cut-bytes.ts';
import type { KeptLine } from './choose-lines.ts';
import type { FailureGroup } from './log-failure.ts';
import type { ResolvePath } from './resolve-path.ts';

/** Places in many files with the same kind of message, such as a missing import everywhere. */
export interface RepeatedPlaces {
  /** What is wrong in the first of them. */
  readonly message: string;
  readonly places: readonly Place[];
}

interface Place {
  readonly group: FailureGroup;
  readonly path: string;
}

/** So many of them are shown by their lines, and the others by their names. */
const SHOWN_PLACES = 8;
const MAX_MESSAGE_LENGTH = 100;
/** So many words tell one message from another. */
const MAX_WORDS = 12;
/** More than the text around message and places. In bytes. */
const LABEL_BYTES = 40;

/**
 * Groups that have more places than are shown, the one with the most places first; none if the lines of all places take at most
 * `maxBytes`.
 */
export function findRepeatedPlaces(failures: readonly FailureGroup[], maxBytes: number): readonly RepeatedPlaces[] {
  const places = failures.flatMap((group): readonly Place[] => {
    const { kind, path } = group.failure;
    return kind === 'place' && path !== null ? [{ group, path }] : [];
  });
  const bytes = places.reduce((sum, { path, group }) => sum + toByteLength(`${path}${group.failure.message}`), 0);
  if (bytes <= maxBytes) return [];
  return [...Map.groupBy(places, toMessageKey)]
    .filter(([, same]) => same.length > SHOWN_PLACES)
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([, same]) => ({ message: toMessages(same).join(''), places: same }));
}

/** The message of the first one. */
function toMessages(places: readonly Place[]): readonly string[] {
  return places
    .slice(0, 1)
    .map(({ group: { failure } }) => failure.message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed());
}

/** Those whose lines are worth less, because their names are shown. */
export function toLater(repeated: readonly RepeatedPlaces[]): ReadonlySet<FailureGroup> {
  return new Set(repeated.flatMap(({ places }) => places.slice(SHOWN_PLACES).map(({ group }) => group)));
}

/** The words of a message without what differs by file: names in the spelling of code, quoted texts and numbers. */
function toMessageKey({ group: { failure } }: Place): string {
  const words = failure.message.split(/\s+/u).filter((word) => /^[a-z]+[,:;.]?$/u.test(word));
  return JSON.stringify([failure.tool, failure.rule, words.slice(0, MAX_WORDS)]);
}

/** The bytes that the lines of these places may take. */
export function toRepeatedBytes(repeated: readonly RepeatedPlaces[], resolve: ResolvePath | null): number {
  return repeated
    .map(({ message, places }) => places.reduce((sum, place) => sum + toCost(toName(place, resolve)), toCost(message)))
    .reduce((sum, bytes) => sum + LABEL_BYTES + bytes, 0);
}

/** A text and the separator behind it. */
function toCost(text: string): number {
  return toByteLength(text) + ', '.length;
}

/** What the names may be, and the bytes for them. */
export interface PlacesLimit {
  readonly maxBytes: number;
  readonly bytesPerLine: number;
  readonly resolve: ResolvePath | null;
}

/** A line for each group, with the places that none of the lines names. */
export function toRepeatedLines(
  repeated: readonly RepeatedPlaces[],
  lines: readonly KeptLine[],
  { maxBytes, bytesPerLine, resolve }: PlacesLimit,
): readonly string[] {
  const shown = new Map(lines.map(({ index, text }) => [index, text]));
  let left = maxBytes;
  return repeated.flatMap(({ message, places }) => {
    left -= LABEL_BYTES + bytesPerLine + toCost(message);
    const names = new Set<string>();
    for (const place of places) {
      const name = toName(place, resolve);
      const isShown = shown.get(place.group.failure.from)?.includes(toBase(place.path)) === true;
      if (isShown || names.has(name)) continue;
      left -= toCost(name);
      if (left < 0) break;
      names.add(name);
    }
    return names.size === 0 ? [] : [`Also in other files, "${message}": ${[...names].join(', ')}`];
  });
}

function toName({ path, group: { failure } }: Place, resolve: ResolvePath | null): string {
  const name = resolve?.(path) ?? toBase(path);
  return failure.line === null ? name : `${name}:${failure.line}`;
}

function toBase(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
