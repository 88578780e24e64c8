/** Longest stderr excerpt of an engine error, in bytes (000.R37). */
export const MAX_STDERR_BYTES = 4096;

/** The end of stderr, at most 4 KiB of UTF-8, starting at a whole character. */
export function toStderrExcerpt(stderr: string): string {
  // A code unit takes at least one byte, so anything before these units cannot be part of the excerpt.
  const bytes = new TextEncoder().encode(dropCutCharacter(stderr.slice(-MAX_STDERR_BYTES)));
  const room = bytes.length - MAX_STDERR_BYTES;
  const start = bytes.findIndex((byte, index) => index >= room && !isContinuation(byte));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start));
}

/** A low surrogate means nothing without its high surrogate. */
function dropCutCharacter(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]/u, '');
}

/** Bytes `10xxxxxx` continue a character. */
function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}
