const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Returns whether the JSON text nests deeper than `maxDepth`. Checks the bytes before anything parses them (T5): a
 * parser takes seconds for millions of levels, and recursive code over the result overflows the stack. Brackets inside
 * strings do not count. Malformed text is left to the parser.
 */
export function isDeeperThan(json: Uint8Array, maxDepth: number): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (byte === quote) {
      index = endOfString(json, index);
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
    }
  }
  return false;
}

/** Index of the quote that closes the string opened at `start`, or the length of the text if there is none. */
function endOfString(json: Uint8Array, start: number): number {
  let end = json.indexOf(quote, start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf(quote, end + 1);
  return end === -1 ? json.length : end;
}

/** An odd number of backslashes before the quote makes it part of the string. */
function isEscaped(json: Uint8Array, index: number): boolean {
  let first = index;
  while (json[first - 1] === backslash) first -= 1;
  return (index - first) % 2 === 1;
}
