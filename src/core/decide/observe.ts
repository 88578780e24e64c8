import type { Asked } from '../model/ask.ts';
import type { EpochMs, Sha } from '../model/ids.ts';
import type { Actor, PullRequestFacts } from '../model/pull-request.ts';
import type { CiStatus } from '../model/snapshot.ts';
import type { TakenBack, Workspace, WorkspacePatch } from '../model/workspace.ts';
import { findFlakes, keepFlakes } from './find-flakes.ts';
import type { PushOrigin } from './push-origin.ts';

/** News that a read of GitHub brought to the workspace. */
export type Observation =
  | { readonly kind: 'head_first_seen'; readonly headSha: Sha }
  /** Our own push is the head now. */
  | { readonly kind: 'own_push_seen'; readonly headSha: Sha }
  /** GitHub updated the branch to its base on our request. This is no push from outside (resolution S10). */
  | { readonly kind: 'own_update_seen'; readonly headSha: Sha }
  /**
   * A person who may write pushed. Clears attempts, stale wait and stop (002.R18; resolutions S10, S17), unless the stop is
   * `DECLINED`.
   */
  | { readonly kind: 'outside_push_seen'; readonly headSha: Sha; readonly by: Actor }
  /** Anybody else pushed: the head is another one, and nothing else changes. */
  | { readonly kind: 'machine_push_seen'; readonly headSha: Sha; readonly told: 'machine' | 'unknown' | 'not_asked' }
  /** A person reverted a commit of Ratchet (resolution S19). */
  | { readonly kind: 'taken_back'; readonly headSha: Sha; readonly takenBack: TakenBack }
  /** What the reverted commit was to fix is not wrong any more. */
  | { readonly kind: 'taken_back_over'; readonly headSha: Sha }
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

/** What was found out about pushes from outside. null: nobody had to ask. */
export interface PushObservation {
  readonly origin: PushOrigin | null;
  readonly takenBack: TakenBack | null;
}

export type ObservedFacts = Pick<
  PullRequestFacts,
  'headSha' | 'headRef' | 'fork' | 'baseRef' | 'baseSha' | 'headParents' | 'merge' | 'checks'
>;

type Known = Workspace & Asked;

interface Observed {
  readonly patch: WorkspacePatch;
  readonly observations: readonly Observation[];
}

const NOTHING: Observed = { patch: {}, observations: [] };

/** How long Ratchet asks who pushed, if GitHub does not tell. */
const MAX_OPEN_MS = 10 * 60_000;
/** How long after a branch update a read may still show the old head. Later, it means that someone reverted the update. */
const REPLICA_LAG_MS = 60_000;

/**
 * Bookkeeping between a read of GitHub and the decision. Returns the workspace patch to apply before the decision, and the
 * observations for the transition log. Only this function changes `seenHeadSha` and `settledHeadSha`, which tell our pushes from
 * others.
 */
export function observe(
  workspace: Known,
  facts: ObservedFacts,
  ci: CiObservation,
  pushed: PushObservation = { origin: null, takenBack: null },
): Observed {
  const head = observeHead(workspace, facts, ci, pushed);
  const takenBack = observeTakenBack(workspace, facts, ci, pushed.takenBack);
  const pickedUp = observePickUp(workspace, facts.headSha, ci);
  const flakes = observeFlakes(workspace, facts, ci);
  const patch: WorkspacePatch = {
    headRef: facts.fork ? null : facts.headRef,
    baseRef: facts.baseRef,
    ciEverSeen: workspace.ciEverSeen || ci.ciRunId !== null,
    ...head.patch,
    ...takenBack.patch,
    ...pickedUp.patch,
    ...flakes.patch,
    ...(facts.merge === 'unknown' ? {} : { seenMerge: facts.merge }),
  };
  const parts = [head, takenBack, pickedUp, flakes];
  return { patch, observations: parts.flatMap(({ observations }) => observations) };
}

/**
 * From where GitHub has to tell who pushed; null if nobody has to ask. Ratchet knows its own pushes, and a push renews nothing
 * while nothing was spent.
 */
export function findUntoldPush(
  workspace: Known,
  { headSha }: Pick<ObservedFacts, 'headSha'>,
  now: EpochMs,
): { readonly fromSha: Sha } | null {
  const { openPush, settledHeadSha, lastPushSha } = workspace;
  if (openPush !== null && now - openPush.at < MAX_OPEN_MS) return { fromSha: openPush.fromSha };
  if (settledHeadSha === null || headSha === settledHeadSha || headSha === lastPushSha) return null;
  return isSpent(workspace) ? { fromSha: settledHeadSha } : null;
}

/** Whether a person's push would renew or revert something. */
function isSpent({ consecutiveAttempts, stop, lastPushSha, rerun, branchUpdate }: Known): boolean {
  return consecutiveAttempts > 0 || [stop, lastPushSha, rerun, branchUpdate].some((spent) => spent !== null);
}

function observeHead(workspace: Known, facts: ObservedFacts, ci: CiObservation, { origin }: PushObservation): Observed {
  const { headSha } = facts;
  const isMoved = origin !== null && origin.kind !== 'unknown';
  if (headSha !== workspace.settledHeadSha && !isMoved) {
    if (isOldHead(workspace, ci.ciRunId) || isBeforeUpdate(workspace, headSha, ci.now)) return NOTHING;
  }
  const seen = headSha === workspace.seenHeadSha ? {} : toNewHead(headSha, ci.now);
  const { patch, observations } = observeBranch(workspace, facts, ci, origin);
  return { patch: { ...seen, ...patch }, observations };
}

/** The head as news for the state that all pull requests of the branch share. */
function observeBranch(workspace: Known, facts: ObservedFacts, ci: CiObservation, origin: PushOrigin | null): Observed {
  const { headSha } = facts;
  const { settledHeadSha, openPush } = workspace;
  if (headSha === settledHeadSha) {
    return openPush === null ? NOTHING : observePush(workspace, headSha, ci.now, origin);
  }
  const settled = { settledHeadSha: headSha };
  if (headSha === workspace.lastPushSha) {
    return { patch: settled, observations: [{ kind: 'own_push_seen', headSha }] };
  }
  if (settledHeadSha === null) return { patch: settled, observations: [{ kind: 'head_first_seen', headSha }] };
  // Asks are kept, seen or not: at most one update per base SHA (trap 65).
  const update = findOwnUpdate(workspace, facts);
  if (update !== null) {
    const patch = { ...settled, ...toAwaited(headSha, update.ciRunId, ci.now) };
    return { patch, observations: [{ kind: 'own_update_seen', headSha }] };
  }
  const { patch, observations } = observePush(workspace, headSha, ci.now, origin);
  return { patch: { ...settled, ...patch }, observations };
}

/** A push from outside, or what GitHub tells later about one. */
function observePush(workspace: Known, headSha: Sha, now: EpochMs, origin: PushOrigin | null): Observed {
  const isNew = headSha !== workspace.settledHeadSha;
  if (origin?.kind === 'person') {
    // A DECLINED stop is about comments. The decision checks whether it still applies.
    const stop = workspace.stop?.code === 'DECLINED' ? workspace.stop : null;
    const renewed = { consecutiveAttempts: 0, lastCiRunId: null, staleCiSince: null, stop, openPush: null };
    return {
      patch: { ...renewed, freshStarts: workspace.freshStarts + 1 },
      observations: [{ kind: 'outside_push_seen', headSha, by: origin.by }],
    };
  }
  const openPush = toOpenPush(workspace, origin, now);
  const observations = [{ kind: 'machine_push_seen', headSha, told: origin?.kind ?? 'not_asked' }] as const;
  if (!isNew) return { patch: { openPush }, observations: [] };
  // CI has the usual time to start on the new head.
  return { patch: { openPush, staleCiSince: workspace.staleCiSince === null ? null : now }, observations };
}

/** Asked again at the next looks, for a limited time. */
function toOpenPush(
  { openPush, settledHeadSha }: Known,
  origin: PushOrigin | null,
  now: EpochMs,
): Workspace['openPush'] {
  if (origin?.kind === 'machine') return null;
  if (openPush !== null) return now - openPush.at < MAX_OPEN_MS ? openPush : null;
  return origin === null || settledHeadSha === null ? null : { fromSha: settledHeadSha, at: now };
}

/** A revert that was just found, or the end of an earlier one: its cause is gone. Comments are judged by the decision. */
function observeTakenBack(
  workspace: Known,
  { headSha, merge }: ObservedFacts,
  { ciStatus }: CiObservation,
  found: TakenBack | null,
): Observed {
  if (found !== null) {
    return { patch: { takenBack: found }, observations: [{ kind: 'taken_back', headSha, takenBack: found }] };
  }
  const known = workspace.takenBack;
  if (known === null || isBeforeUndo(workspace, known, headSha)) return NOTHING;
  const isOver =
    (known.action === 'FIX_CI' && ciStatus === 'success') ||
    (known.action === 'FIX_MERGE_CONFLICT' && merge === 'clean');
  return isOver ? { patch: { takenBack: null }, observations: [{ kind: 'taken_back_over', headSha }] } : NOTHING;
}

/** An undo is known before its head is read: what a lagging replica still shows is the fixup, and says nothing about its cause. */
function isBeforeUndo({ settledHeadSha, lastPushSha }: Known, undo: TakenBack, headSha: Sha): boolean {
  return lastPushSha === undo.headSha && settledHeadSha !== undo.headSha && headSha === settledHeadSha;
}

/** A new head resets the waits of a pull request and clears its findings at the old head. */
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
 * After our push was seen, a read with the CI result from before the push shows the old head: a replica of GitHub lags (fault
 * F15), unless GitHub tells who moved the branch back.
 */
function isOldHead({ settledHeadSha, lastPushSha, lastCiRunId }: Workspace, ciRunId: string | null): boolean {
  return ciRunId !== null && ciRunId === lastCiRunId && settledHeadSha !== null && settledHeadSha === lastPushSha;
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
  { branchUpdate, settledHeadSha }: Known,
  { headParents, baseSha }: ObservedFacts,
): Asked['branchUpdate'] {
  if (branchUpdate === null || branchUpdate.headSha !== settledHeadSha || headParents.length !== 2) return null;
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
