import { describe, expect, it } from 'vitest';
import { createLogDecoder } from '../../../src/core/evidence/decode-log.ts';

type Piece = string | readonly number[];

/** What the decoder gives for each piece, and at the end. */
function decode(...pieces: readonly (Piece | Uint8Array)[]): readonly string[] {
  const decoder = createLogDecoder();
  const texts = pieces.map((piece) => {
    if (piece instanceof Uint8Array) return decoder.push(piece);
    return decoder.push(typeof piece === 'string' ? Buffer.from(piece) : Uint8Array.from(piece));
  });
  return [...texts, decoder.end()];
}

const swap = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

describe('the encoding of a log', () => {
  it.each([
    ['UTF-16 by its mark, without a zero byte', Buffer.from('\uFEFF漢字漢字', 'utf16le'), '漢字漢字'],
    ['big-endian UTF-16 by its mark', swap('\uFEFF漢字漢字'), '漢字漢字'],
    ['UTF-16 by its zero bytes', Buffer.from('ab漢c', 'utf16le'), 'ab漢c'],
    ['big-endian UTF-16 by its zero bytes', swap('ab漢c'), 'ab漢c'],
  ])('is %s', (_what, bytes, text) => {
    expect(decode(bytes).join('')).toBe(text);
  });

  it.each<readonly [string, Piece, string]>([
    ['begins with half a mark', [0xff, 0x41], 'ÿA'],
    ['begins with half of the other mark', [0xfe, 0x41], 'þA'],
    ['has half a mark behind a letter', [0x41, 0xfe], 'Aþ'],
    ['has half of the other mark behind a letter', [0x41, 0xff], 'Aÿ'],
    ['has a mark twice', [0xff, 0xff, 0xfe, 0xfe], 'ÿÿþþ'],
    ['has a zero in a quarter of its bytes', [0x61, 0, 0x22, 0x6f], 'a\u0000"o'],
    ['has zeros at odd and even places', [0x61, 0, 0x62, 0, 0, 0x63, 0x64, 0], 'a\0b\0\0cd\0'],
    ['has nothing but zeros', [0, 0, 0, 0], '\0\0\0\0'],
    [
      'has zeros only behind its first 256 bytes',
      `${'a'.repeat(256)}${'b\0'.repeat(900)}`,
      `${'a'.repeat(256)}${'b\0'.repeat(900)}`,
    ],
    ['is empty', [], ''],
  ])('is UTF-8, or one byte for each character, where it %s', (_what, bytes, text) => {
    expect(decode(bytes).join('')).toBe(text);
  });

  it('is decided by the first piece', () => {
    expect(decode('ab\n', [0x61, 0, 0x62, 0])).toEqual(['ab\n', '', 'a\0b\0']);
    expect(decode(Buffer.from('ab', 'utf16le'), [0x63, 0, 0x64])).toEqual(['ab', 'c', '\uFFFD']);
  });

  it('keeps the mark of UTF-8, which belongs to the first line', () => {
    expect(decode('\uFEFFa\n', '\uFEFFb').join('')).toBe('\uFEFFa\n\uFEFFb');
  });
});

describe('UTF-8 in pieces', () => {
  it('may be none', () => {
    expect(decode()).toEqual(['']);
  });

  it('is given in whole lines', () => {
    expect(decode('a\nb', 'c\nd\n', 'e', 'f', '\n')).toEqual(['a\n', 'bc\nd\n', '', '', 'ef\n', '']);
    expect(decode('a', 'b\nc\nd')).toEqual(['', 'ab\nc\n', 'd']);
  });

  it('is not torn within a character', () => {
    expect(decode([0xc3], [0xa9], '\n')).toEqual(['', '', 'é\n', '']);
    expect(decode([0x61, 0xc3], [0xa9, 0x0a, 0xc3], [0xa9])).toEqual(['', 'aé\n', '', 'é']);
  });

  it('is another encoding in the lines that are no UTF-8, and only in these', () => {
    expect(decode([0xe9, 0x0a, 0xc3, 0xa9, 0x0a, 0x0a, 0x80])).toEqual(['é\né\n\n', '€']);
    expect(decode('größer \uFFFD\n', [0xe9, 0x0a])).toEqual(['größer \uFFFD\n', 'é\n', '']);
  });

  it('waits for the end of a line of up to 64 KiB', () => {
    const full = 'y'.repeat(64 * 1024);

    expect(decode(full)).toEqual(['', full]);
    expect(decode(`x\n${full}`)).toEqual(['x\n', full]);
    expect(decode(`${full}y`)).toEqual([full, 'y']);
    expect(decode(`${full}é`)).toEqual([full, 'é']);
  });

  it('gives a long line that is no text at once', () => {
    const none = new Uint8Array(70_000).fill(0x80);
    expect(decode(none)).toEqual(['€'.repeat(70_000), '']);
    none[0] = 0x41;
    expect(decode(none)).toEqual([`A${'€'.repeat(69_999)}`, '']);
  });
});
