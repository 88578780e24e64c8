import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toShown } from '../../../src/core/redact/to-shown.ts';

const ESCAPED = String.raw`a\_b`;
const TWO = String.raw`\\_`;
const THREE = String.raw`\\\_x`;

describe('toShown', () => {
  it.each([
    ['plain', 'plain', [0, 4]],
    [ESCAPED, 'a_b', [0, 2, 3]],
    [TWO, String.raw`\_`, [1, 2]],
    [THREE, String.raw`\_x`, [1, 3, 4]],
    ['@\u2060name', '@name', [0, 2]],
    [String.raw`C:\dir`, String.raw`C:\dir`, [0, 1, 2]],
  ])('reads %j as people see it, and knows the way back', (text, shown, offsets) => {
    const read = toShown(text);

    expect(read.shown).toBe(shown);
    expect(offsets.map((_, index) => read.toOffset(index))).toEqual(shown === text ? [...offsets.keys()] : offsets);
    expect(read.toOffset(shown.length)).toBe(text.length);
  });

  it('shows each character that stands where it says', () => {
    const unit = fc.constantFrom('\\', '_', '*', '\u2060', 'a', '\n');

    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const { shown, toOffset } = toShown(text);
        const back = Array.from({ length: shown.length }, (_, index) => text.charAt(toOffset(index)));
        expect(back.join('')).toBe(shown);
        expect(shown).not.toContain('\u2060');
      }),
    );
  });
});
