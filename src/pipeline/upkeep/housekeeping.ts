import { FLAKE_MEMORY_MS } from '../../core/ci/known-flakes.ts';
import { type EpochMs, toRunId } from '../../core/model/ids.ts';
import { toStartOfLastMonth } from '../../core/spend/scope-key.ts';
import type { Store } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';
import { tidyPlanRuns } from '../execution/tidy-plan-runs.ts';
import { repeat } from './repeat.ts';

const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;
/** 002.R24. */
const TRANSITIONS_KEPT_MS = 7 * DAY_MS;
/** GitHub redelivers for three days. Duplicates must be recognised for longer than that. */
const DELIVERIES_KEPT_MS = 7 * DAY_MS;
/** Changes that wait for a person. Each protects its mirror from eviction. */
const HELD_KEPT_MS = 30 * DAY_MS;
const ARTIFACTS_KEPT_MS = 14 * DAY_MS;
/** One pull request can leave so much, and all together. The oldest artifacts go first. */
const ARTIFACT_LIMITS = { maxBytesEach: 256 * 1024 * 1024, maxBytes: 4 * 1024 * 1024 * 1024 };
/** Ended engine runs, and stored results that were not used since. */
const QUALITY_KEPT_MS = 30 * DAY_MS;
/** Settled commands, ended sessions and settled intents. */
const SETTLED_KEPT_MS = 30 * DAY_MS;
/** Pull requests that are closed or not enabled, and that no event named since. */
const WORKSPACES_KEPT_MS = 90 * DAY_MS;
/** So few that nobody waits for them; the event loop has a turn in between. */
const ROWS_AT_ONCE = 500;
const PAGES_AT_ONCE = 500;
/** 256 MiB in an hour. */
const MAX_PAGES = 65_536;
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
  const rows = await prune(deps.store, now, signal);
  const quality = deps.store.pruneQuality(now - QUALITY_KEPT_MS);
  const plans = tidyPlanRuns(deps.store, now);
  const live = [...deps.store.allLiveSessions().map(({ id }) => toRunId(id)), ...deps.store.runningQualityRuns()];
  const held = deps.store.heldSessions(now - HELD_KEPT_MS).map(toRunId);
  await deps.git.sweep({ live, held }, signal);
  await deps.files.sweep({ before: now - ARTIFACTS_KEPT_MS, ...ARTIFACT_LIMITS }, (id) => deps.store.ownerOf(id));
  await deps.sites.sweep();
  const pages = await shrink(deps.store, signal);
  deps.log.info({ rows, quality, plans, pages, liveRuns: live.length }, 'housekeeping done');
}

/** Returns about how many rows were deleted. */
async function prune({ prune: pruneSome }: Pick<Store, 'prune'>, now: EpochMs, signal: AbortSignal): Promise<number> {
  const before = {
    transitions: now - TRANSITIONS_KEPT_MS,
    deliveries: now - DELIVERIES_KEPT_MS,
    commands: now - SETTLED_KEPT_MS,
    sessions: now - SETTLED_KEPT_MS,
    workspaces: now - WORKSPACES_KEPT_MS,
    flakes: now - FLAKE_MEMORY_MS,
    spend: toStartOfLastMonth(now),
  };
  return inTurns(ROWS_AT_ONCE, Number.POSITIVE_INFINITY, signal, () => pruneSome(before, ROWS_AT_ONCE));
}

/** Returns how many pages the database file lost. */
async function shrink({ shrink: shrinkBy }: Pick<Store, 'shrink'>, signal: AbortSignal): Promise<number> {
  return inTurns(PAGES_AT_ONCE, MAX_PAGES, signal, () => shrinkBy(PAGES_AT_ONCE));
}

/** Repeats `step`, each time in a later turn of the event loop, until it does less than `size`. Returns the sum. */
async function inTurns(size: number, max: number, signal: AbortSignal, step: () => number): Promise<number> {
  let sum = 0;
  for (;;) {
    const done = step();
    sum += done;
    if (done < size || sum >= max) return sum;
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
}
