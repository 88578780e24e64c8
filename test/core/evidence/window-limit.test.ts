import { describe, expect, it } from 'vitest';
import { createWindowLimit } from '../../../src/core/evidence/window-limit.ts';

function open(keys: readonly string[]): readonly boolean[] {
  const limit = createWindowLimit();
  return keys.map((key) => limit.opens(key));
}

/** A key of its own for each place; none of the ones that are counted. */
function others(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `other ${index}`);
}

describe('lines around equal failures', () => {
  it('are kept for the first eight of them', () => {
    const keys = Array.from({ length: 10 }, () => ['a', 'b']).flat();
    const opened = open(keys);

    expect(opened.filter(Boolean)).toHaveLength(16);
    expect(opened.slice(16)).toEqual([false, false, false, false]);
  });

  it('are kept again for what was not seen during 4,000 others', () => {
    const eight = Array.from({ length: 8 }, () => 'a');

    expect(open([...eight, ...others(3999), 'a']).at(-1)).toBe(false);
    expect(open([...eight, ...others(4000), 'a']).at(-1)).toBe(true);
  });

  it('are counted for what was seen in between, although it was seen first', () => {
    const seven = Array.from({ length: 7 }, () => 'a');
    const keys = [...seven, ...others(3999), 'a', ...others(2).map((key) => `${key}!`), 'a'];

    expect(open(keys).at(-1)).toBe(false);
    expect(open([...others(3999), 'b', 'a', ...others(1)]).every(Boolean)).toBe(true);
  });
});
