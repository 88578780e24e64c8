import { describe, expect, it } from 'vitest';
import { createLineKeeper, type LineKeeper } from '../../../src/core/evidence/keep-lines.ts';

const LARGE = { tailLength: 1000, keptLength: 1000 };

function aKeeper(
  limits: { readonly tailLength: number; readonly keptLength: number } = LARGE,
  important: readonly number[] = [],
): LineKeeper {
  return createLineKeeper(limits, () => important);
}

function addAll(keeper: LineKeeper, ...lines: readonly string[]): void {
  for (const line of lines) keeper.add(line);
}

function tailOf(keeper: LineKeeper): readonly string[] {
  return keeper.end().tail.map(({ index, text }) => `${index} ${text}`);
}

function keptOf(keeper: LineKeeper): readonly string[] {
  return [...keeper.end().kept].map(([index, text]) => `${index} ${text}`);
}

const ignore = (): void => undefined;

describe('the last lines of a log', () => {
  it('are as many as there is room for, each with its line feed', () => {
    const keeper = aKeeper({ ...LARGE, tailLength: 10 });
    addAll(keeper, 'aaaa', 'bbbb');
    expect(tailOf(keeper)).toEqual(['0 aaaa', '1 bbbb']);
    addAll(keeper, '');
    expect(tailOf(keeper)).toEqual(['1 bbbb']);
    addAll(keeper, 'cccc', 'd');
    expect(tailOf(keeper)).toEqual(['2 ', '3 cccc', '4 d']);
    addAll(keeper, 'eee');
    expect(tailOf(keeper)).toEqual(['4 d', '5 eee']);
  });

  it('are at least one', () => {
    const keeper = aKeeper({ ...LARGE, tailLength: 3 });
    addAll(keeper, 'aa', 'bbbbbbbbb');
    expect(tailOf(keeper)).toEqual(['1 bbbbbbbbb']);
    addAll(keeper, 'c');
    expect(tailOf(keeper)).toEqual(['2 c']);
  });

  it('leave out empty ones at the end, but not between', () => {
    const keeper = aKeeper();
    addAll(keeper, '', 'a', '', 'b', '', '');
    expect(tailOf(keeper)).toEqual(['0 ', '1 a', '2 ', '3 b']);
    expect(keeper.count()).toBe(6);
    expect(tailOf(aKeeper())).toEqual([]);
  });

  it('know how many were left out before them', () => {
    const keeper = aKeeper();
    addAll(keeper, 'a');
    keeper.skip(5);
    addAll(keeper, 'b');
    expect(tailOf(keeper)).toEqual(['0 a', '6 b']);
    expect(keeper.count()).toBe(7);
  });

  it('are right after many thousands of lines', () => {
    const keeper = aKeeper({ ...LARGE, tailLength: 20 });
    for (let at = 0; at < 10_000; at += 1) {
      keeper.add(String(at));
      if (at % 4096 < 3) expect(tailOf(keeper).at(-1)).toBe(`${at} ${at}`);
    }
    expect(tailOf(keeper)).toEqual(['9996 9996', '9997 9997', '9998 9998', '9999 9999']);
  });
});

describe('lines that are kept', () => {
  it('are those up to a line, which is never moved back', () => {
    const keeper = aKeeper();
    addAll(keeper, 'a');
    keeper.keepUntil(3);
    keeper.keepUntil(2);
    expect([1, 2, 3].map((index) => keeper.isKept(index))).toEqual([true, true, false]);
    addAll(keeper, 'b', 'c', 'd');
    expect(keptOf(keeper)).toEqual(['1 b', '2 c']);
  });

  it('are the newest ones, of which each is used once', () => {
    const keeper = aKeeper();
    const used: string[] = [];
    addAll(keeper, 'a', 'b', 'c');
    keeper.keepNewest(2, (text) => used.push(text));
    addAll(keeper, 'd');
    keeper.keepNewest(3, (text) => used.push(text));
    keeper.keepNewest(0, (text) => used.push(text));

    expect(used).toEqual(['b', 'c', 'd']);
    expect(keptOf(keeper)).toEqual(['1 b', '2 c', '3 d']);
  });

  it('are no more than the tail still has', () => {
    const keeper = aKeeper({ ...LARGE, tailLength: 4 });
    addAll(keeper, 'a', 'b', 'c');
    keeper.keepNewest(3, ignore);
    expect(keptOf(keeper)).toEqual(['1 b', '2 c']);
  });

  it('are the most important ones in half of the room when there is no more room', () => {
    const keeper = aKeeper({ ...LARGE, keptLength: 20 }, [9, 3, 3, 1, 0, 2]);
    keeper.keepUntil(100);
    addAll(keeper, 'aaaa', 'bbbb', 'cccc', 'dddd');
    expect(keptOf(keeper)).toEqual(['0 aaaa', '1 bbbb', '2 cccc', '3 dddd']);
    // One more does not fit. Line 9 is not there; lines 3 and 1 take ten of ten.
    addAll(keeper, 'e');
    expect(keptOf(keeper)).toEqual(['3 dddd', '1 bbbb']);
    addAll(keeper, 'ffff', 'gggg');
    expect(keptOf(keeper)).toEqual(['3 dddd', '1 bbbb', '5 ffff', '6 gggg']);
  });

  it('may be none of those that are too long for half of the room', () => {
    const keeper = aKeeper({ ...LARGE, keptLength: 20 }, [0, 1]);
    keeper.keepUntil(100);
    addAll(keeper, 'x'.repeat(10), 'y'.repeat(9));
    expect(keptOf(keeper)).toEqual([]);
    addAll(keeper, 'z');
    expect(keptOf(keeper)).toEqual(['2 z']);
  });
});
