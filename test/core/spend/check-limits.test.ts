import { describe, expect, it } from 'vitest';
import { BUDGET_UNITS, CALL_UNITS, type TokenUse } from '../../../src/core/model/model-use.ts';
import { findAlerts, findExceeded, type LimitedScope } from '../../../src/core/spend/check-limits.ts';

type Limits = readonly [usd: number | null, calls: number | null, tokens: number | null, timeMs?: number | null];
type Used = readonly [usd: number, calls: number, tokens: number, timeMs?: number];

/** Of each kind a part: what counts is their sum. */
function toTokens(sum: number): TokenUse {
  const part = Math.floor(sum / 4);
  return { input: part, cached: part, written: part, output: sum - 3 * part };
}

const of = (
  scope: LimitedScope['scope'],
  [maxMicroUsd, maxCalls, maxTokens, maxTimeMs = null]: Limits,
  [microUsd, calls, tokens, timeMs = 0]: Used,
): LimitedScope => ({
  scope,
  limit: { maxMicroUsd, maxCalls, maxTokens, maxTimeMs },
  used: { microUsd, calls, tokens: toTokens(tokens), timeMs },
});

describe('findExceeded', () => {
  it.each([
    ['fits exactly', of('day', [100, 3, 50], [60, 2, 30]), [40, 20], null],
    ['one millionth too much', of('day', [100, 3, 50], [60, 2, 0]), [41, 0], { what: 'usd', limit: 100, used: 60 }],
    ['one call too many', of('day', [100, 3, 50], [60, 3, 0]), [1, 0], { what: 'calls', limit: 3, used: 3 }],
    ['one token too many', of('day', [100, 3, 50], [60, 2, 30]), [1, 21], { what: 'tokens', limit: 50, used: 30 }],
    ['no limit', of('day', [null, null, null], [9e9, 9e9, 9e9]), [9e9, 9e9], null],
    ['nothing allowed, nothing spent', of('day', [0, null, 0], [0, 0, 0]), [0, 0], null],
    [
      'overdrawn: not even a free call',
      of('day', [100, null, null], [101, 1, 0]),
      [0, 0],
      { what: 'usd', limit: 100, used: 101 },
    ],
  ] as const)('%s', (_what, scope, [microUsd, tokens], expected) => {
    const more = { microUsd, calls: 1, tokens: toTokens(tokens), timeMs: 0 };
    expect(findExceeded([scope], BUDGET_UNITS, more)).toEqual(expected === null ? null : { scope: 'day', ...expected });
  });

  it('names the first budget that does not fit', () => {
    const scopes = [
      of('fixup', [100, null, null], [0, 0, 0]),
      of('day', [10, null, null], [5, 0, 0]),
      of('month', [10, null, null], [9, 0, 0]),
    ];
    const reserved = { microUsd: 6, calls: 1, tokens: toTokens(0), timeMs: 0 };
    expect(findExceeded(scopes, BUDGET_UNITS, reserved)).toMatchObject({ scope: 'day', used: 5 });
    expect(findExceeded([], BUDGET_UNITS, reserved)).toBeNull();
  });

  it.each([
    [60, null],
    [61, { scope: 'day', what: 'time', limit: 100, used: 40 }],
  ])('looks at the time only where it is asked to: %i more', (timeMs, expected) => {
    const more = { microUsd: 0, calls: 0, tokens: toTokens(0), timeMs };
    const scopes = [of('day', [null, null, null, 100], [0, 0, 0, 40])];
    expect(findExceeded(scopes, BUDGET_UNITS, more)).toEqual(expected);
    expect(findExceeded(scopes, CALL_UNITS, more)).toBeNull();
  });
});

describe('findAlerts', () => {
  it.each([
    ['below 80 %', [100, 10, 1000], [79, 7, 799], []],
    ['at 80 % of USD', [100, 10, 1000], [80, 7, 0], ['usd']],
    ['at 80 % of calls', [100, 10, 1000], [79, 8, 0], ['calls']],
    ['at 80 % of tokens', [100, 10, 1000], [79, 7, 800], ['tokens']],
    ['at 80 % of the time', [100, 10, 1000, 50], [79, 7, 0, 40], ['time']],
    ['beyond all', [100, 10, 1000, 50], [120, 11, 1100, 51], ['usd', 'calls', 'tokens', 'time']],
    ['without limits', [null, null, null], [120, 11, 1100], []],
    ['nothing used', [0, 0, 0], [0, 0, 0], []],
  ] as const)('%s', (_what, limits, used, kinds) => {
    const alerts = findAlerts([of('month', limits, used)], BUDGET_UNITS);
    expect(findAlerts([of('month', limits, used)], ['time'])).toEqual(alerts.filter(({ what }) => what === 'time'));
    expect(alerts.map(({ what }) => what)).toEqual(kinds);
    for (const { what, ...alert } of alerts) {
      const nth = BUDGET_UNITS.indexOf(what);
      expect(alert).toEqual({ scope: 'month', limit: limits[nth], used: used[nth] });
    }
  });
});
