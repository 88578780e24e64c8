import { toError } from '../../core/model/errors.ts';
import { parseSessionId, toRunId } from '../../core/model/ids.ts';
import { FIXUP_QUEUE } from '../../core/model/queues.ts';
import type { FixupSession, SessionOutcome } from '../../core/model/session.ts';
import { leavesNewSituation, toFixupOutcome } from '../../core/runs/fixup-end.ts';
import { isOutage } from '../../core/runs/github-trouble.ts';
import type { RunResult } from '../../ports/queue.ts';
import type { Deps, Lease } from '../deps.ts';
import { endFixup } from '../run/end-fixup.ts';
import { type PlannedEffect, type Run, runToEnd } from '../run/run-to-end.ts';
import { goOn, waitForGitHub } from '../run/wait-for-github.ts';
import { reportRestart } from '../tell/report.ts';
import { tellRestart } from '../tell/tell-restart.ts';
import { carryOutFixup } from './carry-out-fixup.ts';
import { carryOutUndo } from './carry-out-undo.ts';
import { keepGraph } from './keep-steps.ts';
import { finishPush } from './push-change.ts';

/**
 * Runs a fixup session. After a restart it finishes a planned push, and records a fixup that had begun as died. While GitHub is in
 * trouble it throws, and the queue runs it again after a back-off, for as long as it takes.
 */
export async function runFixup(deps: Deps, key: string, lease: Lease): Promise<RunResult> {
  const session = readSession(deps, key);
  if (session === null) return { nextCheckAt: null };
  try {
    await runToEnd(deps, toRun(deps, session, lease), lease);
  } catch (error) {
    if (isOutage(error) && !lease.signal.aborted) await waitForGitHub(deps, session, error);
    await tellInterrupted(deps, session, lease);
    throw error;
  }
  goOn(deps, session);
  return { nextCheckAt: null };
}

function readSession(deps: Pick<Deps, 'store'>, key: string): FixupSession | null {
  const session = deps.store.session(parseSessionId(key));
  if (session === null || session.status === 'ended' || session.fixup === null) return null;
  return { ...session, fixup: session.fixup };
}

function toRun(deps: Deps, session: FixupSession, lease: Lease): Run<SessionOutcome> {
  const { id, key, startedAt, deadlineAt } = session;
  return {
    id: toRunId(id),
    key,
    leased: { queue: FIXUP_QUEUE, key: id },
    limitMs: deadlineAt - startedAt,
    begin: () => beginOnce(deps, session),
    postpone: () => deps.store.reopenLaunch(session.id),
    work: (signal) => carryOut(deps, session, { leaseId: lease.leaseId, signal }),
    planned: () => findPush(deps, session),
    toEnd: (interruption) => toFixupOutcome(interruption, deps.clock.now() - startedAt),
    end: (outcome) => endFixup(deps, session, outcome),
    afterEnd: async (outcome) => {
      if (leavesNewSituation(outcome)) await deps.evaluateQueue.announce(deps.store.branchKeys(key));
      await rememberResolutions(deps, session, outcome, lease.signal);
      if (outcome.kind === 'superseded' && outcome.why === 'shutdown') await tellInterrupted(deps, session, lease);
      await keepGraph(deps, session);
    },
  };
}

async function tellInterrupted(deps: Deps, { id, key }: FixupSession, lease: Lease): Promise<void> {
  const workspace = deps.store.workspace(key);
  if (workspace === null) return;
  const interrupted = { key, leased: { queue: FIXUP_QUEUE, key: id }, lease };
  await tellRestart(deps, interrupted, (signal) => reportRestart(deps, workspace, signal));
}

function carryOut(deps: Deps, session: FixupSession, lease: Lease): Promise<SessionOutcome | null> {
  const { undo } = session.fixup;
  return undo === undefined ? carryOutFixup(deps, session, lease) : carryOutUndo(deps, { session, undo }, lease);
}

function beginOnce({ clock, store }: Pick<Deps, 'clock' | 'store'>, { id }: FixupSession): boolean {
  const launch = store.openIntents(id).find(({ effect }) => effect.kind === 'launch');
  return launch !== undefined && store.settleIntent(launch.id, 'started', clock.now());
}

function findPush(deps: Deps, session: FixupSession): PlannedEffect<SessionOutcome> | null {
  for (const { effect: push, createdAt: plannedAt } of deps.store.openIntents(session.id)) {
    if (push.kind !== 'push') continue;
    return (isResumed, signal) => finishPush(deps, session, { push, plannedAt, isResumed }, signal);
  }
  return null;
}

/** Records an agent's conflict resolution (rerere) after the push, while the mirror still has the commit. Logs failures. */
async function rememberResolutions(
  { git, log, store }: Pick<Deps, 'git' | 'log' | 'store'>,
  { id, key, fixup }: FixupSession,
  outcome: SessionOutcome,
  signal: AbortSignal,
): Promise<void> {
  if (outcome.kind !== 'pushed' || fixup.action !== 'FIX_MERGE_CONFLICT' || outcome.madeBy !== 'agent') return;
  try {
    const repositoryId = store.workspace(key)?.repository.repositoryId;
    const mirror = repositoryId === undefined ? null : await git.openMirror(repositoryId);
    if (mirror === null) return;
    const merge = { ours: fixup.headSha, theirs: fixup.baseSha, resolved: outcome.commitSha };
    await git.rememberResolutions(mirror, merge, signal);
  } catch (error) {
    log.warn({ sessionId: id, error: toError(error) }, 'resolutions were not remembered');
  }
}
