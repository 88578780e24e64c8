import type { Policy } from '../model/policy.ts';
import type { DecisionPolicy } from '../model/snapshot.ts';

/** Longest wait for GitHub to tell whether a pull request merges, before a person is asked; no policy changes it. */
const MERGE_TIMEOUT_SECONDS = 30 * 60;

/** What of a repository's policy the decision looks at. */
export function toDecisionPolicy(policy: Policy): DecisionPolicy {
  return {
    maxAttempts: policy.maxAttempts,
    maxLaunchesPerDay: policy.maxLaunchesPerDay,
    staleCiTimeoutSeconds: policy.ci.staleTimeoutSeconds,
    ciTimeoutSeconds: policy.ci.timeoutSeconds,
    mergeTimeoutSeconds: MERGE_TIMEOUT_SECONDS,
    mode: policy.mode,
    holdDrafts: policy.drafts === 'hold',
    resolveConflicts: policy.merge.resolveConflicts,
    fixReviews: policy.reviews.fix,
    reviewQuietSeconds: policy.reviews.quietSeconds,
    fixRedOnBase: policy.ci.fixRedOnBase,
    stopOnSameFailure: policy.ci.stopOnSameFailure,
    disarmAutoMerge: policy.autoMerge === 'disarm',
  };
}
