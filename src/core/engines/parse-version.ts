/** Longest version that is accepted: the text comes from the tool. */
const MAX_LENGTH = 64;

/**
 * The first version in a text such as `shellcheck 0.9.0`, `go version go1.19.8 linux/amd64` or `v8.57.1-beta.1`; null if there is
 * none.
 */
export function parseVersion(text: string): string | null {
  const found = /(?<![\d.])\d+\.\d+(?:\.\d+)*(?:[-+][0-9A-Za-z.+-]*[0-9A-Za-z])?/u.exec(text)?.[0];
  return found === undefined || found.length > MAX_LENGTH ? null : found;
}
