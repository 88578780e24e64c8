import { findExact, mergeRanges, type Range } from './find-exact.ts';
import { findSecretShapes } from './find-secret-shapes.ts';
import { toSecretVariants } from './secret-variants.ts';
import { toShown } from './to-shown.ts';

/** Replaces each secret. */
export const REDACTED = '[redacted]';

/**
 * Creates a function that removes secrets from a whole text (threat T54): live ones in every known encoding, even if line breaks
 * split them, and everything that has the shape of a secret. It searches the text as it is, then as Markdown shows it, because
 * escaping hides a secret from a search but not from a reader. Redact before cutting: half a secret is not recognised. The
 * redactor is the last line of defence: secrets should not get into a text in the first place.
 */
export function createRedactor(liveSecrets: readonly string[]): (text: string) => string {
  const variants = [...new Set(liveSecrets.flatMap(toSecretVariants))];
  const find = (text: string): readonly Range[] =>
    mergeRanges([...findExact(text, variants), ...findSecretShapes(text)]);
  return (text) => {
    const clean = replaceRanges(text, find(text));
    const { shown, toOffset } = toShown(clean);
    if (shown === clean) return clean;
    return replaceRanges(
      clean,
      find(shown).map(({ start, end }) => ({ start: toOffset(start), end: toOffset(end - 1) + 1 })),
    );
  };
}

/** Expects ranges that are sorted and do not overlap. */
function replaceRanges(text: string, ranges: readonly Range[]): string {
  let from = 0;
  const parts: string[] = [];
  for (const { start, end } of ranges) {
    parts.push(text.slice(from, start), REDACTED);
    from = end;
  }
  return parts.join('') + text.slice(from);
}
