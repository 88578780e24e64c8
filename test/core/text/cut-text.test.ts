import { describe, expect, it } from 'vitest';
import { cutText } from '../../../src/core/text/cut-text.ts';

describe('a text that is cut', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc…'],
    ['a😀b', 2, 'a\uFFFD…'],
  ])('%j at %i', (text, length, expected) => {
    expect(cutText(text, length)).toBe(expected);
  });
});
