/** Longest excerpt of stderr that an engine error holds, in bytes (000.R37). */
export const MAX_STDERR_BYTES = 4096;

/** The end of stderr, at most 4 KiB of UTF-8, from the start of a character on. */
export function toStderrExcerpt(stderr: string): string {
  // A code unit is at least one byte: what comes before these cannot be part of the excerpt.
  const bytes = new TextEncoder().encode(dropCutCharacter(stderr.slice(-MAX_STDERR_BYTES)));
  const room = bytes.length - MAX_STDERR_BYTES;
  const start = bytes.findIndex((byte, index) => index >= room && !isContinuation(byte));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start));
}

/** The second half of a surrogate pair says nothing without the first. */
function dropCutCharacter(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]/u, '');
}

/** Bytes `10xxxxxx` go on with a character that began before. */
function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}
