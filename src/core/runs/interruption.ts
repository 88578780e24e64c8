import type { PullRequestFacts } from '../model/pull-request.ts';
import type { SupersededBy } from '../model/session.ts';

/** Why a run ended before its work was done. */
export type Interruption =
  /** Its process ended during the run. */
  | { readonly kind: 'crashed' }
  /** It was asked to end: it lost its ground, a person stopped it, or the service shuts down. */
  | { readonly kind: 'stopped'; readonly why: SupersededBy }
  /** It reached its time limit. */
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The interruption of a run by a stop, shutdown or deadline; null if there was none. A stop counts first: it has a reason. */
export function findInterruption(
  stoppedBy: SupersededBy | null,
  fired: { readonly isShutDown: boolean; readonly isOverdue: boolean },
): Interruption | null {
  if (stoppedBy !== null) return { kind: 'stopped', why: stoppedBy };
  if (fired.isShutDown) return { kind: 'stopped', why: 'shutdown' };
  return fired.isOverdue ? { kind: 'timed_out' } : null;
}

/** Why a run at `headSha` may not continue (resolution S9); null if it may. `facts` null: the pull request is gone. */
export function findLostGround(
  facts: Pick<PullRequestFacts, 'state' | 'headSha'> | null,
  headSha: PullRequestFacts['headSha'],
): 'closed' | 'head_moved' | null {
  if (facts?.state !== 'open') return 'closed';
  return facts.headSha === headSha ? null : 'head_moved';
}
