import { findExact, type Range } from './find-exact.ts';
import { SECRET_PATTERNS } from './secret-patterns.ts';
import { toSecretVariants } from './secret-variants.ts';
import { toShown } from './to-shown.ts';

/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';

/**
 * A function that takes secrets out of a whole text (T54): the live ones first, in every known encoding and also split by
 * line breaks, then everything that looks like a secret; the same once more as people see the text, for what was escaped for
 * Markdown is no secret's text any more and shows it all the same. Redact before cutting: a half secret is not found. It is the last
 * net and not the wall: nothing secret should get into a text in the first place.
 */
export function createRedactor(liveSecrets: readonly string[]): (text: string) => string {
  const variants = [...new Set(liveSecrets.flatMap(toSecretVariants))];
  return (text) => {
    const withoutLive = replaceRanges(text, findExact(text, variants));
    const clean = SECRET_PATTERNS.reduce((known, { pattern }) => known.replaceAll(pattern, REDACTED), withoutLive);
    return redactShown(clean, variants);
  };
}

/** Each kind of secret once, so that what stands in a secret's place is never looked through for another of its kind. */
function redactShown(text: string, variants: readonly string[]): string {
  if (toShown(text).shown === text) return text;
  const finders: readonly ((shown: string) => readonly Range[])[] = [
    (shown) => findExact(shown, variants),
    ...SECRET_PATTERNS.map(
      ({ pattern }) =>
        (shown: string) =>
          findAll(shown, pattern),
    ),
  ];
  return finders.reduce((known, find) => {
    const { shown, toOffset } = toShown(known);
    const ranges = find(shown);
    return replaceRanges(
      known,
      ranges.map(({ start, end }) => ({ start: toOffset(start), end: toOffset(end - 1) + 1 })),
    );
  }, text);
}

function findAll(text: string, pattern: RegExp): readonly Range[] {
  return [...text.matchAll(pattern)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
}

/** The ranges are sorted and do not meet. */
function replaceRanges(text: string, ranges: readonly Range[]): string {
  let from = 0;
  const parts: string[] = [];
  for (const { start, end } of ranges) {
    parts.push(text.slice(from, start), REDACTED);
    from = end;
  }
  return parts.join('') + text.slice(from);
}
