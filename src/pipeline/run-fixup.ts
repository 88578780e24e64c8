import { CodedError, InvariantError } from '../core/model/errors.ts';
import { parseSessionId } from '../core/model/ids.ts';
import type { SessionOutcome, SupersededBy } from '../core/model/session.ts';
import { settleSession } from '../core/sessions/settle-session.ts';
import type { RunResult } from '../ports/queue.ts';
import type { PushEffect } from '../ports/store.ts';
import { attemptFixup } from './attempt-fixup.ts';
import { type Deps, EVALUATE_QUEUE, FIXUP_QUEUE, type Lease } from './deps.ts';
import { describeOutcome, toEndTransition } from './end-transition.ts';
import type { FixupSession } from './fixup-session.ts';
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
  const push = openPush(deps, session);
  if (push === null) throw new InvariantError(`session ${session.id} planned no push and has no outcome`);
  return finishPush(deps, session, { push, isResumed }, lease.signal);
}

function openPush(deps: Pick<Deps, 'store'>, session: FixupSession): PushEffect | null {
  for (const { effect } of deps.store.openIntents(session.id)) {
    if (effect.kind === 'push') return effect;
  }
  return null;
}

/** The session's outcome when it ended without a push; null when a push is planned. */
async function reachPush(deps: Deps, session: FixupSession, lease: Lease): Promise<SessionOutcome | null> {
  const launch = deps.store.openIntents(session.id).find((intent) => intent.effect.kind === 'launch');
  if (launch === undefined || !deps.store.settleIntent(launch.id, 'started', deps.clock.now())) {
    return { kind: 'died', detail: 'The process that ran it ended in the middle.' };
  }
  const running = deps.running.open(session.id);
  // From now on, not from the launch: the time in the queue is not the fixup's.
  const deadline = deps.newDeadline(session.deadlineAt - session.startedAt);
  const signal = AbortSignal.any([lease.signal, running.signal, deadline]);
  try {
    const outcome = await attemptFixup(deps, session, { leaseId: lease.leaseId, signal });
    return signal.aborted && outcome !== null ? toInterrupted(outcome) : outcome;
  } catch (error) {
    deps.log.warn({ sessionId: session.id, error: toError(error) }, 'fixup interrupted');
    return toInterrupted({ kind: 'died', detail: toDetail(error) });
  } finally {
    running.close();
  }

  function toInterrupted(otherwise: SessionOutcome): SessionOutcome {
    const stoppedBy = running.stoppedBy();
    if (stoppedBy !== null) return { kind: 'superseded', why: stoppedBy, detail: describeStop(stoppedBy) };
    if (lease.signal.aborted) return { kind: 'superseded', why: 'shutdown', detail: describeStop('shutdown') };
    if (deadline.aborted) return { kind: 'timed_out', afterMs: deps.clock.now() - session.startedAt };
    return otherwise;
  }
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
  if (!deps.store.endSession(session.id, { outcome, at: now, patch, transition, wake })) return;
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

function describeStop(why: SupersededBy): string {
  switch (why) {
    case 'head_moved':
      return 'Somebody pushed to the branch while the fixup ran.';
    case 'closed':
      return 'The pull request was closed while the fixup ran.';
    case 'disabled':
      return 'Ratchet was disabled while the fixup ran.';
    case 'permission':
      return 'Permission was withdrawn while the fixup ran.';
    case 'stopped':
      return 'The fixup was stopped.';
    case 'cause_gone':
      return 'CI is not red any more.';
    case 'shutdown':
      return 'The service was shut down while the fixup ran; it will be taken up again.';
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** What may be told of an error: its code and nothing that could hold a secret or a path. */
function toDetail(error: unknown): string {
  if (error instanceof CodedError) return `${error.name} (${error.code}).`;
  return 'An unexpected error of Ratchet itself; the log has it.';
}
