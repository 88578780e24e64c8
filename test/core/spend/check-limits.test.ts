import { describe, expect, it } from 'vitest';
import type { TokenUse } from '../../../src/core/model/model-use.ts';
import { findAlerts, findExceeded, type LimitedScope } from '../../../src/core/spend/check-limits.ts';

type Limits = readonly [usd: number | null, calls: number | null, tokens: number | null];
type Used = readonly [usd: number, calls: number, tokens: number];

/** Of each kind a part: what counts is their sum. */
function toTokens(sum: number): TokenUse {
  const part = Math.floor(sum / 4);
  return { input: part, cached: part, written: part, output: sum - 3 * part };
}

const of = (
  scope: LimitedScope['scope'],
  [maxMicroUsd, maxCalls, maxTokens]: Limits,
  [microUsd, calls, tokens]: Used,
): LimitedScope => ({
  scope,
  limit: { maxMicroUsd, maxCalls, maxTokens },
  used: { microUsd, calls, tokens: toTokens(tokens) },
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
    expect(findExceeded([scope], { microUsd, tokens: toTokens(tokens) })).toEqual(
      expected === null ? null : { scope: 'day', ...expected },
    );
  });

  it('names the first budget that does not fit', () => {
    const scopes = [
      of('fixup', [100, null, null], [0, 0, 0]),
      of('day', [10, null, null], [5, 0, 0]),
      of('month', [10, null, null], [9, 0, 0]),
    ];
    const reserved = { microUsd: 6, tokens: toTokens(0) };
    expect(findExceeded(scopes, reserved)).toMatchObject({ scope: 'day', used: 5 });
    expect(findExceeded([], reserved)).toBeNull();
  });
});

describe('findAlerts', () => {
  it.each([
    ['below 80 %', [100, 10, 1000], [79, 7, 799], []],
    ['at 80 % of USD', [100, 10, 1000], [80, 7, 0], ['usd']],
    ['at 80 % of calls', [100, 10, 1000], [79, 8, 0], ['calls']],
    ['at 80 % of tokens', [100, 10, 1000], [79, 7, 800], ['tokens']],
    ['beyond all', [100, 10, 1000], [120, 11, 1100], ['usd', 'calls', 'tokens']],
    ['without limits', [null, null, null], [120, 11, 1100], []],
    ['nothing used', [0, 0, 0], [0, 0, 0], []],
  ] as const)('%s', (_what, limits, used, kinds) => {
    const alerts = findAlerts([of('month', limits, used)]);
    expect(alerts.map(({ what }) => what)).toEqual(kinds);
    for (const { what, ...alert } of alerts) {
      const nth = ['usd', 'calls', 'tokens'].indexOf(what);
      expect(alert).toEqual({ scope: 'month', limit: limits[nth], used: used[nth] });
    }
  });
});
