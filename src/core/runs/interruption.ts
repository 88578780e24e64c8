import type { PullRequestFacts } from '../model/pull-request.ts';
import type { SupersededBy } from '../model/session.ts';

/** What ended a run before its work was done. */
export type Interruption =
  /** The process that ran it ended in the middle. */
  | { readonly kind: 'crashed' }
  /** It was asked to end: its ground is gone, a person stopped it, or the service shuts down. */
  | { readonly kind: 'stopped'; readonly why: SupersededBy }
  /** It reached its time limit. */
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** What ended the work, where a signal of it has fired; null: none has. A stop counts first, since it names the reason. */
export function findInterruption(
  stoppedBy: SupersededBy | null,
  fired: { readonly isShutDown: boolean; readonly isOverdue: boolean },
): Interruption | null {
  if (stoppedBy !== null) return { kind: 'stopped', why: stoppedBy };
  if (fired.isShutDown) return { kind: 'stopped', why: 'shutdown' };
  return fired.isOverdue ? { kind: 'timed_out' } : null;
}

/** Why a run at `headSha` may not go on (resolution S9); null: it may. `facts` null: the pull request is gone. */
export function findLostGround(
  facts: Pick<PullRequestFacts, 'state' | 'headSha'> | null,
  headSha: PullRequestFacts['headSha'],
): 'closed' | 'head_moved' | null {
  if (facts?.state !== 'open') return 'closed';
  return facts.headSha === headSha ? null : 'head_moved';
}
