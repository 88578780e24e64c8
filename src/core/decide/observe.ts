import type { Asked } from '../model/ask.ts';
import type { EpochMs, Sha } from '../model/ids.ts';
import type { PullRequestFacts } from '../model/pull-request.ts';
import type { CiStatus } from '../model/snapshot.ts';
import type { Workspace, WorkspacePatch } from '../model/workspace.ts';
import { findFlakes, keepFlakes } from './find-flakes.ts';

/** What a look at GitHub found that the workspace did not know. */
export type Observation =
  | { readonly kind: 'head_first_seen'; readonly headSha: Sha }
  /** Our own push has arrived at the branch. */
  | { readonly kind: 'own_push_seen'; readonly headSha: Sha }
  /** GitHub has updated the branch to its base, as we asked: no push from outside (resolution S10). */
  | { readonly kind: 'own_update_seen'; readonly headSha: Sha }
  /** Somebody else pushed: attempts, stale wait and stop are void (002.R18; resolution S10), but a stop over declined comments. */
  | { readonly kind: 'outside_push_seen'; readonly headSha: Sha; readonly previousHeadSha: Sha }
  /** CI reported on our push for the first time: the stale wait is over (002.R20). */
  | { readonly kind: 'ci_picked_up'; readonly headSha: Sha }
  /** A job that we had run again is green on the commit on which it was red. */
  | { readonly kind: 'flake_seen'; readonly headSha: Sha; readonly name: string };

/** What CI says at the head that was read. */
export interface CiObservation {
  readonly ciRunId: string | null;
  readonly ciStatus: CiStatus;
  /** The red results, as the verdict tells them. */
  readonly failing: readonly { readonly name: string }[];
  readonly now: EpochMs;
}

/** What of a read counts here. */
export type ObservedFacts = Pick<
  PullRequestFacts,
  'headSha' | 'headRef' | 'baseRef' | 'baseSha' | 'headParents' | 'merge' | 'checks'
>;

/** What is remembered of a pull request, with what was asked of GitHub for it. */
type Known = Workspace & Asked;

interface Observed {
  readonly patch: WorkspacePatch;
  readonly observations: readonly Observation[];
}

const NOTHING: Observed = { patch: {}, observations: [] };

/** How long after an update a read may still show the head before it. A person who takes it back later is seen as one. */
const REPLICA_LAG_MS = 60_000;

/**
 * Bookkeeping between a read of GitHub and the decision: the patch to apply first, and what is worth a line in the
 * transition log. Only this function moves `seenHeadSha`, so a push of ours is told from one that came from outside.
 */
export function observe(workspace: Known, facts: ObservedFacts, ci: CiObservation): Observed {
  const head = observeHead(workspace, facts, ci);
  const pickedUp = observePickUp(workspace, facts.headSha, ci);
  const flakes = observeFlakes(workspace, facts, ci);
  const patch: WorkspacePatch = {
    headRef: facts.headRef,
    baseRef: facts.baseRef,
    ciEverSeen: workspace.ciEverSeen || ci.ciRunId !== null,
    ...head.patch,
    ...pickedUp.patch,
    ...flakes.patch,
    ...(facts.merge === 'unknown' ? {} : { seenMerge: facts.merge }),
  };
  return { patch, observations: [...head.observations, ...pickedUp.observations, ...flakes.observations] };
}

function observeHead(workspace: Known, facts: ObservedFacts, ci: CiObservation): Observed {
  const { headSha } = facts;
  const previousHeadSha = workspace.seenHeadSha;
  if (headSha === previousHeadSha || isOldHead(workspace, ci.ciRunId)) return NOTHING;
  if (isBeforeUpdate(workspace, headSha, ci.now)) return NOTHING;
  const seen = toNewHead(headSha, ci.now);
  if (headSha === workspace.lastPushSha) return { patch: seen, observations: [{ kind: 'own_push_seen', headSha }] };
  if (previousHeadSha === null) return { patch: seen, observations: [{ kind: 'head_first_seen', headSha }] };
  // An update that is not seen yet stays open, and one that was made counts for its base: at most one for each (trap 65).
  const update = findOwnUpdate(workspace, facts);
  if (update !== null) {
    const patch = { ...seen, ...toAwaited(headSha, update.ciRunId, ci.now) };
    return { patch, observations: [{ kind: 'own_update_seen', headSha }] };
  }
  // What was declined was about comments: whether the push changes that is for the decision to say.
  const stop = workspace.stop?.code === 'DECLINED' ? workspace.stop : null;
  const freshStarts = workspace.freshStarts + 1;
  return {
    patch: { ...seen, consecutiveAttempts: 0, lastCiRunId: null, staleCiSince: null, stop, freshStarts },
    observations: [{ kind: 'outside_push_seen', headSha, previousHeadSha }],
  };
}

/** With any new head, waits start anew, and what was found at the old one is void. */
function toNewHead(headSha: Sha, now: EpochMs): WorkspacePatch {
  return {
    seenHeadSha: headSha,
    seenHeadAt: now,
    waitingFor: null,
    waitingSince: null,
    diagnosis: null,
    seenMerge: null,
  };
}

/** As after a push of ours: CI has to pick the new head up, and in time (resolutions S5, S11). Where there was no CI, none is awaited. */
function toAwaited(headSha: Sha, ciRunId: string | null, now: EpochMs): WorkspacePatch {
  return { lastPushSha: headSha, lastCiRunId: ciRunId, staleCiSince: ciRunId === null ? null : now };
}

/**
 * After our push was seen, the very CI result that it was made for shows the head before it: a replica of GitHub that lags
 * behind (fault F15), or a person who took the push back. Neither is a new commit; the stale guards wait, then ask a person.
 */
function isOldHead({ seenHeadSha, lastPushSha, lastCiRunId }: Workspace, ciRunId: string | null): boolean {
  return ciRunId !== null && ciRunId === lastCiRunId && seenHeadSha !== null && seenHeadSha === lastPushSha;
}

/** The same lag after an update at a head of which no CI result was known: no guard waits for it, so only for a short while. */
function isBeforeUpdate({ branchUpdate, seenHeadAt }: Known, headSha: Sha, now: EpochMs): boolean {
  return branchUpdate?.headSha === headSha && seenHeadAt !== null && now - seenHeadAt < REPLICA_LAG_MS;
}

/**
 * The update that made this head: exactly the merge that we asked for, of the head that it was asked at, and of the base of
 * then, or of now, for the base may have moved on the way.
 */
function findOwnUpdate(
  { branchUpdate, seenHeadSha }: Known,
  { headParents, baseSha }: ObservedFacts,
): Asked['branchUpdate'] {
  if (branchUpdate === null || branchUpdate.headSha !== seenHeadSha || headParents.length !== 2) return null;
  const [first, second] = headParents;
  const isMerge = first === branchUpdate.headSha && (second === branchUpdate.baseSha || second === baseSha);
  return isMerge ? branchUpdate : null;
}

/** Before our push, a re-run at the old head changes the identity too: that is not the result that is waited for. */
function observePickUp(workspace: Workspace, headSha: Sha, ci: CiObservation): Observed {
  if (workspace.staleCiSince === null || headSha !== workspace.lastPushSha) return NOTHING;
  if (ci.ciStatus === 'none' || ci.ciRunId === null || ci.ciRunId === workspace.lastCiRunId) return NOTHING;
  return { patch: { staleCiSince: null }, observations: [{ kind: 'ci_picked_up', headSha }] };
}

function observeFlakes(workspace: Known, facts: ObservedFacts, ci: CiObservation): Observed {
  const found = findFlakes(workspace, facts, ci);
  if (found.length === 0) return NOTHING;
  return {
    patch: { flakes: keepFlakes(found, workspace.flakes) },
    observations: found.map(({ name, headSha }) => ({ kind: 'flake_seen', headSha, name })),
  };
}
