import { describe, expect, it } from 'vitest';
import {
  hasUsdBudget,
  toMicroUsd,
  toSessionModel,
  toSpendLimits,
  toUsd,
} from '../../../src/core/spend/session-limits.ts';

const day = { maxMicroUsd: 9, maxCalls: 9 };

describe('toSpendLimits', () => {
  it.each([
    ['the operator alone', [5_000_000, 10], [null, null], [5_000_000, 10]],
    ['the policy alone', [null, null], [1.5, 3], [1_500_000, 3]],
    ['a policy that is lower', [5_000_000, 10], [1, 3], [1_000_000, 3]],
    ['a policy that is higher', [5_000_000, 10], [50, 30], [5_000_000, 10]],
    ['a policy of nothing', [5_000_000, 10], [0, 0], [0, 0]],
    ['an operator of nothing', [0, 0], [1, 1], [0, 0]],
  ] as const)('%s', (_what, [maxMicroUsd, maxCalls], [usd, calls], [expectedUsd, expectedCalls]) => {
    expect(toSpendLimits({ fixup: { maxMicroUsd, maxCalls }, day }, { usd, calls })).toEqual({
      fixup: { maxMicroUsd: expectedUsd, maxCalls: expectedCalls },
      day,
    });
  });

  it('has a limit for the fixup where the operator has none', () => {
    expect(toSpendLimits({}, { usd: 2, calls: null })).toEqual({ fixup: { maxMicroUsd: 2_000_000, maxCalls: null } });
  });
});

describe('toUsd', () => {
  it('is the amount that a person wrote', () => {
    expect(toUsd(toMicroUsd(0.29))).toBe(0.29);
  });
});

describe('toMicroUsd', () => {
  it.each([
    [0.29, 290_000],
    [1, 1_000_000],
    [0.0000004, 0],
  ])('%d USD are %d', (usd, microUsd) => {
    expect(toMicroUsd(usd)).toBe(microUsd);
  });
});

describe('toSessionModel', () => {
  it.each([
    [['a', 'b'], null, 'a'],
    [['a', 'b'], 'b', 'b'],
    [['a', 'b'], 'B', null],
    [[], null, null],
  ])('of %j for %j is %j', (models, wanted, expected) => {
    expect(toSessionModel({ models }, wanted)).toBe(expected);
  });
});

describe('hasUsdBudget', () => {
  it.each([
    [{}, false],
    [{ day: { maxMicroUsd: null, maxCalls: 5 } }, false],
    [{ day: { maxMicroUsd: null, maxCalls: 5 }, month: { maxMicroUsd: 0, maxCalls: null } }, true],
  ])('%j: %s', (limits, expected) => {
    expect(hasUsdBudget(limits)).toBe(expected);
  });
});
