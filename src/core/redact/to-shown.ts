/** What Markdown does not show: the backslash of an escape, and the word joiner that keeps GitHub from linking (`escape.ts`). */
const UNSHOWN = /\\(?=[\\`*_[\]<>#~&$+=.)-])|\u2060/gu;

/** A text as people see it. */
export interface Shown {
  readonly shown: string;
  /** Index in the text of the character at an index of `shown`. */
  readonly toOffset: (index: number) => number;
}

/** Removes what Markdown does not show. */
export function toShown(text: string): Shown {
  const offsets: number[] = [];
  const parts: string[] = [];
  let from = 0;
  const keep = (end: number): void => {
    parts.push(text.slice(from, end));
    for (let at = from; at < end; at += 1) offsets.push(at);
  };
  for (const { index, 0: mark } of text.matchAll(UNSHOWN)) {
    // The first of two backslashes escapes the second, which then escapes nothing.
    if (index < from) continue;
    keep(index);
    from = index + mark.length;
    if (mark === '\\') {
      parts.push(text.charAt(from));
      offsets.push(from);
      from += 1;
    }
  }
  if (from === 0) return { shown: text, toOffset: (index) => index };
  keep(text.length);
  return { shown: parts.join(''), toOffset: (index) => offsets[index] ?? text.length };
}
