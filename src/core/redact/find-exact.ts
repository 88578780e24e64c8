import { removeCharacters } from './remove-characters.ts';

/** A part of a text from `start` up to, but not including, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Where any of `needles` (without line breaks) occurs in `text`, even if line breaks split it. Sorted, overlaps merged. Linear in
 * the text for each needle.
 */
export function findExact(text: string, needles: readonly string[]): readonly Range[] {
  if (needles.length === 0) return [];
  const { text: flat, toOffset } = removeCharacters(text, /[\r\n]/gu);
  const ranges = needles.flatMap((needle) => {
    const found: Range[] = [];
    for (let at = flat.indexOf(needle); at !== -1; at = flat.indexOf(needle, at + needle.length)) {
      found.push({ start: toOffset(at), end: toOffset(at + needle.length - 1) + 1 });
    }
    return found;
  });
  return mergeRanges(ranges);
}

/** Sorts the ranges and merges overlapping ones. */
export function mergeRanges(ranges: readonly Range[]): readonly Range[] {
  const merged: Range[] = [];
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && range.start <= last.end)
      merged[merged.length - 1] = { ...last, end: Math.max(last.end, range.end) };
    else merged.push(range);
  }
  return merged;
}
