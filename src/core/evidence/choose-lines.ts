import { toByteLength } from '../text/cut-bytes.ts';

/** A line of the cleaned log with its index. */
export interface KeptLine {
  readonly index: number;
  readonly text: string;
}

/** More than the longest note of a gap. */
const GAP_BYTES = 40;
/** So many lines in a row that do not fit show that the room is used. */
const MAX_MISSES = 300;

/** What an excerpt may take. */
export interface Room {
  readonly maxBytes: number;
  /** What each line takes besides its text and its line feed. */
  readonly bytesPerLine: number;
}

/** Lines that are wanted, the most important first, as far as they fit with the notes of the gaps. By index. */
export function chooseLines(wanted: Iterable<KeptLine>, { maxBytes, bytesPerLine }: Room): readonly KeptLine[] {
  const gapBytes = GAP_BYTES + bytesPerLine;
  const chosen = new Map<number, string>();
  let used = 0;
  let misses = 0;
  for (const { index, text } of wanted) {
    if (chosen.has(index)) continue;
    const gaps = 1 - (chosen.has(index - 1) ? 1 : 0) - (chosen.has(index + 1) ? 1 : 0);
    const cost = toByteLength(text) + 1 + bytesPerLine + gaps * gapBytes;
    if (used + cost + gapBytes > maxBytes) {
      misses += 1;
      if (misses > MAX_MISSES) break;
      continue;
    }
    misses = 0;
    used += cost;
    chosen.set(index, text);
  }
  return [...chosen].map(([index, text]) => ({ index, text })).sort((a, b) => a.index - b.index);
}

/** The lines with a note for each gap. */
export function joinLines(lines: readonly KeptLine[]): string {
  const parts: string[] = [];
  let next = 0;
  for (const { index, text } of lines) {
    if (index > next) parts.push(toGapNote(index - next));
    parts.push(text);
    next = index + 1;
  }
  return parts.join('\n');
}

function toGapNote(count: number): string {
  return `… ${count} ${count === 1 ? 'line' : 'lines'} left out …`;
}
