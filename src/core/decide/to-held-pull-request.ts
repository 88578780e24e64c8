import { isSameLabel } from '../commands/labels.ts';
import type { Policy } from '../model/policy.ts';
import type { PullRequestFacts } from '../model/pull-request.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** The facts about a pull request that guards and holds read. */
export function toHeldPullRequest(facts: PullRequestFacts, policy: Policy): NonNullable<Snapshot['pullRequest']> {
  const { state, draft, fork, autoMerge, inMergeQueue, queueFailure, labels, rules, beside } = facts;
  return {
    ...{ state, draft, fork, autoMerge, inMergeQueue, queueFailure, beside },
    approvalsSurvive: !rules.dismissesStaleApprovals,
    holdLabel: labels.some((label) => isSameLabel(label, policy.labels.hold)),
    mustBeUpToDate: rules.mustBeUpToDate && policy.merge.updateBranch,
    pushForbidden: rules.pushRefusals.length === 0 ? null : rules.pushRefusals.join(' '),
  };
}
