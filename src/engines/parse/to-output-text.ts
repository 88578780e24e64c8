import { stripVTControlCharacters } from 'node:util';

/** What a tool wrote, as text: bytes that are no UTF-8 are replaced; a byte order mark and colour codes are left out. */
export function toOutputText(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8');
  const texts = chunks.map((chunk) => decoder.decode(chunk, { stream: true }));
  return stripVTControlCharacters([...texts, decoder.decode()].join(''));
}
