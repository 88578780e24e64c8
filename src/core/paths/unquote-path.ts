const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
};

/**
 * The plain name of a path from `parsePatch`. Git quotes names with control characters, `"` and `\` like C strings; only such
 * names still end with their quote. Bytes that are not UTF-8 become U+FFFD.
 */
export function unquotePath(path: string): string {
  if (!path.endsWith('"')) return path;
  const parts = [...path.slice(0, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]+|\\$/gsu)];
  const bytes = parts.flatMap(([part]) => toBytes(part));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

function toBytes(part: string): readonly number[] {
  if (/^\\[0-7]{3}/u.test(part)) return [Number.parseInt(part.slice(1), 8) % 256];
  const byte = part.startsWith('\\') ? ESCAPES[part.slice(1)] : undefined;
  return byte === undefined ? [...new TextEncoder().encode(part)] : [byte];
}
