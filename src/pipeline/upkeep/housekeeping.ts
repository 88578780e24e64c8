import { toRunId } from '../../core/model/ids.ts';
import type { Deps } from '../deps.ts';
import { repeat } from './repeat.ts';

const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;
/** 002.R24. */
const TRANSITIONS_KEPT_MS = 7 * DAY_MS;
/** GitHub redelivers for three days. Duplicates must be recognised for longer than that. */
const DELIVERIES_KEPT_MS = 7 * DAY_MS;
const ARTIFACTS_KEPT_MS = 14 * DAY_MS;
/** Ended engine runs, and stored results that were not used since. */
const QUALITY_KEPT_MS = 30 * DAY_MS;
const SWEEP_TIMEOUT_MS = 30 * 60_000;

/** Keeps disk usage limited: prunes and sweeps at start, then every hour. */
export function startHousekeeping(deps: Pick<Deps, 'clock' | 'files' | 'git' | 'log' | 'sites' | 'store'>): {
  readonly stop: () => void;
} {
  const work = (signal: AbortSignal): Promise<void> => cleanUp(deps, signal);
  return repeat(deps.log, { everyMs: HOUR_MS, timeoutMs: SWEEP_TIMEOUT_MS, failed: 'housekeeping failed', work });
}

export async function cleanUp(
  deps: Pick<Deps, 'clock' | 'files' | 'git' | 'log' | 'sites' | 'store'>,
  signal: AbortSignal,
): Promise<void> {
  const now = deps.clock.now();
  const transitions = deps.store.pruneTransitions(now - TRANSITIONS_KEPT_MS);
  const deliveries = deps.store.pruneDeliveries(now - DELIVERIES_KEPT_MS);
  const quality = deps.store.pruneQuality(now - QUALITY_KEPT_MS);
  const live = [...deps.store.allLiveSessions().map(({ id }) => toRunId(id)), ...deps.store.runningQualityRuns()];
  await deps.git.sweep(live, signal);
  await deps.files.sweep(now - ARTIFACTS_KEPT_MS);
  await deps.sites.sweep();
  deps.log.info({ transitions, deliveries, quality, liveRuns: live.length }, 'housekeeping done');
}
