import type { Snapshot } from '../model/snapshot.ts';
import type { Stop } from '../model/workspace.ts';

/** The current situation that a stop is compared with. */
export type SituationNow = Pick<Snapshot, 'causeKey' | 'merge'> & {
  readonly ciStatus: Snapshot['ci']['status'];
  readonly mustBeUpToDate: boolean;
  /** The fixup that led to the stop declined every open request of the reviewers, and no comment was added since. */
  readonly isDeclined: boolean;
};

/**
 * The cause key that the last stop applies to now, or null (resolution S8). A stop over declined review comments applies to any
 * head and CI result, while those comments are all there is to do and no comment was added.
 */
export function toStoppedFor(stop: Stop | null, now: SituationNow): string | null {
  if (stop === null) return null;
  return stop.code === 'DECLINED' && now.isDeclined && isReviewAll(now) ? now.causeKey : stop.causeKey;
}

/**
 * The stop that applies: the pull request's own, or one of another pull request with the same head branch for exactly this cause.
 * The cause is the same in both, so nothing may be launched for it in either (resolution S18).
 */
export function toStopOnBranch(
  own: Stop | null,
  beside: readonly (Stop | null)[],
  causeKey: string | null,
): Stop | null {
  if (own?.causeKey === causeKey) return own;
  return beside.find((stop) => stop !== null && stop.causeKey === causeKey) ?? own;
}

/** Whether no fault that comes before reviews is to be fixed. */
function isReviewAll({ merge, ciStatus, mustBeUpToDate }: SituationNow): boolean {
  const isBehind = merge === 'behind' && mustBeUpToDate;
  return merge !== 'conflict' && !isBehind && ciStatus !== 'failure';
}
