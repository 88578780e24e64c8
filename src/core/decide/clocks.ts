import type { DecisionCode } from '../model/decision.ts';
import type { EpochMs } from '../model/ids.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** Longest wait for a review to go quiet, in quiet times of the policy. */
const MAX_QUIET_TIMES = 10;

/** Whether at least `limitSeconds` have passed since `since`; false for null, a clock that never started. */
export function hasElapsed({ now }: Pick<Snapshot, 'now'>, since: EpochMs | null, limitSeconds: number): boolean {
  return since !== null && now >= toDeadline(since, limitSeconds);
}

/** When a wait of `limitSeconds` that began at `since` ends. */
export function toDeadline(since: EpochMs, limitSeconds: number): EpochMs {
  return since + limitSeconds * 1000;
}

/** When the wait for `code` began; null if there is no wait, or it is for something else. */
export function waitedSince({ ratchet }: Pick<Snapshot, 'ratchet'>, code: DecisionCode): EpochMs | null {
  return ratchet.waitingFor === null || ratchet.waitingFor === code ? ratchet.waitingSince : null;
}

/** Whether the wait for `code` has lasted at least `limitSeconds`. */
export function hasWaited(snapshot: Snapshot, code: DecisionCode, limitSeconds: number): boolean {
  return hasElapsed(snapshot, waitedSince(snapshot, code), limitSeconds);
}

/** When the wait for CI to start began. Falls back to the general waiting clock, so that the wait is always bounded. */
export function staleSince(snapshot: Pick<Snapshot, 'ratchet'>): EpochMs | null {
  return snapshot.ratchet.staleCiSince ?? waitedSince(snapshot, 'STALE_CI_RUN');
}

/**
 * When a review counts as settled: one quiet time after its newest comment, but at most ten after the wait began, so that an
 * endless stream of comments cannot delay a fixup forever. null: the time of the newest comment is not known.
 */
export function settlesAt({ review, ratchet, policy, now }: Snapshot): EpochMs | null {
  if (review.newestAt === null) return null;
  const quietAt = toDeadline(review.newestAt, policy.reviewQuietSeconds);
  const since = waitedSince({ ratchet }, 'REVIEW_SETTLING') ?? now;
  return Math.min(quietAt, toDeadline(since, policy.reviewQuietSeconds * MAX_QUIET_TIMES));
}
