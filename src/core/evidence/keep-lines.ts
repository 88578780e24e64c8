import type { KeptLine } from './choose-lines.ts';
import { toOwnText } from './own-text.ts';

/** Keeps the last lines of a log, and those around places that matter, in bounded memory. */
export interface LineKeeper {
  readonly add: (text: string) => void;
  /** Leaves the next lines out. */
  readonly skip: (lines: number) => void;
  /** Keeps the newest `count` lines, and calls `use` with each. */
  readonly keepNewest: (count: number, use: (text: string) => void) => void;
  /** Keeps what comes, up to before the line `to`. */
  readonly keepUntil: (to: number) => void;
  /** Whether the line is inside of what `keepUntil` asked for. */
  readonly isKept: (index: number) => boolean;
  /** The lines so far, which is the index of the next one. */
  readonly count: () => number;
  /** The last lines, without empty ones at the end, and those that were kept. */
  readonly end: () => { readonly tail: readonly KeptLine[]; readonly kept: ReadonlyMap<number, string> };
}

/** What to keep when there is too much: indexes of lines, the most important first. */
export type Importance = () => Iterable<number>;

/** At least so many lines leave the tail at once, and half of it, because moving it costs its length. */
const MOVE = 64;

/** `tailLength` and `keptLength` are in UTF-16 code units. */
export function createLineKeeper(
  limits: { readonly tailLength: number; readonly keptLength: number },
  toImportant: Importance,
): LineKeeper {
  const tail = createTail(limits.tailLength);
  let kept = new Map<number, string>();
  let keptLength = 0;
  let until = 0;
  let count = 0;
  const prune = (): void => {
    const best = new Map<number, string>();
    keptLength = 0;
    for (const index of toImportant()) {
      const text = kept.get(index);
      if (text === undefined || best.has(index)) continue;
      if (keptLength + text.length >= limits.keptLength / 2) break;
      best.set(index, text);
      keptLength += text.length + 1;
    }
    kept = best;
  };
  const keep = ({ index, text }: KeptLine): void => {
    if (kept.has(index)) return;
    kept.set(index, toOwnText(text));
    keptLength += text.length + 1;
    if (keptLength > limits.keptLength) prune();
  };
  return {
    add: (text) => {
      const line = { index: count, text };
      count += 1;
      tail.add(line);
      if (line.index < until) keep(line);
    },
    skip: (lines) => {
      count += lines;
    },
    keepNewest: (newest, use) => {
      for (const line of tail.newest(newest)) {
        if (!kept.has(line.index)) use(line.text);
        keep(line);
      }
    },
    keepUntil: (to) => {
      until = Math.max(until, to);
    },
    isKept: (index) => index < until,
    count: () => count,
    end: () => ({ tail: toTail(tail.newest(count)), kept }),
  };
}

interface Tail {
  readonly add: (line: KeptLine) => void;
  readonly newest: (count: number) => readonly KeptLine[];
}

/** The last lines of together at most `maxLength`, but at least one. */
function createTail(maxLength: number): Tail {
  let lines: KeptLine[] = [];
  let start = 0;
  let length = 0;
  return {
    add: (line) => {
      length += line.text.length + 1;
      for (let oldest = lines[start]; oldest !== undefined && length > maxLength; oldest = lines[start]) {
        length -= oldest.text.length + 1;
        start += 1;
      }
      lines.push(line);
      if (start < Math.max(MOVE, lines.length / 2)) return;
      lines = lines.slice(start);
      start = 0;
    },
    newest: (count) => lines.slice(Math.max(start, lines.length - count)),
  };
}

function toTail(lines: readonly KeptLine[]): readonly KeptLine[] {
  return lines.slice(0, lines.findLastIndex(({ text }) => text !== '') + 1);
}
