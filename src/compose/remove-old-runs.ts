import type { PlanState } from './plan-state.ts';

const DAY_MS = 24 * 60 * 60_000;
/** So many runs, and so long, can be undone and resumed. */
const KEPT_RUNS = 50;
const KEPT_MS = 30 * DAY_MS;
const KEPT_ROWS_MS = 90 * DAY_MS;
const PRUNED_AT_ONCE = 100;

/** Archives and removes what is older than the bounds. A run that a process holds is left alone. */
export async function removeOldRuns({
  store,
  runs,
  holdRun,
}: Pick<PlanState, 'store' | 'runs' | 'holdRun'>): Promise<void> {
  const now = Date.now();
  await store.onceWritable(() => {
    store.archivePlanRuns(now - KEPT_MS);
    store.prunePlanRuns(now - KEPT_ROWS_MS, now, PRUNED_AT_ONCE);
  }, PRUNE_WAIT_MS);
  const found = await runs.list();
  const old = found.filter(({ usedAt }, index) => index >= KEPT_RUNS || usedAt < now - KEPT_MS);
  for (const { runId } of old.slice(0, PRUNED_AT_ONCE)) {
    const lock = holdRun(runId);
    if (lock === null) continue;
    try {
      await runs.remove(runId);
    } finally {
      lock.release();
    }
  }
}

/** Another process may write just now. */
const PRUNE_WAIT_MS = 10_000;
