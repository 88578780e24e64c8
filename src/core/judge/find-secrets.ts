import { parsePatch } from '../patch/parse-patch.ts';
import { findExact } from '../redact/find-exact.ts';
import { findSecretShapes } from '../redact/find-secret-shapes.ts';
import { toSecretVariants } from '../redact/secret-variants.ts';

/** All lines that a unified diff adds, joined by newlines: the input of `findSecrets`. */
export function addedLines(patch: string): string {
  return parsePatch(patch)
    .flatMap(({ added }) => added)
    .join('\n');
}

/**
 * Kinds of secrets in `text`, each once (T54): `live secret` for a secret of this process in any known encoding, and the names of
 * the token patterns that match. Never the values themselves.
 */
export function findSecrets(text: string, liveSecrets: readonly string[]): readonly string[] {
  const isLive = findExact(text, liveSecrets.flatMap(toSecretVariants)).length > 0;
  const known = findSecretShapes(text)
    .filter(({ isToken }) => isToken)
    .map(({ name }) => name);
  return [...new Set([...(isLive ? ['live secret'] : []), ...known])];
}
