/** Longest version that is taken over: what a tool prints is not ours. */
const MAX_LENGTH = 64;

/**
 * The first thing in a text that looks like a version: `shellcheck 0.9.0`, `go version go1.19.8 linux/amd64`, `v8.57.1-beta.1`.
 * null: there is none.
 */
export function parseVersion(text: string): string | null {
  const found = /(?<![\d.])\d+\.\d+(?:\.\d+)*(?:[-+][0-9A-Za-z.+-]*[0-9A-Za-z])?/u.exec(text)?.[0];
  return found === undefined || found.length > MAX_LENGTH ? null : found;
}
