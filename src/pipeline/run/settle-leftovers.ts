import { type PullRequestKey, toRunId } from '../../core/model/ids.ts';
import type { Deps } from '../deps.ts';
import { endFixup } from './end-fixup.ts';

/** How long after its deadline a session that nobody runs is left alone. */
const LEFTOVER_GRACE_MS = 60_000;

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
