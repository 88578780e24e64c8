import type { AgentProgress } from '../../core/model/agent-progress.ts';
import { type EpochMs, toRunId } from '../../core/model/ids.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import type { FixupSession } from '../../core/model/session.ts';
import type { Deps } from '../deps.ts';

/** Shortest time between two reports of progress. */
const REPORT_MS = 30_000;

/**
 * Has the pull request report what its agent does, at most every 30 seconds. Only the evaluation of the pull request writes its check
 * run.
 */
export function createProgressReport(
  deps: Pick<Deps, 'clock' | 'running' | 'store'>,
  session: FixupSession,
): (progress: AgentProgress) => void {
  let plannedAt: EpochMs = Number.NEGATIVE_INFINITY;
  return (progress) => {
    deps.running.setProgress(toRunId(session.id), progress);
    const now = deps.clock.now();
    if (plannedAt > now) return;
    plannedAt = Math.max(now, plannedAt + REPORT_MS);
    deps.store.markWakeup(EVALUATE_QUEUE, session.key, plannedAt);
  };
}
