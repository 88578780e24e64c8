import type { EpochMs } from '../model/ids.ts';
import type { ListProgress } from '../model/list-progress.ts';

/** GitHub redelivers what it sent in the last three days. */
export const REDELIVERY_WINDOW_MS = 3 * 24 * 60 * 60_000;
/** Deliveries may be listed later than those sent after them: GitHub records one when it has ended. */
export const LIST_OVERLAP_MS = 10 * 60_000;
/** With doubled waits the last try is two days after the first, if there are five minutes between two passes. */
export const MAX_TRIES = 10;
/** Pages of the list in one pass, of a hundred deliveries each. */
export const MAX_PAGES = 20;
/** Redeliveries in one pass. GitHub wants a second between two writes. */
export const MAX_REDELIVERIES = 100;

/**
 * What to ask for first. A lost comment, button or label is a lost command; a lost pull request is one that nobody knows.
 * All else is found by the next timed look.
 */
const FIRST = ['issue_comment', 'pull_request_review_comment', 'check_run', 'pull_request', 'pull_request_review'];
/** These carry only a command if they have this action; most of them say that a check ended. */
const FIRST_ACTIONS: Readonly<Record<string, readonly string[]>> = { check_run: ['requested_action', 'rerequested'] };

/** The order of redeliveries: the lower, the sooner. */
export function toUrgency(eventName: string, action: string | null): number {
  const rank = FIRST.indexOf(eventName);
  const actions = FIRST_ACTIONS[eventName];
  const isFirst = rank !== -1 && (actions === undefined || (action !== null && actions.includes(action)));
  return isFirst ? rank : FIRST.length;
}

/** When a delivery may be requested again after `tries` requests: each wait is twice as long as the one before. */
export function toNextTryAt(now: EpochMs, tries: number, intervalMs: number): EpochMs {
  return now + intervalMs * 2 ** Math.max(tries - 1, 0);
}

/** Where a pass begins to read, and the time at which it may stop. */
export interface ListPass {
  readonly cursor: string | null;
  readonly stopAt: EpochMs;
}

/** Plans a pass over the list, which is newest first. An unfinished pass goes on where it stopped. */
export function planPass(progress: ListProgress | null, now: EpochMs): ListPass {
  const oldest = now - REDELIVERY_WINDOW_MS;
  if (progress === null) return { cursor: null, stopAt: oldest };
  return { cursor: progress.open?.cursor ?? null, stopAt: Math.max(progress.readUntil - LIST_OVERLAP_MS, oldest) };
}

/** The progress after a pass that began at `startedAt` and ended at `cursor`; null: it reached its end. */
export function toProgress(progress: ListProgress | null, startedAt: EpochMs, cursor: string | null): ListProgress {
  const readsUntil = progress?.open?.readsUntil ?? startedAt;
  if (cursor === null) return { readUntil: readsUntil, open: null };
  return { readUntil: progress?.readUntil ?? startedAt - REDELIVERY_WINDOW_MS, open: { cursor, readsUntil } };
}
