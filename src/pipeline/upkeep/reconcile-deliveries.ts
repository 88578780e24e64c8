import {
  MAX_PAGES,
  MAX_REDELIVERIES,
  MAX_TRIES,
  planPass,
  REDELIVERY_WINDOW_MS,
  toNextTryAt,
  toProgress,
} from '../../core/deliveries/plan-redelivery.ts';
import { GitHubError, toError } from '../../core/model/errors.ts';
import type { SentDelivery } from '../../ports/github.ts';
import type { LostDelivery } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';

type ReconcileDeps = Pick<Deps, 'clock' | 'github' | 'log' | 'store'>;

/** Settings of the reconciler. */
export interface ReconcileSettings {
  /** Time between two passes; also the wait before a delivery is requested for the second time. */
  readonly intervalMs: number;
  /** Whether Ratchet does anything with an event of this name. */
  readonly isUsed: (eventName: string) => boolean;
}

/**
 * Finds deliveries that never arrived, in GitHub's own list, and asks GitHub to send them again: GitHub itself never does. A
 * redelivery comes in by the same door as any other, with the same GUID and signature, so it is stored once at most. One pass reads
 * a bounded number of pages and makes a bounded number of requests; the next one goes on from there, also after a restart.
 */
export async function reconcileDeliveries(
  deps: ReconcileDeps,
  settings: ReconcileSettings,
  signal: AbortSignal,
): Promise<void> {
  try {
    await reconcile(deps, settings, signal);
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    deps.log.warn({ error: toError(error) }, 'lost deliveries are looked for again later');
  }
}

async function reconcile(deps: ReconcileDeps, settings: ReconcileSettings, signal: AbortSignal): Promise<void> {
  const { clock, log, store } = deps;
  const lost = await readList(deps, settings, signal);
  const arrived = store.forgetArrived();
  store.pruneLost(clock.now() - REDELIVERY_WINDOW_MS);
  const requested = await requestAgain(deps, settings, signal);
  if (lost + arrived + requested > 0) log.info({ lost, arrived, requested }, 'lost deliveries requested again');
}

/** Returns how many lost deliveries were found. */
async function readList(
  { clock, github, store }: ReconcileDeps,
  { isUsed }: ReconcileSettings,
  signal: AbortSignal,
): Promise<number> {
  const startedAt = clock.now();
  const progress = store.listProgress();
  const { cursor: first, stopAt } = planPass(progress, startedAt);
  const isLost = ({ isReceived, eventName, sentAt }: SentDelivery): boolean =>
    !isReceived && sentAt >= stopAt && isUsed(eventName);
  let cursor = first;
  let found = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { deliveries, next } = await readPage(github, cursor, signal);
    found += store.noteLost(deliveries.filter(isLost), startedAt);
    const isEnd = next === null || deliveries.some(({ sentAt }) => sentAt < stopAt);
    cursor = isEnd ? null : next;
    store.saveListProgress(toProgress(progress, startedAt, cursor));
    if (isEnd) break;
  }
  return found;
}

/** Where GitHub no longer knows a stored cursor, the list is read from its start. */
async function readPage(
  github: ReconcileDeps['github'],
  cursor: string | null,
  signal: AbortSignal,
): ReturnType<typeof github.readSentDeliveries> {
  try {
    return await github.readSentDeliveries(cursor, signal);
  } catch (error) {
    const isUnknown = error instanceof GitHubError && (error.code === 'INVALID' || error.code === 'NOT_FOUND');
    if (cursor === null || !isUnknown) throw error;
    return github.readSentDeliveries(null, signal);
  }
}

/** Returns how many were requested. */
async function requestAgain(
  deps: ReconcileDeps,
  { intervalMs }: ReconcileSettings,
  signal: AbortSignal,
): Promise<number> {
  const { clock, store } = deps;
  const begun = clock.now();
  let requested = 0;
  for (const lost of store.dueLost(begun, MAX_REDELIVERIES)) {
    // The next pass may find a more urgent one.
    if (clock.now() - begun >= intervalMs) break;
    requested += 1;
    // Stored before the request: one that fails counts, or a delivery could be requested for ever.
    const tries = lost.tries + 1;
    const isLast = tries >= MAX_TRIES;
    store.noteTry(lost.guid, tries, isLast ? Number.MAX_SAFE_INTEGER : toNextTryAt(clock.now(), tries, intervalMs));
    await requestOne(deps, lost, isLast, signal);
  }
  return requested;
}

async function requestOne(
  { github, log, store }: ReconcileDeps,
  { guid, sentId, eventName, tries }: LostDelivery,
  isLast: boolean,
  signal: AbortSignal,
): Promise<void> {
  const answer = await github.redeliver(sentId, signal);
  if (answer.kind === 'asked' && !isLast) return;
  if (answer.kind === 'refused') store.noteTry(guid, tries + 1, Number.MAX_SAFE_INTEGER);
  const why = answer.kind === 'refused' ? answer.why : 'it did not arrive after any redelivery';
  log.error({ deliveryId: guid, eventName, tries: tries + 1, why }, 'a lost delivery is given up');
}
