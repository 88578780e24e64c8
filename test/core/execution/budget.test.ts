import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commit, hasRoom, openBudget, reserve, toCharge, toCost, toUsd } from '../../../src/core/execution/budget.ts';
import { estimateCost } from '../../../src/core/execution/estimate-cost.ts';
import { DEFAULT_RETRY, toRetryWait } from '../../../src/core/execution/retry.ts';
import { toRunStats } from '../../../src/core/execution/run-stats.ts';
import { STEP_STATES } from '../../../src/core/model/plan-run.ts';
import { aResult } from './plan-steps.ts';

describe('an amount of money', () => {
  it.each([
    [0, 0],
    [0.1, 100_000],
    [0.07, 70_000],
    [0.29, 290_000],
    [0.000_000_1, 1],
    [1.000_000_1, 1_000_001],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [-0.01, null],
  ])('of %d USD is %s millionths, rounded up', (usd, micro) => {
    expect(toCost(usd)).toBe(micro);
  });
});

describe('a budget', () => {
  it('adds 0.1 and 0.2 to exactly 0.3 (004.R19)', () => {
    const budget = reserve(reserve(openBudget(0.3), 100_000), 200_000);

    expect(hasRoom(budget, 0)).toBe(true);
    expect(hasRoom(budget, 1)).toBe(false);
    expect(toUsd(commit(commit(budget, 100_000, 100_000), 200_000, 200_000).spent)).toBe(0.3);
  });

  it('gets a released reservation back, and counts what was spent before', () => {
    const budget = openBudget(0.1, 0.04);

    expect(hasRoom(budget, 60_000)).toBe(true);
    expect(hasRoom(budget, 60_001)).toBe(false);
    expect(commit(reserve(budget, 60_000), 60_000, 0)).toEqual(budget);
  });

  it('allows nothing if its limit is no amount of money', () => {
    expect(openBudget(Number.NaN, Number.NaN)).toEqual({ limit: 0, spent: 0, reserved: 0 });
  });

  it('charges what was measured, else what was reserved (004.R18)', () => {
    expect([toCharge(0.02, 5), toCharge(0, 5), toCharge(null, 5), toCharge(Number.NaN, 5)]).toEqual([20_000, 0, 5, 5]);
  });

  it('is never passed by what is spent and reserved together, in any order of reservations and ends (004.R19)', () => {
    const event = fc.record({ amount: fc.nat(60_000), settles: fc.boolean(), share: fc.nat(100) });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let budget = openBudget(0.1);
        const open: number[] = [];
        for (const { amount, settles, share } of events) {
          const reserved = settles ? open.shift() : undefined;
          if (reserved !== undefined) budget = commit(budget, reserved, Math.floor((reserved * share) / 100));
          else if (hasRoom(budget, amount)) {
            budget = reserve(budget, amount);
            open.push(amount);
          }
          expect(budget.spent + budget.reserved).toBeLessThanOrEqual(budget.limit);
          expect(budget.reserved).toBe(open.reduce((sum, one) => sum + one, 0));
        }
      }),
    );
  });
});

describe('the estimate of a step', () => {
  it.each<[string, number | null, readonly number[], number]>([
    ['what it declares', 0.5, [1, 1, 1], 0.5],
    ['nothing, if it declares that', 0, [1, 1, 1], 0],
    ['the default of its type without a history', null, [], 0.01],
    ['the default of its type with too short a history', null, [1, 2], 0.01],
    ['what nine of ten such steps cost', null, [9, 1, 3, 2, 8, 4, 7, 5, 6, 100], 9],
    ['the highest of three', null, [1, 3, 2], 3],
  ])('is %s (004.R22)', (_what, estimate_usd, costs, expected) => {
    expect(estimateCost({ estimate_usd }, { costs, defaultUsd: 0.01 })).toBe(expected);
  });
});

describe('a step that failed for a transient cause', () => {
  it('waits twice as long each time, and not for ever (004.R23)', () => {
    const config = { maxRetries: 6, firstWaitMs: 100, maxWaitMs: 1000 };
    const waits = [1, 2, 3, 4, 5, 6, 7].map((attempts) => toRetryWait(config, { attempts, allowed: 9 }));

    expect(waits).toEqual([100, 200, 400, 800, 1000, 1000, null]);
    expect(toRetryWait(config, { attempts: 1, allowed: 0 })).toBeNull();
    expect(toRetryWait(config, { attempts: 2, allowed: 2 })).toBe(200);
    expect(toRetryWait(config, { attempts: 3, allowed: 2 })).toBeNull();
    expect(toRetryWait(DEFAULT_RETRY, { attempts: 10, allowed: 10 })).toBe(30_000);
  });
});

describe('the statistics of a run', () => {
  it('have a count for each state, and sums without errors of addition (004.R11, S38)', () => {
    const results = STEP_STATES.map((state) => aResult({ state, costUsd: 0.1 }));

    expect(toRunStats([...results, aResult({ costUsd: Number.NaN })], 5)).toEqual({
      ...{ completed: 2, failed: 1, skipped: 1, rolledBack: 1, rollbackFailed: 1 },
      ...{ costUsd: 0.5, durationMs: 5 },
    });
  });

  it('add up to the number of steps', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STEP_STATES)), (states) => {
        const stats = toRunStats(
          states.map((state) => aResult({ state })),
          0,
        );

        expect(stats.completed + stats.failed + stats.skipped + stats.rolledBack + stats.rollbackFailed).toBe(
          states.length,
        );
      }),
    );
  });
});
