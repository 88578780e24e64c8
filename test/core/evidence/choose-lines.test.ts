import { describe, expect, it } from 'vitest';
import { chooseLines, type KeptLine } from '../../../src/core/evidence/choose-lines.ts';

const line = (index: number, text = 'aaaa'): KeptLine => ({ index, text });

function choose(wanted: readonly KeptLine[], maxBytes: number, bytesPerLine = 0): readonly number[] {
  return chooseLines(wanted, { maxBytes, bytesPerLine }).map(({ index }) => index);
}

describe('lines of an excerpt', () => {
  it('are the most important ones that fit with the notes of the gaps, in the order of the log', () => {
    // A line costs its five bytes, 40 for the gap before it, and 40 more for the one at the end.
    expect(choose([line(7), line(3)], 5 + 40 + 40)).toEqual([7]);
    expect(choose([line(7), line(3)], 5 + 40 + 40 - 1)).toEqual([]);
    expect(choose([line(7), line(3)], 2 * (5 + 40) + 40)).toEqual([3, 7]);
    expect(choose([line(7), line(3)], 2 * (5 + 40) + 39)).toEqual([7]);
  });

  it('cost no gap beside another one, and free one between two', () => {
    expect(choose([line(7), line(8)], 2 * 5 + 40 + 40)).toEqual([7, 8]);
    expect(choose([line(7), line(6)], 2 * 5 + 40 + 40)).toEqual([6, 7]);
    expect(choose([line(7), line(8)], 2 * 5 + 40 + 39)).toEqual([7]);
    expect(choose([line(7), line(9), line(8), line(10)], 4 * 5 + 2 * 40 + 40)).toEqual([7, 8, 9, 10]);
  });

  it('cost what the caller adds to each, also to the notes', () => {
    expect(choose([line(7)], 5 + 3 + 43 + 43, 3)).toEqual([7]);
    expect(choose([line(7)], 5 + 3 + 43 + 43 - 1, 3)).toEqual([]);
  });

  it('count in bytes, and once', () => {
    expect(choose([line(1, 'é')], 3 + 40 + 40)).toEqual([1]);
    expect(choose([line(1, 'é')], 3 + 40 + 39)).toEqual([]);
    expect(choose([line(1), line(1), line(2)], 2 * 5 + 40 + 40)).toEqual([1, 2]);
  });

  it('may come behind 300 that do not fit, but not behind more', () => {
    const long = (count: number, from: number): readonly KeptLine[] =>
      Array.from({ length: count }, (_, at) => line(from + 2 * at, 'x'.repeat(200)));

    expect(choose([...long(300, 10), line(1)], 100)).toEqual([1]);
    expect(choose([...long(301, 10), line(1)], 100)).toEqual([]);
    expect(choose([...long(300, 10), line(1), ...long(300, 1000), line(2)], 100)).toEqual([1, 2]);
  });
});
