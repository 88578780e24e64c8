import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import type { Fixup, SessionOutcome } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { settleSession } from '../../core/sessions/settle-session.ts';
import type { Deps } from '../deps.ts';
import type { Look } from '../look/take-snapshot.ts';
import { toEndTransition } from './end-transition.ts';

/** How long after its deadline a session that nobody runs is left alone. */
const LEFTOVER_GRACE_MS = 60_000;

/**
 * Ends `ratchet` sessions that nobody runs any more (002.R9, R27): past their deadline and not at work in this process. The
 * others are left to their own run, which ends each exactly once.
 */
export function clearWorkspaceRatchetSessions(
  deps: Pick<Deps, 'clock' | 'log' | 'running' | 'store'>,
  workspace: Workspace,
): void {
  const now = deps.clock.now();
  for (const session of deps.store.liveSessions(workspace.key)) {
    if (session.kind !== 'ratchet' || session.fixup === null) continue;
    if (deps.running.isRunning(session.id) || now < session.deadlineAt + LEFTOVER_GRACE_MS) continue;
    // One that still waits for its run gets it; one whose push is planned is settled by its run.
    if (deps.store.openIntents(session.id).length > 0) continue;
    const outcome: SessionOutcome = { kind: 'timed_out', afterMs: now - session.startedAt };
    const fixupSession = { ...session, fixup: session.fixup };
    const patch = settleSession(workspace, session.fixup, outcome, { now, diedBefore: 0 });
    const transition = toEndTransition(fixupSession, outcome, now);
    const wake = { queue: EVALUATE_QUEUE, key: workspace.key, notBefore: null };
    if (!deps.store.endSession(session.id, { outcome, at: now, patch, transition, wake })) continue;
    deps.log.warn({ sessionId: session.id, key: workspace.key }, 'leftover session ended');
  }
}

/**
 * Ends the session at work when the ground that it stands on is gone (resolution S9): closed, or a head that it does not know.
 * One whose push is planned is not stopped by this: it is no longer at work, and its push looks at the ground itself.
 */
export function stopSessionOffGround(deps: Pick<Deps, 'log' | 'running'>, { working, facts }: Look): void {
  if (working === null || working.fixup === null) return;
  const why = toLostGround(facts, working.fixup);
  if (why === null || !deps.running.stop(working.id, why)) return;
  deps.log.info({ sessionId: working.id, key: working.key, why }, 'session stopped');
}

function toLostGround(facts: PullRequestFacts | null, fixup: Fixup): 'closed' | 'head_moved' | null {
  if (facts?.state !== 'open') return 'closed';
  return facts.headSha === fixup.headSha ? null : 'head_moved';
}
