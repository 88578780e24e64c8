import { findExact, mergeRanges, type Range } from './find-exact.ts';
import { findSecretShapes } from './find-secret-shapes.ts';
import { toSecretVariants } from './secret-variants.ts';
import { toShown } from './to-shown.ts';

/** Replaces each secret. */
export const REDACTED = '[redacted]';

/** A text is searched window by window, so that each step is short whatever the text holds. */
const WINDOW_LENGTH = 64 * 1024;
/** A secret that is no longer than this stands in one window as a whole. */
const OVERLAP = 16 * 1024;

/**
 * Creates a function that removes secrets from a whole text (threat T54): live ones in every known encoding, even if line breaks
 * split them, and everything that has the shape of a secret. It searches the text as it is, and as Markdown shows it, because
 * escaping hides a secret from a search but not from a reader. Redact before cutting: half a secret is not recognised. The
 * redactor is the last line of defence: secrets should not get into a text in the first place.
 */
export function createRedactor(liveSecrets: readonly string[]): (text: string) => string {
  const redactInSteps = createSteppedRedactor(liveSecrets);
  return (text) => {
    const steps = redactInSteps(text);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
    }
  };
}

/** The same, one window a step: for texts so long that others must have their turn in between. The last step gives the text. */
export function createSteppedRedactor(liveSecrets: readonly string[]): (text: string) => Generator<undefined, string> {
  const variants = [...new Set(liveSecrets.flatMap(toSecretVariants))];
  const find = (text: string): readonly Range[] =>
    mergeRanges([...findExact(text, variants), ...findSecretShapes(text)]);
  return function* redact(text) {
    const found: Range[] = [];
    for (let from = 0; ; from += WINDOW_LENGTH - OVERLAP) {
      const window = text.slice(from, from + WINDOW_LENGTH);
      for (const { start, end } of findAsRead(window, find)) {
        const isCut = end === window.length && start < WINDOW_LENGTH - OVERLAP;
        found.push({ start: from + start, end: isCut ? findEnd(text, from + start, from + end) : from + end });
      }
      if (from + WINDOW_LENGTH >= text.length) break;
      yield undefined;
    }
    return replaceRanges(text, mergeRanges(found));
  };
}

/** Finds secrets in `text` as it is, and in what Markdown shows of the rest of it. */
function findAsRead(text: string, find: (text: string) => readonly Range[]): readonly Range[] {
  const plain = find(text);
  const { shown, toOffset } = toShown(text);
  if (shown === text) return plain;
  return [...plain, ...find(shown).map(({ start, end }) => ({ start: toOffset(start), end: toOffset(end - 1) + 1 }))];
}

/** The end of a secret that is longer than a window shows: of a key, the line that ends it; of anything else, its last character. */
function findEnd(text: string, start: number, seen: number): number {
  const isKey = text.startsWith('-----BEGIN', start);
  const ending = isKey ? /-----END [^\n]*/gu : /(?=\s)/gu;
  ending.lastIndex = seen;
  const match = ending.exec(text);
  return match === null ? text.length : match.index + match[0].length;
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
