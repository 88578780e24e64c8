import type { Snapshot } from '../model/snapshot.ts';
import type { Stop } from '../model/workspace.ts';

/** What a stop is compared with. */
export type SituationNow = Pick<Snapshot, 'causeKey' | 'merge'> & {
  readonly ciStatus: Snapshot['ci']['status'];
  readonly mustBeUpToDate: boolean;
  /** All that reviewers ask for now was declined in the fixup that led to the stop, and nothing was said since. */
  readonly isDeclined: boolean;
};

/**
 * The cause key that the last stop holds now (resolution S8). A stop over declined review comments is about those comments:
 * while they are all that there is to do, and nobody has said more, neither another head nor another CI result lifts it.
 */
export function toStoppedFor(stop: Stop | null, now: SituationNow): string | null {
  if (stop === null) return null;
  return stop.code === 'DECLINED' && now.isDeclined && isReviewAll(now) ? now.causeKey : stop.causeKey;
}

/** Nothing that comes before the reviews is to be fixed. */
function isReviewAll({ merge, ciStatus, mustBeUpToDate }: SituationNow): boolean {
  const isBehind = merge === 'behind' && mustBeUpToDate;
  return merge !== 'conflict' && !isBehind && ciStatus !== 'failure';
}
