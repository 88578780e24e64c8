import type { Decision } from '../model/decision.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { toDurationText } from '../text/words.ts';
import { hasElapsed, hasWaited, settlesAt } from './clocks.ts';
import { fix } from './fix.ts';
import { decide, type Guard } from './guard.ts';
import { findDisabled, findPolicyInvalid } from './holds.ts';
import { waitForApproval } from './monitoring-guards.ts';

/**
 * What is done about red CI, in order. Cheaper means come first (resolution S7): wait for a re-run, ask for one, update the branch,
 * ask a person, launch an agent.
 */
const RED_CI_GUARDS: readonly Guard[] = [
  { codes: ['RERUN_AWAITED'], find: rerunAwaited },
  { codes: ['CI_FLAKY'], find: ciFlaky },
  { codes: ['BASE_REPAIRED', 'UPDATE_AWAITED'], find: baseRepaired },
  { codes: ['CI_NEEDS_PERSON'], find: needsPerson },
  { codes: ['RED_ON_BASE'], find: redOnBase },
  { codes: ['SAME_FAILURE'], find: sameFailure },
  { codes: ['CI_FAILED'], find: ciBroken },
];

/** Guards 7 to 13 of 002.R13, in order. Their decisions may launch something. */
export const ACTING_GUARDS: readonly Guard[] = [
  { codes: ['DISABLED'], find: findDisabled }, //            7 (the caller does 6, the clean-up)
  { codes: ['POLICY_INVALID'], find: findPolicyInvalid }, // without a valid policy, even "green" is undefined
  { codes: ['MERGE_UNKNOWN', 'MERGE_UNKNOWN_TIMEOUT'], find: mergeUnknown },
  { codes: ['MERGE_CONFLICT'], find: mergeConflict }, //     8, 9
  // Before CI: results for an outdated head are of no use.
  { codes: ['BRANCH_BEHIND', 'UPDATE_AWAITED'], find: branchBehind },
  ...RED_CI_GUARDS.map(ifCiFailed), //                      10, 11
  // CI of the merge result.
  { codes: ['MERGE_QUEUE_FAILED', 'UPDATE_AWAITED', 'MERGE_QUEUE_UNEXPLAINED'], find: mergeQueueFailed },
  { codes: ['QUALITY_FINDINGS'], find: qualityFindings }, // of the engines, where the policy has them fixed
  { codes: ['REVIEW_SETTLING', 'REVIEW_COMMENTS'], find: reviewComments }, // 12, 13
  { codes: ['CI_BLOCKED', 'CI_TIMEOUT'], find: ciBlocked }, // before 14: the rest was worked on meanwhile
];

function ifCiFailed({ codes, find }: Guard): Guard {
  return { codes, find: (snapshot) => (snapshot.ci.status === 'failure' ? find(snapshot) : null) };
}

function mergeUnknown(snapshot: Snapshot): Decision | null {
  if (snapshot.merge !== 'unknown') return null;
  const limitSeconds = snapshot.policy.mergeTimeoutSeconds;
  if (hasWaited(snapshot, 'MERGE_UNKNOWN', limitSeconds)) {
    const limit = toDurationText(limitSeconds);
    const reason = `GitHub has not reported within ${limit} whether the pull request merges cleanly.`;
    return decide('DONE', 'MERGE_UNKNOWN_TIMEOUT', reason);
  }
  const reason = 'GitHub has not reported yet whether the pull request merges cleanly.';
  return decide('WAIT', 'MERGE_UNKNOWN', reason);
}

/** The means is `agent`, because the need for one is not known yet. The session tries git's own merge first. */
function mergeConflict(snapshot: Snapshot): Decision | null {
  if (snapshot.merge !== 'conflict') return null;
  return fix(snapshot, {
    action: 'FIX_MERGE_CONFLICT',
    code: 'MERGE_CONFLICT',
    means: 'agent',
    what: 'The pull request conflicts with its base branch',
  });
}

/**
 * Asks for one update per base SHA (traps 15, 65). `behind` counts as clean if GitHub does not update in time, and in a merge
 * queue, which updates its pull requests itself.
 */
function branchBehind(snapshot: Snapshot): Decision | null {
  if (!mustBeUpdated(snapshot)) return null;
  const { updateAskedAt } = snapshot.ratchet;
  if (updateAskedAt === null) {
    return fix(snapshot, {
      action: 'FIX_MERGE_CONFLICT',
      code: 'BRANCH_BEHIND',
      means: 'update-branch',
      what: 'The branch must be up to date with its base, but is behind it',
    });
  }
  return isUpdateOverdue(snapshot) ? null : updateAwaited();
}

function updateAwaited(): Decision {
  const reason = 'Ratchet asked GitHub to update the branch to its base.';
  return decide('WAIT', 'UPDATE_AWAITED', reason);
}

/**
 * The merge queue tests the merge with the base, and maybe with other pull requests. An update brings the base into the branch, so
 * that its own CI shows the failure. If the branch has the base already, or CI is green with it, a person has to look.
 */
function mergeQueueFailed(snapshot: Snapshot): Decision | null {
  const { pullRequest, policy, ratchet } = snapshot;
  const failure = pullRequest?.queueFailure ?? null;
  if (failure === null || pullRequest?.inMergeQueue === true) return null;
  const what = `The merge queue removed the pull request, because its merge result failed (${failure})`;
  if (policy.updateBranch && ratchet.updateAskedAt === null) {
    return fix(snapshot, { action: 'FIX_CI', code: 'MERGE_QUEUE_FAILED', means: 'update-branch', what });
  }
  const isOverdue = hasElapsed(snapshot, ratchet.updateAskedAt, policy.staleCiTimeoutSeconds);
  if (policy.updateBranch && !isOverdue) return updateAwaited();
  return decide('DONE', 'MERGE_QUEUE_UNEXPLAINED', `${what}. CI of the branch does not show the failure.`);
}

function mustBeUpdated({ merge, pullRequest }: Snapshot): boolean {
  return merge === 'behind' && pullRequest?.mustBeUpToDate === true && !pullRequest.inMergeQueue;
}

/** Whether GitHub was asked to update the branch and did not do it in time. */
export function isUpdateOverdue(snapshot: Snapshot): boolean {
  const { ratchet, policy } = snapshot;
  return mustBeUpdated(snapshot) && hasElapsed(snapshot, ratchet.updateAskedAt, policy.staleCiTimeoutSeconds);
}

function isRerunAsked({ ci, ratchet }: Snapshot): boolean {
  return ratchet.rerun !== null && ratchet.rerun.ciRunId === ci.runId;
}

/** After the time limit, the failure is handled like one without a re-run. */
function rerunAwaited(snapshot: Snapshot): Decision | null {
  const { rerun } = snapshot.ratchet;
  const limitSeconds = snapshot.policy.staleCiTimeoutSeconds;
  if (rerun === null || !isRerunAsked(snapshot) || hasElapsed(snapshot, rerun.at, limitSeconds)) return null;
  const reason = 'Ratchet asked GitHub to re-run the failed checks.';
  return decide('WAIT', 'RERUN_AWAITED', reason);
}

/** Asks for at most one re-run per CI result. A result without a run id cannot be distinguished from the next one. */
function ciFlaky(snapshot: Snapshot): Decision | null {
  const { runId, failure } = snapshot.ci;
  if (failure?.rerunnable !== true || runId === null || isRerunAsked(snapshot)) return null;
  return fix(snapshot, {
    action: 'FIX_CI',
    code: 'CI_FLAKY',
    means: 'rerun',
    what: 'CI failed in a way that the change may not have caused',
  });
}

/** The head has the failure from its old base. One update per base SHA, as for a branch that must be up to date. */
function baseRepaired(snapshot: Snapshot): Decision | null {
  const { ci, pullRequest, ratchet, policy } = snapshot;
  if (ci.failure?.repairedOnBase !== true || !policy.updateBranch || pullRequest?.inMergeQueue === true) return null;
  if (ratchet.updateAskedAt === null) {
    return fix(snapshot, {
      action: 'FIX_CI',
      code: 'BASE_REPAIRED',
      means: 'update-branch',
      what: 'CI failed as on the base branch, which has been fixed since',
    });
  }
  return hasElapsed(snapshot, ratchet.updateAskedAt, policy.staleCiTimeoutSeconds) ? null : updateAwaited();
}

/** Neither an agent nor an attempt is spent on what no code can mend (resolution S21). */
function needsPerson({ ci }: Snapshot): Decision | null {
  const person = ci.failure?.person ?? null;
  if (person === null) return null;
  const reason = `CI failed for a reason outside the code. ${JSON.stringify(person.name)} says: ${person.line}`;
  return decide('DONE', 'CI_NEEDS_PERSON', reason);
}

function redOnBase({ ci, policy }: Snapshot): Decision | null {
  if (ci.failure?.redOnBase !== true || policy.fixRedOnBase) return null;
  const reason = 'CI failed, but every failed check also fails on the base branch.';
  return decide('DONE', 'RED_ON_BASE', reason);
}

/** Applies only while an attempt is counted: a fresh start asks for another try. */
function sameFailure({ ci, policy, ratchet }: Snapshot): Decision | null {
  if (ci.failure?.sameAsBefore !== true || !policy.stopOnSameFailure || ratchet.consecutiveAttempts === 0) return null;
  const reason = 'CI failed exactly as it did before the last attempt.';
  return decide('DONE', 'SAME_FAILURE', reason);
}

function ciBroken(snapshot: Snapshot): Decision {
  return fix(snapshot, {
    action: 'FIX_CI',
    code: 'CI_FAILED',
    means: 'agent',
    what: 'CI failed',
  });
}

/** CI is not red here. What is not known is no finding. */
function qualityFindings(snapshot: Snapshot): Decision | null {
  const found = snapshot.quality?.new ?? 0;
  if (!snapshot.policy.fixEngines || found <= 0) return null;
  return fix(snapshot, {
    action: 'FIX_CI',
    code: 'QUALITY_FINDINGS',
    means: 'agent',
    what: found === 1 ? 'The engines report 1 new finding' : `The engines report ${found} new findings`,
  });
}

function reviewComments(snapshot: Snapshot): Decision | null {
  const { actionable } = snapshot.review;
  if (actionable <= 0) return null;
  const what = actionable === 1 ? '1 review comment is open' : `${actionable} review comments are open`;
  const decision = fix(snapshot, {
    action: 'FIX_REVIEW',
    code: 'REVIEW_COMMENTS',
    means: 'agent',
    what,
  });
  // Only a fixup that would start now is delayed. A hold is reported at once.
  return decision.action === 'FIX_REVIEW' ? (reviewSettling(snapshot, what) ?? decision) : decision;
}

/** Waits for the end of a burst of comments, so that one fixup covers it. */
function reviewSettling(snapshot: Snapshot, what: string): Decision | null {
  const at = settlesAt(snapshot);
  if (at === null || snapshot.now >= at) return null;
  const quiet = toDurationText(snapshot.policy.reviewQuietSeconds);
  const reason = `${what}. Ratchet starts when the newest is ${quiet} old, in case more follow.`;
  return decide('WAIT', 'REVIEW_SETTLING', reason);
}

/** Waits for what a person has to approve, once nothing else is left to do. */
function ciBlocked(snapshot: Snapshot): Decision | null {
  return snapshot.ci.status === 'blocked' ? waitForApproval(snapshot) : null;
}
