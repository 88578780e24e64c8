import { describe, expect, it } from 'vitest';
import { findAlerts, findExceeded, type LimitedScope } from '../../../src/core/spend/check-limits.ts';

const of = (
  scope: LimitedScope['scope'],
  [maxMicroUsd, maxCalls]: readonly [number | null, number | null],
  [microUsd, calls]: readonly [number, number],
): LimitedScope => ({ scope, limit: { maxMicroUsd, maxCalls }, used: { microUsd, calls } });

describe('findExceeded', () => {
  it.each([
    ['fits exactly', of('day', [100, 3], [60, 2]), 40, null],
    ['one millionth too much', of('day', [100, 3], [60, 2]), 41, { what: 'usd', limit: 100, used: 60 }],
    ['one call too many', of('day', [100, 3], [60, 3]), 1, { what: 'calls', limit: 3, used: 3 }],
    ['no limit', of('day', [null, null], [9e9, 9e9]), 9e9, null],
    ['nothing allowed, nothing spent', of('day', [0, null], [0, 0]), 0, null],
    ['overdrawn: not even a free call', of('day', [100, null], [101, 1]), 0, { what: 'usd', limit: 100, used: 101 }],
  ] as const)('%s', (_what, scope, reserved, expected) => {
    expect(findExceeded([scope], reserved)).toEqual(expected === null ? null : { scope: 'day', ...expected });
  });

  it('names the first budget that does not fit', () => {
    const scopes = [of('fixup', [100, null], [0, 0]), of('day', [10, null], [5, 0]), of('month', [10, null], [9, 0])];
    expect(findExceeded(scopes, 6)).toMatchObject({ scope: 'day', used: 5 });
    expect(findExceeded([], 6)).toBeNull();
  });
});

describe('findAlerts', () => {
  it.each([
    ['below 80 %', [100, 10], [79, 7], []],
    ['at 80 % of USD', [100, 10], [80, 7], ['usd']],
    ['at 80 % of calls', [100, 10], [79, 8], ['calls']],
    ['beyond both', [100, 10], [120, 11], ['usd', 'calls']],
    ['without limits', [null, null], [120, 11], []],
    ['nothing used', [0, 0], [0, 0], []],
  ] as const)('%s', (_what, limits, used, kinds) => {
    const alerts = findAlerts([of('month', limits, used)]);
    expect(alerts.map(({ what }) => what)).toEqual(kinds);
    for (const { what, ...alert } of alerts) {
      const nth = what === 'usd' ? 0 : 1;
      expect(alert).toEqual({ scope: 'month', limit: limits[nth], used: used[nth] });
    }
  });
});
