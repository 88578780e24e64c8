/** A text without some of its characters. */
export interface Remainder {
  readonly text: string;
  /** Index in the whole text of the character at an index of `text`. */
  readonly toOffset: (index: number) => number;
}

/** Removes the first character of each match of `pattern`, which is global. */
export function removeCharacters(text: string, pattern: RegExp): Remainder {
  const parts: string[] = [];
  // Entry n is the first index in the remainder that lies after the n-th removed character.
  const after: number[] = [];
  let from = 0;
  for (const { index } of text.matchAll(pattern)) {
    parts.push(text.slice(from, index));
    after.push(index - after.length);
    from = index + 1;
  }
  return { text: parts.join('') + text.slice(from), toOffset: (index) => index + countAtMost(after, index) };
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
