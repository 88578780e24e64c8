/** What a pattern finds, and the line where it begins. */
export interface Hit {
  readonly text: string;
  readonly line: number;
}

/** In the order of the text, which is read once. */
export function findHits(text: string, pattern: RegExp): readonly (Hit & { readonly match: RegExpExecArray })[] {
  let line = 1;
  let at = 0;
  return [...text.matchAll(pattern)].map((match) => {
    for (; at < match.index; at += 1) if (text.charCodeAt(at) === NEW_LINE) line += 1;
    return { text: match[0], line, match };
  });
}

const NEW_LINE = 10;
