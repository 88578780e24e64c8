import { InvariantError } from '../../core/model/errors.ts';
import { type EpochMs, type PullRequestKey, toRunId } from '../../core/model/ids.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import type { FixupSession, SessionOutcome } from '../../core/model/session.ts';
import { describeOutcome, leavesNewSituation } from '../../core/runs/fixup-end.ts';
import { settleSession } from '../../core/sessions/settle-session.ts';
import type { AnswerEffect, NewTransition } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';

/** After a fixup that came to nothing by no fault of its own: a lagging GitHub must not be answered by a hot loop. */
const RELAUNCH_PAUSE_MS = 3_000;
const LOOKED_BACK = 10;
/** How long after its deadline a session that nobody runs is left alone. */
const LEFTOVER_GRACE_MS = 60_000;

/**
 * Ends a fixup exactly once, in one transaction: its outcome, what it changes in the workspace, its line in the transition log, what
 * is owed to reviewers, and the wake-up of its pull request. False where it had ended before.
 */
export function endFixup(
  deps: Pick<Deps, 'clock' | 'log' | 'store'>,
  session: FixupSession,
  outcome: SessionOutcome,
): boolean {
  const { id, key, fixup } = session;
  const workspace = deps.store.workspace(key);
  if (workspace === null) throw new InvariantError(`session ${id} has no workspace`);
  const now = deps.clock.now();
  const diedBefore = deps.store
    .endedSessions(key, LOOKED_BACK)
    .filter((ended) => ended.fixup?.causeKey === fixup.causeKey && ended.outcome?.kind === 'died').length;
  const answer = toAnswer(outcome);
  const isFirst = deps.store.endSession(id, {
    outcome,
    at: now,
    patch: settleSession(workspace, fixup, outcome, { now, diedBefore }),
    transition: toEndTransition(session, outcome, now),
    wake: { queue: EVALUATE_QUEUE, key, notBefore: leavesNewSituation(outcome) ? null : now + RELAUNCH_PAUSE_MS },
    ...(answer === null ? {} : { answer }),
  });
  if (!isFirst) return false;
  deps.log.info(
    {
      sessionId: id,
      key,
      durationMs: now - session.startedAt,
      pushed: outcome.kind === 'pushed',
      exitReason: outcome.kind === 'rejected' ? outcome.code : outcome.kind,
      detail: describeOutcome(outcome),
    },
    'fixup completed',
  );
  return true;
}

/** The line of the transition log with which a session ends: a break, unless it pushed (002.R23). */
function toEndTransition({ key }: FixupSession, outcome: SessionOutcome, createdAt: EpochMs): NewTransition {
  const action = outcome.kind === 'pushed' ? 'SESSION_ENDED' : 'BREAK';
  const code = outcome.kind === 'rejected' ? outcome.code : outcome.kind.toUpperCase();
  return { key, action, code, reason: describeOutcome(outcome), snapshot: null, createdAt };
}

/** What is owed to the reviewers is stored with the push: a look makes it once the commit is part of the head. */
function toAnswer(outcome: SessionOutcome): AnswerEffect | null {
  if (outcome.kind !== 'pushed' || outcome.answers.length === 0) return null;
  return { kind: 'answer', commitSha: outcome.commitSha, answers: outcome.answers };
}

/**
 * Ends fixups that nobody runs any more (002.R9, R27): past their deadline and not running in this process. The others are left to
 * their own run, which ends each exactly once.
 */
export function endLeftoverFixups(deps: Pick<Deps, 'clock' | 'log' | 'running' | 'store'>, key: PullRequestKey): void {
  const now = deps.clock.now();
  for (const session of deps.store.liveSessions(key)) {
    const { id, kind, fixup, deadlineAt, startedAt } = session;
    if (kind !== 'ratchet' || fixup === null) continue;
    if (deps.running.isRunning(toRunId(id)) || now < deadlineAt + LEFTOVER_GRACE_MS) continue;
    // One that still waits for its run gets it; one whose push is planned is settled by its run.
    if (deps.store.openIntents(id).length > 0) continue;
    endFixup(deps, { ...session, fixup }, { kind: 'timed_out', afterMs: now - startedAt });
  }
}
