import { findExact } from '../redact/find-exact.ts';
import { findSecretShapes } from '../redact/find-secret-shapes.ts';
import { toSecretVariants } from '../redact/secret-variants.ts';
import { parsePatch } from './parse-patch.ts';

/** The lines that a unified diff adds, of all files, joined: input of `findSecrets`. */
export function addedLines(patch: string): string {
  return parsePatch(patch)
    .flatMap(({ added }) => added)
    .join('\n');
}

/**
 * Kinds of secrets in `text` (T54): `live secret` for a value of this process in any known encoding, else the name of the
 * pattern. Each once; never the value itself. Empty when none was found.
 */
export function findSecrets(text: string, liveSecrets: readonly string[]): readonly string[] {
  const isLive = findExact(text, liveSecrets.flatMap(toSecretVariants)).length > 0;
  const known = findSecretShapes(text)
    .filter(({ isToken }) => isToken)
    .map(({ name }) => name);
  return [...new Set([...(isLive ? ['live secret'] : []), ...known])];
}
