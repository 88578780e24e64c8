import { describe, expect, it } from 'vitest';
import { isWithin } from '../../../src/core/findings/is-within.ts';

describe('what a run did not read or run whole', () => {
  const parts = new Set(['src/a.ts', 'example.com/app/bad']);

  it.each([
    [null, 'src/a.ts', true],
    [null, 'src/b.ts', false],
    ['example.com/app/bad::TestA', null, true],
    ['example.com/app/bad', null, true],
    ['example.com/app/bad/inner::TestA', null, false],
    ['example.com/app::TestA', 'src/b.ts', false],
    [null, null, false],
  ])('holds the findings of a file and of a group of tests: %s in %s', (testId, path, expected) => {
    expect(isWithin(parts, { testId }, path)).toBe(expected);
  });
});
