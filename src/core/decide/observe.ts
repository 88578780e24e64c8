import type { Asked } from '../model/ask.ts';
import type { EpochMs, Sha } from '../model/ids.ts';
import type { PullRequestFacts } from '../model/pull-request.ts';
import type { CiStatus } from '../model/snapshot.ts';
import type { Workspace, WorkspacePatch } from '../model/workspace.ts';
import { findFlakes, keepFlakes } from './find-flakes.ts';

/** News that a read of GitHub brought to the workspace. */
export type Observation =
  | { readonly kind: 'head_first_seen'; readonly headSha: Sha }
  /** Our own push is the head now. */
  | { readonly kind: 'own_push_seen'; readonly headSha: Sha }
  /** GitHub updated the branch to its base on our request. This is no push from outside (resolution S10). */
  | { readonly kind: 'own_update_seen'; readonly headSha: Sha }
  /** Someone else pushed. Clears attempts, stale wait and stop (002.R18; resolution S10), unless the stop is `DECLINED`. */
  | { readonly kind: 'outside_push_seen'; readonly headSha: Sha; readonly previousHeadSha: Sha }
  /** CI reported on our push for the first time. This ends the stale wait (002.R20). */
  | { readonly kind: 'ci_picked_up'; readonly headSha: Sha }
  /** A re-run on our request was green on the same commit. */
  | { readonly kind: 'flake_seen'; readonly headSha: Sha; readonly name: string };

/** The CI verdict of the head that was read. */
export interface CiObservation {
  readonly ciRunId: string | null;
  readonly ciStatus: CiStatus;
  /** The red results of the verdict. */
  readonly failing: readonly { readonly name: string }[];
  readonly now: EpochMs;
}

export type ObservedFacts = Pick<
  PullRequestFacts,
  'headSha' | 'headRef' | 'baseRef' | 'baseSha' | 'headParents' | 'merge' | 'checks'
>;

type Known = Workspace & Asked;

interface Observed {
  readonly patch: WorkspacePatch;
  readonly observations: readonly Observation[];
}

const NOTHING: Observed = { patch: {}, observations: [] };

/** How long after a branch update a read may still show the old head. Later, it means that someone reverted the update. */
const REPLICA_LAG_MS = 60_000;

/**
 * Bookkeeping between a read of GitHub and the decision. Returns the workspace patch to apply before the decision, and the
 * observations for the transition log. Only this function changes `seenHeadSha`, which tells our pushes from others.
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
  // Asks are kept, seen or not: at most one update per base SHA (trap 65).
  const update = findOwnUpdate(workspace, facts);
  if (update !== null) {
    const patch = { ...seen, ...toAwaited(headSha, update.ciRunId, ci.now) };
    return { patch, observations: [{ kind: 'own_update_seen', headSha }] };
  }
  // A DECLINED stop is about comments. The decision checks whether it still applies.
  const stop = workspace.stop?.code === 'DECLINED' ? workspace.stop : null;
  const freshStarts = workspace.freshStarts + 1;
  return {
    patch: { ...seen, consecutiveAttempts: 0, lastCiRunId: null, staleCiSince: null, stop, freshStarts },
    observations: [{ kind: 'outside_push_seen', headSha, previousHeadSha }],
  };
}

/** A new head resets the waits and clears the findings at the old head. */
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

/** As after our push: CI must start on the new head in time (resolutions S5, S11). Without CI before, none is awaited. */
function toAwaited(headSha: Sha, ciRunId: string | null, now: EpochMs): WorkspacePatch {
  return { lastPushSha: headSha, lastCiRunId: ciRunId, staleCiSince: ciRunId === null ? null : now };
}

/**
 * After our push was seen, a read with the CI result from before the push shows the old head. Either a replica of GitHub lags
 * (fault F15) or someone reverted the push. Neither is a new commit: the stale guards wait, then ask a person.
 */
function isOldHead({ seenHeadSha, lastPushSha, lastCiRunId }: Workspace, ciRunId: string | null): boolean {
  return ciRunId !== null && ciRunId === lastCiRunId && seenHeadSha !== null && seenHeadSha === lastPushSha;
}

/** The same lag after a branch update. No guard bounds the wait if the old head had no CI result, so it is short. */
function isBeforeUpdate({ branchUpdate, seenHeadAt }: Known, headSha: Sha, now: EpochMs): boolean {
  return branchUpdate?.headSha === headSha && seenHeadAt !== null && now - seenHeadAt < REPLICA_LAG_MS;
}

/**
 * The requested update that made this head, or null. The head must be a merge whose parents are the head at the request and the
 * base, either at the request or now: the base may have moved in between.
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

/** Counts results of our push only: a re-run at the old head changes the CI run id too. */
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
