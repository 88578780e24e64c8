/** Shorter values are not treated as secrets: they would match in every text. */
export const MIN_SECRET_LENGTH = 8;

/**
 * The forms in which a known secret may occur in a text (T54): plain, JSON-escaped, URL-encoded, hexadecimal, base64 (all three
 * alignments, both alphabets), and each of these reversed. Longest first, so that no part of a longer form is left over.
 */
export function toSecretVariants(secret: string): readonly string[] {
  const value = secret.trim().toWellFormed();
  if (value.length < MIN_SECRET_LENGTH) return [];
  const bytes = new TextEncoder().encode(value);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const base64 = [0, 1, 2].map((offset) => toBase64Core(bytes, offset));
  const forward = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  const variants = new Set(
    [...forward, ...forward.map((text) => Array.from(text).reverse().join(''))].map(withoutLineBreaks),
  );
  return [...variants].filter((text) => text.length >= MIN_SECRET_LENGTH).sort((a, b) => b.length - a.length);
}

/** Variants are searched in a text without line breaks. */
function withoutLineBreaks(text: string): string {
  return text.replaceAll(/[\r\n]/gu, '');
}

/** The base64 characters that depend only on `bytes`, not on what surrounds them, if `bytes` start at `offset` (modulo 3). */
function toBase64Core(bytes: Uint8Array, offset: number): string {
  const binary = '\0'.repeat(offset) + [...bytes].map((byte) => String.fromCharCode(byte)).join('');
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor((binary.length * 8) / 6);
  return btoa(binary).slice(first, end);
}
