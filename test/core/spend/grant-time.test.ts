import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUDGET_SCOPES } from '../../../src/core/model/model-use.ts';
import { NOTHING_SPENT } from '../../../src/core/spend/charge.ts';
import type { LimitedScope } from '../../../src/core/spend/check-limits.ts';
import { grantTime, LEAST_TIME_MS } from '../../../src/core/spend/grant-time.ts';

const MINUTE = 60_000;

const of = (scope: LimitedScope['scope'], maxTimeMs: number | null, timeMs: number): LimitedScope => ({
  scope,
  limit: { maxMicroUsd: 1, maxCalls: 1, maxTokens: 1, maxTimeMs },
  used: { ...NOTHING_SPENT, timeMs },
});

describe('grantTime', () => {
  it.each([
    ['its time limit, where no budget is set', [of('day', null, 9e9)], 30, null],
    ['its time limit, where all of it fits', [of('day', 60 * MINUTE, 30 * MINUTE)], 30, null],
    ['what is left of the budget', [of('day', 60 * MINUTE, 31 * MINUTE)], 29, 'day'],
    [
      'what is left of the tightest one',
      [of('day', 60 * MINUTE, 31 * MINUTE), of('month', 40 * MINUTE, 39 * MINUTE)],
      1,
      'month',
    ],
    ['the time of the fixup', [of('fixup', 20 * MINUTE, 0), of('month', 90 * MINUTE, 0)], 20, 'fixup'],
  ] as const)('grants %s', (_what, scopes, minutes, scope) => {
    const granted = grantTime(scopes, 30 * MINUTE);
    expect(granted).toMatchObject({ kind: 'granted', timeMs: minutes * MINUTE });
    expect(granted).toMatchObject({ boundBy: scope === null ? null : { scope, what: 'time' } });
  });

  it('refuses where less than a minute is left, with the budget', () => {
    const scopes = [of('pull_request', null, 5), of('month', 10 * MINUTE, 9 * MINUTE + 1)];
    expect(grantTime(scopes, 30 * MINUTE)).toEqual({
      ...{ kind: 'refused', scope: 'month', what: 'time', limit: 10 * MINUTE, used: 9 * MINUTE + 1 },
    });
  });

  it('never grants more than is asked for, nor more than any budget has left, whatever was used', () => {
    const scope = fc.record({
      scope: fc.constantFrom(...BUDGET_SCOPES),
      max: fc.option(fc.nat(10 * MINUTE)),
      used: fc.nat(20 * MINUTE),
    });
    fc.assert(
      fc.property(fc.array(scope, { maxLength: 4 }), fc.nat(10 * MINUTE), (all, wanted) => {
        const grant = grantTime(
          all.map(({ scope: name, max, used }) => of(name, max, used)),
          wanted,
        );
        const left = Math.min(...all.map(({ max, used }) => (max === null ? Number.POSITIVE_INFINITY : max - used)));
        expect(grant.kind).toBe(left < LEAST_TIME_MS ? 'refused' : 'granted');
        if (grant.kind === 'granted') expect(grant.timeMs).toBe(Math.min(wanted, left));
      }),
    );
  });
});
