import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_ENGINE_SETTINGS,
  DEFAULT_ENGINES_POLICY,
  DEFAULT_POLICY,
} from '../../../src/core/model/default-policy.ts';
import type { Policy } from '../../../src/core/model/policy.ts';
import { clampPolicy } from '../../../src/core/policy/clamp-policy.ts';

import type { Ceilings } from '../../../src/core/policy/operator-policy.ts';

/** A policy that asks for the most of everything. */
const MOST: Policy = {
  ...DEFAULT_POLICY,
  mode: 'push',
  maxAttempts: 20,
  maxLaunchesPerDay: 200,
  sessionTimeoutMinutes: 360,
  validateTimeoutMinutes: 360,
  changes: { ...DEFAULT_POLICY.changes, maxFiles: 900, maxLines: 9000, maxBytes: 90_000 },
  ci: { ...DEFAULT_POLICY.ci, rerunFlaky: true, fixRedOnBase: true },
  merge: { ...DEFAULT_POLICY.merge, resolveConflicts: true, updateBranch: true },
  reviews: { ...DEFAULT_POLICY.reviews, fix: true, resolveThreads: true },
  autoMerge: 'disarm',
  labels: { enable: 'go', hold: 'stay' },
  agent: { ...DEFAULT_POLICY.agent, budget: { usd: null, calls: 700, tokens: 9000, minutes: 60 } },
  engines: {
    ...DEFAULT_ENGINES_POLICY,
    engines: {
      eslint: { ...DEFAULT_ENGINE_SETTINGS, timeoutSeconds: 3600 },
      mypy: { ...DEFAULT_ENGINE_SETTINGS, timeoutSeconds: 8 },
      tsc: DEFAULT_ENGINE_SETTINGS,
    },
  },
};

const ALL: Ceilings = {
  mode: 'observe',
  maxAttempts: 1,
  maxLaunchesPerDay: 2,
  sessionTimeoutMinutes: 3,
  validateTimeoutMinutes: 4,
  changes: { maxFiles: 5, maxLines: 6, maxBytes: 7 },
  ci: { rerunFlaky: false, fixRedOnBase: false },
  merge: { resolveConflicts: false, updateBranch: false },
  reviews: { fix: false, resolveThreads: false },
  autoMerge: 'hold',
  labels: { enable: null },
  agent: { budget: { usd: 1.5, calls: 70, tokens: 80, minutes: 20 } },
  engines: { timeoutSeconds: 8, totalMinutes: 9 },
};

describe('clampPolicy', () => {
  it('leaves everything where there is no ceiling', () => {
    expect(clampPolicy(MOST, {})).toEqual({ policy: MOST, clamped: [] });
    expect(clampPolicy(MOST, { changes: {}, ci: {}, merge: {}, reviews: {}, labels: {} })).toEqual({
      policy: MOST,
      clamped: [],
    });
  });

  it('lowers each setting to its ceiling, leaves the others of its section, and tells each', () => {
    const { policy, clamped } = clampPolicy(MOST, ALL);

    expect(policy).toEqual({
      ...MOST,
      mode: 'observe',
      maxAttempts: 1,
      maxLaunchesPerDay: 2,
      sessionTimeoutMinutes: 3,
      validateTimeoutMinutes: 4,
      changes: { ...MOST.changes, maxFiles: 5, maxLines: 6, maxBytes: 7 },
      ci: { ...MOST.ci, rerunFlaky: false, fixRedOnBase: false },
      merge: { ...MOST.merge, resolveConflicts: false, updateBranch: false },
      reviews: { ...MOST.reviews, fix: false, resolveThreads: false },
      autoMerge: 'hold',
      labels: { enable: null, hold: 'stay' },
      agent: { ...MOST.agent, budget: { usd: 1.5, calls: 70, tokens: 80, minutes: 20 } },
      engines: {
        ...DEFAULT_ENGINES_POLICY,
        engines: {
          eslint: { ...DEFAULT_ENGINE_SETTINGS, timeoutSeconds: 8 },
          mypy: { ...DEFAULT_ENGINE_SETTINGS, timeoutSeconds: 8 },
          tsc: DEFAULT_ENGINE_SETTINGS,
        },
      },
    });
    expect(clamped).toEqual([
      'mode: push → observe (operator)',
      'maxAttempts: 20 → 1 (operator)',
      'maxLaunchesPerDay: 200 → 2 (operator)',
      'ci.rerunFlaky: true → false (operator)',
      'ci.fixRedOnBase: true → false (operator)',
      'merge.resolveConflicts: true → false (operator)',
      'merge.updateBranch: true → false (operator)',
      'reviews.fix: true → false (operator)',
      'reviews.resolveThreads: true → false (operator)',
      'autoMerge: disarm → hold (operator)',
      'labels.enable: go → null (operator)',
      'agent.budget.usd: null → 1.5 (operator)',
      'agent.budget.calls: 700 → 70 (operator)',
      'agent.budget.tokens: 9000 → 80 (operator)',
      'agent.budget.minutes: 60 → 20 (operator)',
      'sessionTimeoutMinutes: 360 → 3 (operator)',
      'validateTimeoutMinutes: 360 → 4 (operator)',
      'changes.maxFiles: 900 → 5 (operator)',
      'changes.maxLines: 9000 → 6 (operator)',
      'changes.maxBytes: 90000 → 7 (operator)',
      'engines.eslint.timeoutSeconds: 3600 → 8 (operator)',
    ]);
  });

  it('is silent where the policy is at its ceilings already', () => {
    const { policy } = clampPolicy(MOST, ALL);

    expect(clampPolicy(policy, ALL)).toEqual({ policy, clamped: [] });
  });

  it.each([
    ['push', 'push', 'push'],
    ['push', 'suggest', 'suggest'],
    ['push', 'observe', 'observe'],
    ['suggest', 'push', 'suggest'],
    ['suggest', 'suggest', 'suggest'],
    ['suggest', 'observe', 'observe'],
    ['observe', 'push', 'observe'],
    ['observe', 'suggest', 'observe'],
    ['observe', 'observe', 'observe'],
  ] as const)('gives mode %s under ceiling %s as %s', (mode, ceiling, expected) => {
    expect(clampPolicy({ ...MOST, mode }, { mode: ceiling }).policy.mode).toBe(expected);
  });

  it('never gives more than was asked for, nor more than the ceiling', () => {
    const amount = fc.integer({ min: 0, max: 50 });
    fc.assert(
      fc.property(amount, amount, (wanted, ceiling) => {
        const { policy } = clampPolicy({ ...MOST, maxAttempts: wanted }, { maxAttempts: ceiling });

        expect(policy.maxAttempts).toBe(Math.min(wanted, ceiling));
      }),
    );
  });
});
