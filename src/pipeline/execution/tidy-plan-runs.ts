import type { EpochMs } from '../../core/model/ids.ts';
import type { PlanRunStore } from '../../ports/plan-run-store.ts';

const DAY_MS = 24 * 60 * 60_000;
/** How long a run that ended is listed. */
const LISTED_MS = 14 * DAY_MS;
/** How long a run is kept. An unfinished one cannot be resumed after that. */
const KEPT_MS = 60 * DAY_MS;
const RUNS_AT_ONCE = 500;

/** Archives runs of plans that ended a while ago, and deletes old ones. Returns how many it deleted: at most 500. */
export function tidyPlanRuns(store: Pick<PlanRunStore, 'archivePlanRuns' | 'prunePlanRuns'>, now: EpochMs): number {
  store.archivePlanRuns(now - LISTED_MS);
  return store.prunePlanRuns(now - KEPT_MS, now, RUNS_AT_ONCE);
}
