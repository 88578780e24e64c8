import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_STDERR_BYTES, toStderrExcerpt } from '../../../src/core/engines/stderr-excerpt.ts';

const toBytes = (text: string): number => new TextEncoder().encode(text).length;

describe('000.R37: the excerpt of stderr', () => {
  it.each([
    ['nothing', '', ''],
    ['what is short', 'boom\n', 'boom\n'],
    ['exactly the limit', 'x'.repeat(4096), 'x'.repeat(4096)],
    ['one byte more', `a${'x'.repeat(4096)}`, 'x'.repeat(4096)],
    ['a character of two bytes across the limit', `é${'x'.repeat(4095)}`, 'x'.repeat(4095)],
    ['a character of three bytes across the limit', `€${'x'.repeat(4094)}`, 'x'.repeat(4094)],
    ['a character that ends before the limit', `€${'x'.repeat(4096)}`, 'x'.repeat(4096)],
    ['a character that just fits', `ab€${'x'.repeat(4093)}`, `€${'x'.repeat(4093)}`],
    ['half a pair of code units at the cut', `😀${'x'.repeat(4095)}`, 'x'.repeat(4095)],
    ['many wide characters', '😀'.repeat(3000), '😀'.repeat(1024)],
    ['a byte order mark at its start', `a\uFEFF${'x'.repeat(4093)}`, `\uFEFF${'x'.repeat(4093)}`],
  ])('is the end of %s', (_what, stderr, expected) => {
    expect(toStderrExcerpt(stderr)).toBe(expected);
  });

  it('is an end of it, within the limit and less than a character short of it', () => {
    const anyText = fc.string({ unit: 'grapheme', minLength: 1000, maxLength: 1400, size: 'max' });
    fc.assert(
      fc.property(anyText, (text) => {
        const stderr = text.toWellFormed().repeat(4);
        const excerpt = toStderrExcerpt(stderr);

        expect(stderr.endsWith(excerpt)).toBe(true);
        expect(toBytes(excerpt)).toBeLessThanOrEqual(MAX_STDERR_BYTES);
        expect(toBytes(excerpt)).toBeGreaterThan(Math.min(toBytes(stderr), MAX_STDERR_BYTES) - 4);
      }),
      { numRuns: 30 },
    );
  });
});
