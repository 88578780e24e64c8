import { InvariantError } from '../../core/model/errors.ts';
import { type EpochMs, type PullRequestKey, toRunId } from '../../core/model/ids.ts';
import type { AgentUse } from '../../core/model/model-use.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import { type FixupSession, REMEMBERED_SESSIONS, type SessionOutcome } from '../../core/model/session.ts';
import { describeOutcome, leavesNewSituation } from '../../core/runs/fixup-end.ts';
import { countEarlier } from '../../core/sessions/count-earlier.ts';
import { settleSession } from '../../core/sessions/settle-session.ts';
import { describeUndo } from '../../core/sessions/undo-words.ts';
import type { AnswerEffect, NewTransition } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';

/** Delay after a fixup that ended without any change of the situation. Prevents a hot loop while GitHub lags. */
const RELAUNCH_PAUSE_MS = 3_000;

/**
 * Ends a fixup exactly once. Stores its outcome, the patch of the workspace, its transition, the replies owed to reviewers, and
 * the wake-up of the pull request, in one transaction. False if it had already ended.
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
  keepLostUse(deps, session, now);
  const before = countEarlier(deps.store.endedSessions(key, REMEMBERED_SESSIONS), fixup, workspace.askedAt);
  const answer = toAnswer(outcome);
  const isFirst = deps.store.endSession(id, {
    outcome,
    at: now,
    patch: settleSession(workspace, fixup, outcome, { now, before }),
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
      ...toUseFields(deps.store.session(id)?.agentUse ?? null),
    },
    'fixup completed',
  );
  return true;
}

/** An agent whose process died with ours has left nothing but its calls in the ledger. */
function keepLostUse({ store }: Pick<Deps, 'store'>, { id, fixup, startedAt }: FixupSession, now: EpochMs): void {
  if (store.session(id)?.agentUse !== null) return;
  const { calls, tokens, microUsd } = store.spent({ scope: 'fixup', sessionId: id });
  if (calls === 0) return;
  const used = { calls, tokens, microUsd, durationMs: now - startedAt };
  store.saveAgentUse(id, { agent: fixup.agent, version: null, model: null, ...used });
}

/** What the agent used, for the log. Empty if none ran. */
function toUseFields(use: AgentUse | null): Readonly<Record<string, unknown>> {
  if (use === null) return {};
  const { agent, version, model, calls, tokens, microUsd, durationMs: agentMs } = use;
  return { agent, version, model, calls, tokens, usd: microUsd / 1_000_000, agentMs };
}

/** The transition for the end of a session: a break, unless it pushed (002.R23). */
function toEndTransition({ key, fixup }: FixupSession, outcome: SessionOutcome, createdAt: EpochMs): NewTransition {
  const action = outcome.kind === 'pushed' ? 'SESSION_ENDED' : 'BREAK';
  const code = outcome.kind === 'rejected' ? outcome.code : outcome.kind.toUpperCase();
  const reason = fixup.undo === undefined ? describeOutcome(outcome) : describeUndo(fixup.undo, outcome);
  return { key, action, code, reason, snapshot: null, createdAt };
}

/** Replies are stored with the push. A later look posts them, once the head contains the commit. */
function toAnswer(outcome: SessionOutcome): AnswerEffect | null {
  if (outcome.kind !== 'pushed' || outcome.answers.length === 0) return null;
  return { kind: 'answer', commitSha: outcome.commitSha, answers: outcome.answers };
}

/**
 * Ends fixups at their deadline if they are not running in this process (002.R9, R27). All others are ended by their own run.
 * Happens before the look: the end settles the attempts and the stale clock, which the guards read.
 */
export function endLeftoverFixups(deps: Pick<Deps, 'clock' | 'log' | 'running' | 'store'>, key: PullRequestKey): void {
  const now = deps.clock.now();
  for (const session of deps.store.liveOnBranch(key)) {
    const { id, kind, fixup, deadlineAt, startedAt } = session;
    if (kind !== 'ratchet' || fixup === null) continue;
    if (deps.running.isRunning(toRunId(id)) || now < deadlineAt) continue;
    // With an open intent, its run will still start it or settle its push.
    if (deps.store.openIntents(id).length > 0) continue;
    endFixup(deps, { ...session, fixup }, { kind: 'timed_out', afterMs: now - startedAt });
  }
}
