import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import { toDecisionPolicy } from '../../../src/core/policy/to-decision-policy.ts';

describe('toDecisionPolicy', () => {
  it('of a repository that sets nothing holds the limits that the manual names', () => {
    expect(toDecisionPolicy(DEFAULT_POLICY)).toEqual({
      maxAttempts: 3,
      maxLaunchesPerDay: 20,
      staleCiTimeoutSeconds: 300,
      ciTimeoutSeconds: 21_600,
      mergeTimeoutSeconds: 1800,
      mode: 'push',
      fixEngines: false,
      holdDrafts: false,
      resolveConflicts: true,
      updateBranch: true,
      fixReviews: true,
      reviewQuietSeconds: 60,
      fixRedOnBase: false,
      stopOnSameFailure: false,
      disarmAutoMerge: false,
    });
  });

  it('reads each setting from its own key', () => {
    const policy = toDecisionPolicy({
      ...DEFAULT_POLICY,
      mode: 'observe',
      drafts: 'hold',
      autoMerge: 'disarm',
      merge: { ...DEFAULT_POLICY.merge, resolveConflicts: false, updateBranch: false },
      reviews: { ...DEFAULT_POLICY.reviews, fix: false, quietSeconds: 7 },
      ci: {
        ...DEFAULT_POLICY.ci,
        staleTimeoutSeconds: 8,
        timeoutSeconds: 90,
        fixRedOnBase: true,
        stopOnSameFailure: true,
      },
    });

    expect(policy).toMatchObject({
      ...{
        mode: 'observe',
        holdDrafts: true,
        disarmAutoMerge: true,
        resolveConflicts: false,
        fixReviews: false,
        updateBranch: false,
      },
      ...{ reviewQuietSeconds: 7, staleCiTimeoutSeconds: 8, ciTimeoutSeconds: 90 },
      ...{ fixRedOnBase: true, stopOnSameFailure: true },
    });
  });
});
