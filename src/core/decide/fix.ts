import type { Decision, DecisionCode, Means } from '../model/decision.ts';
import type { FixupKind } from '../model/session.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { decide } from './guard.ts';

/** What there is to fix, and by what. */
export interface Problem {
  readonly action: FixupKind;
  readonly code: DecisionCode;
  readonly means: Means;
  /** The beginning of a reason: `CI failed`. */
  readonly what: string;
  /** What Ratchet does about it, after "Ratchet would": `start a fixup`. */
  readonly would: string;
  /** The policy leaves this kind of problem to people. */
  readonly isLeftToPeople: boolean;
}

/** Keeps a fix from being made; null: it does not. */
type Hold = (snapshot: Snapshot, problem: Problem) => Decision | null;

/** A fixup costs an attempt, a session and a push. The strongest hold comes first: an exhausted budget says so, whatever else is true. */
const FIXUP_HOLDS: readonly Hold[] = [
  paused,
  draftHeld,
  attemptsExhausted,
  launchesExhausted,
  inMergeQueue,
  autoMergeOn,
  pushForbidden,
  observeOnly,
  stoppedSameCause,
];

/**
 * What holds each means (resolutions S7, S16). The free ones cost no attempt, and a re-run pushes nothing. A stop holds all of
 * them: who said stop wants no re-run either, and an equal cause launches nothing (resolution S8).
 */
const HOLDS: Readonly<Record<Means, readonly Hold[]>> = {
  rerun: [paused, draftHeld, observeOnly, stoppedSameCause],
  'update-branch': [paused, draftHeld, autoMergeOn, pushForbidden, observeOnly, suggestOnly, stoppedSameCause],
  agent: FIXUP_HOLDS,
};

/** The fix, or what holds it. A hold speaks only where something would be done: what is green, or waits, is told as that. */
export function fix(snapshot: Snapshot, problem: Problem): Decision {
  for (const hold of HOLDS[problem.means]) {
    const held = hold(snapshot, problem);
    if (held !== null) return held;
  }
  const { action, code, means, what } = problem;
  return { action, code, reason: `${what}; ${toPlan(snapshot, means)}.`, means };
}

function toPlan({ ratchet, policy }: Snapshot, means: Means): string {
  if (means === 'rerun') return 'the failed checks are run again, once and without an attempt';
  if (means === 'update-branch') return 'GitHub is asked to update it, once and without an attempt';
  return `attempt ${ratchet.consecutiveAttempts + 1} of ${policy.maxAttempts}`;
}

function paused({ pullRequest, ratchet }: Snapshot, { what }: Problem): Decision | null {
  if (ratchet.paused) return decide('CLEANUP_ONLY', 'PAUSED', `${what}, but Ratchet is paused on this pull request.`);
  if (pullRequest?.holdLabel !== true) return null;
  return decide('CLEANUP_ONLY', 'PAUSED', `${what}, but a label holds Ratchet on this pull request.`);
}

/** A draft by itself changes nothing (resolution S9); a policy may hold it. */
function draftHeld({ pullRequest, policy }: Snapshot, { what }: Problem): Decision | null {
  if (pullRequest?.draft !== true || !policy.holdDrafts) return null;
  const reason = `${what}, but the pull request is a draft, and the policy leaves drafts alone.`;
  return decide('CLEANUP_ONLY', 'DRAFT_HELD', reason);
}

function attemptsExhausted({ ratchet, policy }: Snapshot, { what }: Problem): Decision | null {
  const { consecutiveAttempts } = ratchet;
  const { maxAttempts } = policy;
  if (consecutiveAttempts < maxAttempts) return null;
  const reason = `${what}, and ${consecutiveAttempts} of ${maxAttempts} attempts are used; a person has to take over.`;
  return decide('TERMINAL_FAILED', 'ATTEMPTS_EXHAUSTED', reason);
}

function launchesExhausted({ ratchet, policy }: Snapshot, { what }: Problem): Decision | null {
  const { launchesToday } = ratchet;
  const { maxLaunchesPerDay } = policy;
  if (launchesToday < maxLaunchesPerDay) return null;
  const reason = `${what}, and ${launchesToday} fixups were launched within a day (at most ${maxLaunchesPerDay}); a person has to take over.`;
  return decide('TERMINAL_FAILED', 'LAUNCHES_EXHAUSTED', reason);
}

function inMergeQueue({ pullRequest }: Snapshot, { what }: Problem): Decision | null {
  if (pullRequest?.inMergeQueue !== true) return null;
  const reason = `${what}, but the pull request is in a merge queue; Ratchet never pushes there.`;
  return decide('CLEANUP_ONLY', 'IN_MERGE_QUEUE', reason);
}

/** A push could set in motion what nobody reviewed (resolution S16): not where it dismisses the approvals, or auto-merge is turned off first. */
function autoMergeOn({ pullRequest, policy }: Snapshot, { what }: Problem): Decision | null {
  if (pullRequest?.autoMerge !== true || !pullRequest.approvalsSurvive || policy.disarmAutoMerge) return null;
  const reason = `${what}, but auto-merge is on: what Ratchet pushes could be merged without a review.`;
  return decide('CLEANUP_ONLY', 'AUTO_MERGE_ON', reason);
}

function pushForbidden({ pullRequest }: Snapshot, { what }: Problem): Decision | null {
  const why = pullRequest?.pushForbidden ?? null;
  if (why === null) return null;
  return decide('CLEANUP_ONLY', 'PUSH_FORBIDDEN', `${what}, but the branch takes no push of Ratchet's: ${why}`);
}

function observeOnly({ policy }: Snapshot, { what, would, isLeftToPeople }: Problem): Decision | null {
  if (policy.mode === 'observe') {
    return decide('CLEANUP_ONLY', 'OBSERVE_ONLY', `${what}; Ratchet would ${would}, but its policy is to observe.`);
  }
  if (!isLeftToPeople) return null;
  return decide('CLEANUP_ONLY', 'OBSERVE_ONLY', `${what}; the policy leaves that to a person.`);
}

/** A fixup of this mode ends as a patch; an update has none, so that nothing is left of it but the push. */
function suggestOnly({ policy }: Snapshot, { what, would }: Problem): Decision | null {
  if (policy.mode !== 'suggest') return null;
  return decide('CLEANUP_ONLY', 'OBSERVE_ONLY', `${what}; Ratchet would ${would}, but its policy is to push nothing.`);
}

function stoppedSameCause({ causeKey, ratchet }: Snapshot, { what }: Problem): Decision | null {
  if (causeKey === null || causeKey !== ratchet.stoppedFor) return null;
  const reason = `${what}, but Ratchet has stopped at exactly this before and nothing has changed since.`;
  return decide('DONE', 'STOPPED_SAME_CAUSE', reason);
}
