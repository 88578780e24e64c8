import { describe, expect, it } from 'vitest';
import {
  hasUsdBudget,
  toMicroUsd,
  toMinutes,
  toSessionModel,
  toSpendLimits,
  toTimeMs,
  toUsd,
} from '../../../src/core/spend/session-limits.ts';

const day = { maxMicroUsd: 9, maxCalls: 9, maxTokens: null, maxTimeMs: null };

describe('toSpendLimits', () => {
  it.each([
    ['the operator alone', [5_000_000, 10, 100], [null, null, null], [5_000_000, 10, 100]],
    ['the policy alone', [null, null, null], [1.5, 3, 20], [1_500_000, 3, 20]],
    ['a policy that is lower', [5_000_000, 10, 100], [1, 3, 20], [1_000_000, 3, 20]],
    ['a policy that is higher', [5_000_000, 10, 100], [50, 30, 200], [5_000_000, 10, 100]],
    ['a policy of nothing', [5_000_000, 10, 100], [0, 0, 0], [0, 0, 0]],
    ['an operator of nothing', [0, 0, 0], [1, 1, 1], [0, 0, 0]],
  ] as const)(
    '%s',
    (_what, [maxMicroUsd, maxCalls, maxTokens], [usd, calls, tokens], [most, mostCalls, mostTokens]) => {
      expect(
        toSpendLimits(
          { fixup: { maxMicroUsd, maxCalls, maxTokens, maxTimeMs: null }, day },
          { usd, calls, tokens, minutes: null },
        ),
      ).toEqual({
        fixup: { maxMicroUsd: most, maxCalls: mostCalls, maxTokens: mostTokens, maxTimeMs: null },
        day,
      });
    },
  );

  it('has a limit for the fixup where the operator has none', () => {
    expect(toSpendLimits({}, { usd: 2, calls: null, tokens: null, minutes: null })).toEqual({
      fixup: { maxMicroUsd: 2_000_000, maxCalls: null, maxTokens: null, maxTimeMs: null },
    });
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

describe('the minutes of a fixup', () => {
  it.each([
    [null, null, null],
    [600_000, null, 600_000],
    [null, 2.5, 150_000],
    [600_000, 2.5, 150_000],
    [600_000, 30, 600_000],
    [600_000, 0, 0],
  ])('of an operator with %s ms and a policy with %s minutes are %s ms', (maxTimeMs, minutes, expected) => {
    const operator = { fixup: { maxMicroUsd: null, maxCalls: null, maxTokens: null, maxTimeMs } };
    const limits = toSpendLimits(operator, { usd: null, calls: null, tokens: null, minutes });
    expect(limits.fixup?.maxTimeMs).toBe(expected);
  });

  it('are told in minutes', () => {
    expect(toMinutes(toTimeMs(2.5))).toBe(2.5);
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
    [{ day: { maxMicroUsd: null, maxCalls: 5, maxTokens: null, maxTimeMs: null } }, false],
    [
      {
        day: { maxMicroUsd: null, maxCalls: 5, maxTokens: null, maxTimeMs: null },
        month: { maxMicroUsd: 0, maxCalls: null, maxTokens: null, maxTimeMs: null },
      },
      true,
    ],
  ])('%j: %s', (limits, expected) => {
    expect(hasUsdBudget(limits)).toBe(expected);
  });
});
