import type { RunStats, StepResult, StepState } from '../model/plan-run.ts';
import { toCost, toUsd } from './budget.ts';

/** The counts of a run. They add up to the number of results (004.R11, resolution S38). */
export function toRunStats(results: Iterable<StepResult>, durationMs: number): RunStats {
  const counts: Record<StepState, number> = { completed: 0, failed: 0, skipped: 0, rolled_back: 0, rollback_failed: 0 };
  let cost = 0;
  for (const { state, costUsd } of results) {
    counts[state] += 1;
    cost += toCost(costUsd) ?? 0;
  }
  const { completed, failed, skipped } = counts;
  const undone = { rolledBack: counts.rolled_back, rollbackFailed: counts.rollback_failed };
  return { completed, failed, skipped, ...undone, costUsd: toUsd(cost), durationMs };
}
