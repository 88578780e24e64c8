import { describe, expect, it } from 'vitest';
import { type Charge, isNoChange, toChange, toHigher } from '../../../src/core/spend/charge.ts';

type Five = readonly [microUsd: number, input: number, cached: number, written: number, output: number];

const charge = (...[microUsd, input, cached, written, output]: Five): Charge => ({
  microUsd,
  tokens: { input, cached, written, output },
});

describe('a charge', () => {
  it('is the higher one of each number', () => {
    expect(toHigher(charge(1, 9, 1, 9, 1), charge(9, 1, 9, 1, 9))).toEqual(charge(9, 9, 9, 9, 9));
  });

  it('changes by the difference of each number', () => {
    const change = toChange(charge(10, 1, 2, 3, 4), charge(4, 2, 4, 6, 8));
    expect(change).toEqual(charge(-6, 1, 2, 3, 4));
  });

  it.each([
    [charge(0, 0, 0, 0, 0), true],
    [charge(1, 0, 0, 0, 0), false],
    [charge(0, 1, 0, 0, 0), false],
    [charge(0, 0, 1, 0, 0), false],
    [charge(0, 0, 0, 1, 0), false],
    [charge(0, 0, 0, 0, -1), false],
  ])('%j changes nothing: %s', (change, expected) => {
    expect(isNoChange(change)).toBe(expected);
  });
});
