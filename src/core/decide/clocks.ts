import type { DecisionCode } from '../model/decision.ts';
import type { EpochMs } from '../model/ids.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** Quiet times that a review which never goes quiet is waited for, all in all. */
const MAX_QUIET_TIMES = 10;

/** Whether `limitSeconds` have passed since then; at exactly the limit they have. A clock that never started has not. */
export function hasElapsed({ now }: Pick<Snapshot, 'now'>, since: EpochMs | null, limitSeconds: number): boolean {
  return since !== null && now >= toDeadline(since, limitSeconds);
}

/** The instant that ends a wait of `limitSeconds` which began at `since`. */
export function toDeadline(since: EpochMs, limitSeconds: number): EpochMs {
  return since + limitSeconds * 1000;
}

/** Since when `code` is waited for; null when it is not, or something else is. */
export function waitedSince({ ratchet }: Pick<Snapshot, 'ratchet'>, code: DecisionCode): EpochMs | null {
  return ratchet.waitingFor === null || ratchet.waitingFor === code ? ratchet.waitingSince : null;
}

/** Whether `code` has been waited for so long. */
export function hasWaited(snapshot: Snapshot, code: DecisionCode, limitSeconds: number): boolean {
  return hasElapsed(snapshot, waitedSince(snapshot, code), limitSeconds);
}

/** When the clock of a stale wait began; one whose own clock is missing is still bounded: by the time that it has been waited for. */
export function staleSince(snapshot: Pick<Snapshot, 'ratchet'>): EpochMs | null {
  return snapshot.ratchet.staleCiSince ?? waitedSince(snapshot, 'STALE_CI_RUN');
}

/**
 * When a review counts as settled: a quiet time after its newest comment, and ten of them after the wait began at the latest, so
 * that comments which never end put nothing off for ever. null: it has no comment whose time is known.
 */
export function settlesAt({ review, ratchet, policy, now }: Snapshot): EpochMs | null {
  if (review.newestAt === null) return null;
  const quietAt = toDeadline(review.newestAt, policy.reviewQuietSeconds);
  const since = waitedSince({ ratchet }, 'REVIEW_SETTLING') ?? now;
  return Math.min(quietAt, toDeadline(since, policy.reviewQuietSeconds * MAX_QUIET_TIMES));
}
