import { InvariantError, toError } from '../../core/model/errors.ts';
import { type EpochMs, parseSessionId } from '../../core/model/ids.ts';
import { EVALUATE_QUEUE, FIXUP_QUEUE } from '../../core/model/queues.ts';
import type { FixupSession, SessionOutcome } from '../../core/model/session.ts';
import { settleSession } from '../../core/sessions/settle-session.ts';
import type { RunResult } from '../../ports/queue.ts';
import type { AnswerEffect, PushEffect } from '../../ports/store.ts';
import type { Deps, Lease } from '../deps.ts';
import { describeOutcome, toEndTransition } from '../run/end-transition.ts';
import { waitForCompletion } from '../run/wait-for-completion.ts';
import { attemptFixup } from './attempt-fixup.ts';
import { finishPush } from './push-change.ts';

/** After a fixup that came to nothing by no fault of its own: a lagging GitHub must not be answered by a hot loop. */
const RELAUNCH_PAUSE_MS = 3_000;
const NOTHING_MORE: RunResult = { nextCheckAt: null };

/**
 * The flow of one fixup job: take up the session where it stands, reach its outcome, record it exactly once, wake the pull
 * request. A restart runs it again: an open push is finished, a fixup that had started is recorded as died.
 */
export async function runFixup(deps: Deps, key: string, lease: Lease): Promise<RunResult> {
  const session = readSession(deps, key);
  if (session === null) return NOTHING_MORE;
  const outcome = await reachOutcome(deps, session, lease);
  assertLease(deps, session, lease);
  endSession(deps, session, outcome);
  if (isSettled(outcome)) await deps.evaluateQueue.announce([session.key]);
  await rememberResolutions(deps, session, outcome, lease.signal);
  await removeTraces(deps, session);
  return NOTHING_MORE;
}

function readSession(deps: Pick<Deps, 'store'>, key: string): FixupSession | null {
  const session = deps.store.session(parseSessionId(key));
  if (session === null || session.status === 'ended' || session.fixup === null) return null;
  return { ...session, fixup: session.fixup };
}

/**
 * Before the push intent everything may be given up, and whatever goes wrong becomes an outcome. After it only GitHub knows
 * whether the push arrived: an error there is thrown, the session stays open, and the queue brings it back here.
 */
async function reachOutcome(deps: Deps, session: FixupSession, lease: Lease): Promise<SessionOutcome> {
  const isResumed = openPush(deps, session) !== null;
  if (!isResumed) {
    const ended = await reachPush(deps, session, lease);
    if (ended !== null) return ended;
  }
  const planned = openPush(deps, session);
  if (planned === null) throw new InvariantError(`session ${session.id} planned no push and has no outcome`);
  return finishPush(deps, session, { ...planned, isResumed }, lease.signal);
}

function openPush(
  deps: Pick<Deps, 'store'>,
  session: FixupSession,
): { readonly push: PushEffect; readonly plannedAt: EpochMs } | null {
  for (const { effect, createdAt } of deps.store.openIntents(session.id)) {
    if (effect.kind === 'push') return { push: effect, plannedAt: createdAt };
  }
  return null;
}

/** The session's outcome when it ended without a push; null when a push is planned. */
async function reachPush(deps: Deps, session: FixupSession, lease: Lease): Promise<SessionOutcome | null> {
  const launch = deps.store.openIntents(session.id).find((intent) => intent.effect.kind === 'launch');
  if (launch === undefined || !deps.store.settleIntent(launch.id, 'started', deps.clock.now())) {
    return { kind: 'died', detail: 'The process that ran it ended in the middle.' };
  }
  return waitForCompletion(deps, session, lease.signal, (signal) =>
    attemptFixup(deps, session, { leaseId: lease.leaseId, signal }),
  );
}

/** A run that lost its lease is a zombie: another one has taken over, and nothing that this one knows may be written. */
function assertLease(deps: Pick<Deps, 'store'>, session: FixupSession, lease: Lease): void {
  if (deps.store.holdsLease(FIXUP_QUEUE, session.id, lease.leaseId)) return;
  throw new InvariantError(`session ${session.id} is run by another process now`);
}

function endSession(deps: Pick<Deps, 'store' | 'clock' | 'log'>, session: FixupSession, outcome: SessionOutcome): void {
  const workspace = deps.store.workspace(session.key);
  if (workspace === null) throw new InvariantError(`session ${session.id} has no workspace`);
  const now = deps.clock.now();
  const diedBefore = deps.store
    .endedSessions(session.key, 10)
    .filter((ended) => ended.fixup?.causeKey === session.fixup.causeKey && ended.outcome?.kind === 'died').length;
  const patch = settleSession(workspace, session.fixup, outcome, { now, diedBefore });
  const transition = toEndTransition(session, outcome, now);
  const notBefore = isSettled(outcome) ? null : now + RELAUNCH_PAUSE_MS;
  const wake = { queue: EVALUATE_QUEUE, key: session.key, notBefore };
  const answer = toAnswer(outcome);
  const end = { outcome, at: now, patch, transition, wake, ...(answer === null ? {} : { answer }) };
  if (!deps.store.endSession(session.id, end)) return;
  deps.log.info(
    {
      sessionId: session.id,
      key: session.key,
      durationMs: now - session.startedAt,
      pushed: outcome.kind === 'pushed',
      exitReason: outcome.kind === 'rejected' ? outcome.code : outcome.kind,
      detail: describeOutcome(outcome),
    },
    'fixup completed',
  );
}

/** What is owed to the reviewers is stored with the push: a look makes it once the commit is part of the head. */
function toAnswer(outcome: SessionOutcome): AnswerEffect | null {
  if (outcome.kind !== 'pushed' || outcome.answers.length === 0) return null;
  return { kind: 'answer', commitSha: outcome.commitSha, answers: outcome.answers };
}

/** How an agent resolved a conflict is remembered once the push has arrived; the mirror holds the commit until traces go. */
async function rememberResolutions(
  deps: Pick<Deps, 'git' | 'store' | 'log'>,
  { id, key, fixup }: FixupSession,
  outcome: SessionOutcome,
  signal: AbortSignal,
): Promise<void> {
  if (outcome.kind !== 'pushed' || fixup.action !== 'FIX_MERGE_CONFLICT' || outcome.madeBy !== 'agent') return;
  try {
    const repositoryId = deps.store.workspace(key)?.repository.repositoryId;
    const mirror = repositoryId === undefined ? null : await deps.git.openMirror(repositoryId);
    if (mirror === null) return;
    const merge = { ours: fixup.headSha, theirs: fixup.baseSha, resolved: outcome.commitSha };
    await deps.git.rememberResolutions(mirror, merge, signal);
  } catch (error) {
    deps.log.warn({ sessionId: id, error: toError(error) }, 'resolutions were not remembered');
  }
}

async function removeTraces(deps: Pick<Deps, 'git' | 'store' | 'log'>, session: FixupSession): Promise<void> {
  const workspace = deps.store.workspace(session.key);
  if (workspace === null) return;
  try {
    await deps.git.removeSession(session.id, workspace.repository.repositoryId);
  } catch (error) {
    deps.log.warn({ sessionId: session.id, error: toError(error) }, 'workspace left for the sweep');
  }
}

/** Whether the next look may follow at once: it finds another situation than the one that this fixup was launched in. */
function isSettled(outcome: SessionOutcome): boolean {
  if (outcome.kind === 'superseded') return outcome.why === 'permission';
  return outcome.kind !== 'died';
}
