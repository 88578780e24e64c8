import type { Decision } from '../model/decision.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { toDurationText, toNamesText } from '../text/words.ts';
import { hasElapsed, hasWaited, staleSince } from './clocks.ts';
import { decide, type Guard } from './guard.ts';
import { findFork } from './holds.ts';

/** Waits for CI. */
const CI_GUARDS: readonly Guard[] = [
  // Before 3: the wait may be for a name that nothing has.
  { codes: ['CI_REQUIRED_MISSING', 'CI_TIMEOUT'], find: requiredMissing },
  { codes: ['CI_RUNNING', 'CI_TIMEOUT'], find: ciRunning }, //          3
  { codes: ['CI_BLOCKED', 'CI_TIMEOUT'], find: ciUnapproved }, //       traps 11 and 12
  { codes: ['STALE_CI_RUN', 'STALE_CI_TIMEOUT'], find: staleCiRun }, // 4, 5
];

/** Guards 0 to 5 of 002.R13, in order. They wait or end the loop, and never act. */
export const MONITORING_GUARDS: readonly Guard[] = [
  { codes: ['WORKING_SESSION'], find: workingSession }, //       0
  { codes: ['NO_PR'], find: noPullRequest }, //                  1
  { codes: ['PR_NOT_OPEN'], find: pullRequestNotOpen }, //       2
  { codes: ['FORK_NOT_SUPPORTED'], find: forkNotSupported }, //  before any wait: no wait could change it
  ...CI_GUARDS.map(toldAfterConflict),
];

/** A conflict waits for the end of CI, as 002.R13 orders, but people hear of it at once. */
function toldAfterConflict({ codes, find }: Guard): Guard {
  return {
    codes,
    find: (snapshot) => {
      const decision = find(snapshot);
      if (decision === null || snapshot.merge !== 'conflict') return decision;
      return { ...decision, reason: `The pull request conflicts with its base branch. ${decision.reason}` };
    },
  };
}

function workingSession({ workingSession: isWorking, sessionBeside }: Snapshot): Decision | null {
  if (!isWorking) return null;
  const where = sessionBeside === null ? 'this pull request' : `#${sessionBeside}, which has the same branch`;
  return decide('WAIT', 'WORKING_SESSION', `A session is working on ${where}. Ratchet starts nothing else meanwhile.`);
}

function noPullRequest({ pullRequest }: Snapshot): Decision | null {
  if (pullRequest !== null) return null;
  return decide('DONE', 'NO_PR', 'The pull request does not exist, or no longer exists.');
}

function pullRequestNotOpen({ pullRequest }: Snapshot): Decision | null {
  if (pullRequest === null || pullRequest.state === 'open') return null;
  return decide('DONE', 'PR_NOT_OPEN', `The pull request is ${pullRequest.state}.`);
}

/** If Ratchet is disabled, only DISABLED is reported. */
function forkNotSupported(snapshot: Snapshot): Decision | null {
  return snapshot.ratchet.enabled ? findFork(snapshot) : null;
}

function ciRunning(snapshot: Snapshot): Decision | null {
  if (snapshot.ci.status !== 'pending' || isConflictAtRest(snapshot) || isPickUpAwaited(snapshot)) return null;
  const limitSeconds = snapshot.policy.ciTimeoutSeconds;
  const limit = toDurationText(limitSeconds);
  if (hasWaited(snapshot, 'CI_RUNNING', limitSeconds)) {
    return decide('DONE', 'CI_TIMEOUT', `CI has not finished within ${limit}.`);
  }
  const what = snapshot.ci.runId === null ? 'There is no CI result yet.' : 'CI is running.';
  return decide('WAIT', 'CI_RUNNING', what);
}

/** A wait like any other, but a person has to know of it: nothing runs, and another name has reported. */
function requiredMissing(snapshot: Snapshot): Decision | null {
  const { missing, running } = snapshot.ci;
  const [found] = missing.flatMap(({ name, near }) => (near === null ? [] : [{ name, near }]));
  if (found === undefined || running !== false || isConflictAtRest(snapshot) || isPickUpAwaited(snapshot)) return null;
  const limitSeconds = snapshot.policy.ciTimeoutSeconds;
  const limit = toDurationText(limitSeconds);
  const what = `The required check ${toNamesText([found.name])} has no result, but ${toNamesText([found.near])} has one`;
  if (hasWaited(snapshot, 'CI_REQUIRED_MISSING', limitSeconds)) {
    return decide('DONE', 'CI_TIMEOUT', `${what}. It did not report within ${limit}.`);
  }
  return decide('WAIT', 'CI_REQUIRED_MISSING', `${what}.`);
}

/** Code whose workflows nobody approved does not run here either. */
function ciUnapproved(snapshot: Snapshot): Decision | null {
  return snapshot.ci.status === 'blocked' && snapshot.ci.unapproved ? waitForApproval(snapshot) : null;
}

/** The wait for a person who approves a CI run. */
export function waitForApproval(snapshot: Snapshot): Decision {
  const limitSeconds = snapshot.policy.ciTimeoutSeconds;
  const limit = toDurationText(limitSeconds);
  if (hasWaited(snapshot, 'CI_BLOCKED', limitSeconds)) {
    return decide('DONE', 'CI_TIMEOUT', `Nobody has approved the CI run within ${limit}.`);
  }
  return decide('WAIT', 'CI_BLOCKED', 'A CI run is waiting for approval.');
}

/** Guards 4 and 5: after our push or requested branch update, only a CI result of the new head ends the wait (resolution S5). */
function staleCiRun(snapshot: Snapshot): Decision | null {
  if (!isCiStale(snapshot) || isConflictWithoutResult(snapshot)) return null;
  const limitSeconds = snapshot.policy.staleCiTimeoutSeconds;
  const limit = toDurationText(limitSeconds);
  if (hasElapsed(snapshot, staleSince(snapshot), limitSeconds)) {
    return decide('DONE', 'STALE_CI_TIMEOUT', `CI did not start within ${limit} of Ratchet's last push.`);
  }
  return decide('WAIT', 'STALE_CI_RUN', "CI has not started on Ratchet's last push yet.");
}

/**
 * GitHub starts no `pull_request` workflow on a conflicted head. If nothing runs there, missing results never come, so there is
 * nothing to wait for (resolution S2, trap 86).
 */
function isConflictAtRest({ merge, ci }: Snapshot): boolean {
  return merge === 'conflict' && !(ci.running ?? ci.runId !== null);
}

/** A conflicted head without any CI result has no stale one. */
function isConflictWithoutResult(snapshot: Snapshot): boolean {
  const { runId, status } = snapshot.ci;
  return isConflictAtRest(snapshot) && runId === null && (status === 'none' || status === 'pending');
}

/** After our push, before any CI result of the new head, the stale guards wait, with their shorter limit. */
function isPickUpAwaited({ ci, ratchet }: Snapshot): boolean {
  return ci.runId === null && (ratchet.lastCiRunId !== null || ratchet.staleCiSince !== null);
}

/** Without a result at the old head, any result of the new one ends the wait; so does the proof that there is no CI. */
function isCiStale({ ci, ratchet }: Snapshot): boolean {
  if (ratchet.lastCiRunId === null) {
    return ratchet.staleCiSince !== null && ci.runId === null && ci.status !== 'none';
  }
  return ci.status === 'none' || ci.runId === null || ci.runId === ratchet.lastCiRunId;
}
