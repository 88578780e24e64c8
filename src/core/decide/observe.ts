import type { EpochMs, Sha } from '../model/ids.ts';
import type { PullRequestFacts } from '../model/pull-request.ts';
import type { CiStatus } from '../model/snapshot.ts';
import type { Workspace, WorkspacePatch } from '../model/workspace.ts';

/** What a look at GitHub found that the workspace did not know. */
export type Observation =
  | { readonly kind: 'head_first_seen'; readonly headSha: Sha }
  /** Our own push has arrived at the branch. */
  | { readonly kind: 'own_push_seen'; readonly headSha: Sha }
  /** Somebody else pushed: attempts, stale wait and stop are void (002.R18; resolution S10). */
  | { readonly kind: 'outside_push_seen'; readonly headSha: Sha; readonly previousHeadSha: Sha }
  /** CI reported on our push for the first time: the stale wait is over (002.R20). */
  | { readonly kind: 'ci_picked_up'; readonly headSha: Sha };

/** What CI says at the head that was read. */
export interface CiObservation {
  readonly ciRunId: string | null;
  readonly ciStatus: CiStatus;
  readonly now: EpochMs;
}

/**
 * Bookkeeping between a read of GitHub and the decision: the patch to apply first, and what is worth a line in the
 * transition log. Only this function moves `seenHeadSha`, so a push of ours is told from one that came from outside.
 */
export function observe(
  workspace: Workspace,
  facts: Pick<PullRequestFacts, 'headSha' | 'headRef' | 'baseRef'>,
  ci: CiObservation,
): { readonly patch: WorkspacePatch; readonly observations: readonly Observation[] } {
  const head = observeHead(workspace, facts.headSha, ci);
  const pickedUp = isPickedUp(workspace, facts.headSha, ci);
  const patch: WorkspacePatch = {
    headRef: facts.headRef,
    baseRef: facts.baseRef,
    ciEverSeen: workspace.ciEverSeen || ci.ciRunId !== null,
    ...head.patch,
    ...(pickedUp ? { staleCiSince: null } : {}),
  };
  const observations: readonly Observation[] = [...head.observations, ...(pickedUp ? [toPickedUp(facts.headSha)] : [])];
  return { patch, observations };
}

function observeHead(
  workspace: Workspace,
  headSha: Sha,
  { now, ciRunId }: CiObservation,
): { readonly patch: WorkspacePatch; readonly observations: readonly Observation[] } {
  const previousHeadSha = workspace.seenHeadSha;
  if (headSha === previousHeadSha || isOldHead(workspace, ciRunId)) return { patch: {}, observations: [] };
  const seen: WorkspacePatch = { seenHeadSha: headSha, seenHeadAt: now, waitingFor: null, waitingSince: null };
  if (headSha === workspace.lastPushSha) return { patch: seen, observations: [{ kind: 'own_push_seen', headSha }] };
  if (previousHeadSha === null) return { patch: seen, observations: [{ kind: 'head_first_seen', headSha }] };
  return {
    patch: { ...seen, consecutiveAttempts: 0, lastCiRunId: null, staleCiSince: null, stop: null },
    observations: [{ kind: 'outside_push_seen', headSha, previousHeadSha }],
  };
}

function toPickedUp(headSha: Sha): Observation {
  return { kind: 'ci_picked_up', headSha };
}

/**
 * After our push was seen, the very CI result that it was made for shows the head before it: a replica of GitHub that lags
 * behind (fault F15), or a person who took the push back. Neither is a new commit; the stale guards wait, then ask a person.
 */
function isOldHead({ seenHeadSha, lastPushSha, lastCiRunId }: Workspace, ciRunId: string | null): boolean {
  return ciRunId !== null && ciRunId === lastCiRunId && seenHeadSha !== null && seenHeadSha === lastPushSha;
}

/** Before our push, a re-run at the old head changes the identity too: that is not the result that is waited for. */
function isPickedUp(workspace: Workspace, headSha: Sha, ci: CiObservation): boolean {
  if (workspace.staleCiSince === null || headSha !== workspace.lastPushSha) return false;
  return ci.ciStatus !== 'none' && ci.ciRunId !== null && ci.ciRunId !== workspace.lastCiRunId;
}
