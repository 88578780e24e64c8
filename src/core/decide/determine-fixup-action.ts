import type { Decision, DecisionCode, FixupAction } from '../model/decision.ts';
import type { EpochMs } from '../model/ids.ts';
import type { FixupKind } from '../model/session.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { toCountText, toDurationText } from './decision-texts.ts';

/** Answers with a decision when it applies, else hands on to the next one. */
type Guard = (snapshot: Snapshot) => Decision | null;

/** What there is to fix, named in a reason. */
interface Problem {
  readonly action: FixupKind;
  readonly code: DecisionCode;
  readonly what: string;
}

/** The guards in the order of 002.R13; the first that answers decides. The numbers are those of the document. */
const GUARDS: readonly Guard[] = [
  workingSession, //      0
  noPullRequest, //       1
  pullRequestNotOpen, //  2
  forkNotSupported, //    told at once: nothing that is waited for could change it
  ciRunning, //           3
  ciBlocked,
  staleCiRun, //          4, 5
  disabled, //            7 (6, the clean-up, is the caller's)
  policyInvalid, //       a hold: nothing may be launched, whatever else is true
  mergeUnknown,
  mergeConflict, //       8, 9
  ciFailed, //           10, 11
  reviewComments, //     12, 13
];

/**
 * The one action that this iteration takes (002.R12, R13; resolution S12). Total and pure: a stored snapshot gives the same
 * decision again. A merge state `behind` counts as clean.
 */
export function determineFixupAction(snapshot: Snapshot): Decision {
  for (const guard of GUARDS) {
    const decision = guard(snapshot);
    if (decision !== null) return decision;
  }
  return allGreen(snapshot); // 14
}

function decide(action: FixupAction, code: DecisionCode, reason: string): Decision {
  return { action, code, reason };
}

function workingSession({ workingSession: isWorking }: Snapshot): Decision | null {
  if (!isWorking) return null;
  return decide('WAIT', 'WORKING_SESSION', 'A session is at work on this pull request; nothing is started beside it.');
}

function noPullRequest({ pullRequest }: Snapshot): Decision | null {
  if (pullRequest !== null) return null;
  return decide('DONE', 'NO_PR', 'There is no such pull request (any more).');
}

function pullRequestNotOpen({ pullRequest }: Snapshot): Decision | null {
  if (pullRequest === null || pullRequest.state === 'open') return null;
  return decide('DONE', 'PR_NOT_OPEN', `The pull request is ${pullRequest.state}.`);
}

function ciRunning(snapshot: Snapshot): Decision | null {
  if (snapshot.ci.status !== 'pending' || isConflictWithoutRun(snapshot) || isPickUpAwaited(snapshot)) return null;
  const limitSeconds = snapshot.policy.ciTimeoutSeconds;
  const limit = toDurationText(limitSeconds);
  if (hasWaited(snapshot, 'CI_RUNNING', limitSeconds)) {
    return decide('DONE', 'CI_TIMEOUT', `CI has not finished within ${limit}; a person has to look at it.`);
  }
  const what = snapshot.ci.runId === null ? 'No CI result was seen yet' : 'CI is running';
  return decide('WAIT', 'CI_RUNNING', `${what}; Ratchet waits for it, at most ${limit}.`);
}

function ciBlocked(snapshot: Snapshot): Decision | null {
  if (snapshot.ci.status !== 'blocked') return null;
  const limitSeconds = snapshot.policy.ciTimeoutSeconds;
  const limit = toDurationText(limitSeconds);
  if (hasWaited(snapshot, 'CI_BLOCKED', limitSeconds)) {
    return decide('DONE', 'CI_TIMEOUT', `Nobody has approved the CI run within ${limit}; a person has to look at it.`);
  }
  return decide('WAIT', 'CI_BLOCKED', `A CI run waits for the approval of a person, at most ${limit}.`);
}

/** Guards 4 and 5: after a fixup of ours, only a result of the new head ends the wait (resolution S5). */
function staleCiRun(snapshot: Snapshot): Decision | null {
  if (!isCiStale(snapshot) || isConflictWithoutRun(snapshot)) return null;
  const limitSeconds = snapshot.policy.staleCiTimeoutSeconds;
  const limit = toDurationText(limitSeconds);
  if (hasElapsed(snapshot, staleSince(snapshot), limitSeconds)) {
    return decide(
      'DONE',
      'STALE_CI_TIMEOUT',
      `CI did not start within ${limit} of the last fixup; a person has to look at it.`,
    );
  }
  return decide(
    'WAIT',
    'STALE_CI_RUN',
    `CI has not picked up the last fixup yet; Ratchet waits for it, at most ${limit}.`,
  );
}

function disabled({ ratchet }: Snapshot): Decision | null {
  if (ratchet.enabled) return null;
  return decide('CLEANUP_ONLY', 'DISABLED', 'Ratchet is disabled on this pull request.');
}

function forkNotSupported({ pullRequest, ratchet }: Snapshot): Decision | null {
  if (pullRequest?.fork !== true || !ratchet.enabled) return null;
  return decide(
    'CLEANUP_ONLY',
    'FORK_NOT_SUPPORTED',
    'The pull request comes from a fork; Ratchet runs no code of forks.',
  );
}

function policyInvalid({ policyErrors }: Snapshot): Decision | null {
  const [first] = policyErrors;
  if (first === undefined) return null;
  const count = toCountText(policyErrors.length, 'problem');
  return decide(
    'CLEANUP_ONLY',
    'POLICY_INVALID',
    `The policy file on the base branch has ${count}; the first: ${first}`,
  );
}

function mergeUnknown(snapshot: Snapshot): Decision | null {
  if (snapshot.merge !== 'unknown') return null;
  const limitSeconds = snapshot.policy.mergeTimeoutSeconds;
  const limit = toDurationText(limitSeconds);
  if (hasWaited(snapshot, 'MERGE_UNKNOWN', limitSeconds)) {
    const reason = `GitHub has not told within ${limit} whether the pull request merges cleanly; a person has to look at it.`;
    return decide('DONE', 'MERGE_UNKNOWN_TIMEOUT', reason);
  }
  const reason = `GitHub has not told yet whether the pull request merges cleanly; Ratchet asks again, at most for ${limit}.`;
  return decide('WAIT', 'MERGE_UNKNOWN', reason);
}

function mergeConflict(snapshot: Snapshot): Decision | null {
  if (snapshot.merge !== 'conflict') return null;
  return fix(snapshot, {
    action: 'FIX_MERGE_CONFLICT',
    code: 'MERGE_CONFLICT',
    what: 'The pull request conflicts with its base branch',
  });
}

function ciFailed(snapshot: Snapshot): Decision | null {
  if (snapshot.ci.status !== 'failure') return null;
  return fix(snapshot, { action: 'FIX_CI', code: 'CI_FAILED', what: 'CI failed' });
}

function reviewComments(snapshot: Snapshot): Decision | null {
  const { actionable } = snapshot.review;
  if (actionable <= 0) return null;
  const what = actionable === 1 ? '1 review comment is open' : `${actionable} review comments are open`;
  return fix(snapshot, { action: 'FIX_REVIEW', code: 'REVIEW_COMMENTS', what });
}

function allGreen({ ci }: Snapshot): Decision {
  const what = ci.status === 'none' ? 'There is no CI' : 'CI is green';
  return decide('DONE', 'ALL_GREEN', `${what}, nothing conflicts and no review comment is open.`);
}

/** The budget comes first: an exhausted pull request says so, whatever else stopped it before (002.R16; resolution S8). */
function fix(snapshot: Snapshot, problem: Problem): Decision {
  const exhausted = budgetExhausted(snapshot, problem);
  if (exhausted !== null) return exhausted;
  const held = pushHeld(snapshot, problem);
  if (held !== null) return held;
  const { consecutiveAttempts, stoppedFor } = snapshot.ratchet;
  if (snapshot.causeKey !== null && snapshot.causeKey === stoppedFor) {
    const reason = `${problem.what}, but Ratchet has stopped at exactly this before and nothing has changed since.`;
    return decide('DONE', 'STOPPED_SAME_CAUSE', reason);
  }
  return decide(
    problem.action,
    problem.code,
    `${problem.what}; attempt ${consecutiveAttempts + 1} of ${snapshot.policy.maxAttempts}.`,
  );
}

function budgetExhausted({ ratchet, policy }: Snapshot, { what }: Problem): Decision | null {
  const { consecutiveAttempts, launchesToday } = ratchet;
  const { maxAttempts, maxLaunchesPerDay } = policy;
  if (consecutiveAttempts >= maxAttempts) {
    const reason = `${what}, and ${consecutiveAttempts} of ${maxAttempts} attempts are used; a person has to take over.`;
    return decide('TERMINAL_FAILED', 'ATTEMPTS_EXHAUSTED', reason);
  }
  if (launchesToday < maxLaunchesPerDay) return null;
  const reason = `${what}, and ${launchesToday} fixups were launched within a day (at most ${maxLaunchesPerDay}); a person has to take over.`;
  return decide('TERMINAL_FAILED', 'LAUNCHES_EXHAUSTED', reason);
}

/** A push could set in motion what nobody reviewed (resolution S16). Where nothing is to be pushed, nothing is held. */
function pushHeld({ pullRequest }: Snapshot, { what }: Problem): Decision | null {
  if (pullRequest?.inMergeQueue === true) {
    const reason = `${what}, but the pull request is in a merge queue; Ratchet never pushes there.`;
    return decide('CLEANUP_ONLY', 'IN_MERGE_QUEUE', reason);
  }
  if (pullRequest?.autoMerge !== true) return null;
  const reason = `${what}, but auto-merge is on: what Ratchet pushes could be merged without a review.`;
  return decide('CLEANUP_ONLY', 'AUTO_MERGE_ON', reason);
}

/** GitHub starts no `pull_request` workflow on a conflicted head: waiting for a run there is waiting for nothing (resolution S2). */
function isConflictWithoutRun({ merge, ci }: Snapshot): boolean {
  return merge === 'conflict' && ci.runId === null && (ci.status === 'none' || ci.status === 'pending');
}

/** After our own push and before any result of the new head: the wait belongs to the stale guards, with their short limit. */
function isPickUpAwaited({ ci, ratchet }: Snapshot): boolean {
  return ci.runId === null && ratchet.lastCiRunId !== null;
}

function isCiStale({ ci, ratchet }: Snapshot): boolean {
  if (ratchet.lastCiRunId === null) return false;
  return ci.status === 'none' || ci.runId === null || ci.runId === ratchet.lastCiRunId;
}

/** A stale wait whose own clock is missing is still bounded: by the time that it has been waited for. */
function staleSince(snapshot: Snapshot): EpochMs | null {
  return snapshot.ratchet.staleCiSince ?? waitedSince(snapshot, 'STALE_CI_RUN');
}

function hasWaited(snapshot: Snapshot, code: DecisionCode, limitSeconds: number): boolean {
  return hasElapsed(snapshot, waitedSince(snapshot, code), limitSeconds);
}

function waitedSince({ ratchet }: Snapshot, code: DecisionCode): EpochMs | null {
  return ratchet.waitingFor === null || ratchet.waitingFor === code ? ratchet.waitingSince : null;
}

/** At exactly the limit it is reached. */
function hasElapsed({ now }: Snapshot, since: EpochMs | null, limitSeconds: number): boolean {
  return since !== null && now - since >= limitSeconds * 1000;
}
