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
  const { flat, toOffset } = flatten(text);
  const ranges = needles.flatMap((needle) => {
    const found: Range[] = [];
    for (let at = flat.indexOf(needle); at !== -1; at = flat.indexOf(needle, at + needle.length)) {
      found.push({ start: toOffset(at), end: toOffset(at + needle.length - 1) + 1 });
    }
    return found;
  });
  return mergeRanges(ranges);
}

/** The text without line breaks, and a function from an index in it to an index in `text`. */
function flatten(text: string): { readonly flat: string; readonly toOffset: (index: number) => number } {
  const breaks = [...text.matchAll(/[\r\n]/gu)].map(({ index }) => index);
  if (breaks.length === 0) return { flat: text, toOffset: (index) => index };
  const flat = text.replaceAll(/[\r\n]/gu, '');
  // Entry n is the first index in `flat` that lies after the n-th line break.
  const before = breaks.map((offset, count) => offset - count);
  return { flat, toOffset: (index) => index + countAtMost(before, index) };
}

/** How many of the sorted `values` are at most `limit`, by binary search. */
function countAtMost(values: readonly number[], limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = values[middle];
    if (value !== undefined && value <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
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
