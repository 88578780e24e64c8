import type { PullRequestKey, Sha } from '../../core/model/ids.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import type { QualityRun } from '../../core/model/quality-run.ts';
import { QUALITY_QUEUE } from '../../core/model/queues.ts';
import { toWantKey } from '../../core/quality/want-key.ts';
import type { Deps } from '../deps.ts';
import { stopOffGround } from '../run/run-registry.ts';

type WakeDeps = Pick<Deps, 'log' | 'qualityQueue' | 'running' | 'store'>;

/**
 * Wakes the engines where policy asks for them and this head has no run yet, and ends a run on a head that is the head no more. The
 * wake-up is all that is decided here: the run reads the pull request itself.
 */
export async function wakeQuality(
  deps: WakeDeps,
  key: PullRequestKey,
  seen: {
    /** `baseRef` null: not known, so that the run itself has to find out whether there is anything to do. */
    readonly facts: Pick<PullRequestFacts, 'headSha' | 'state'> & { readonly baseRef: string | null };
    readonly policy: Pick<Policy, 'engines' | 'setup'>;
  },
): Promise<void> {
  const { facts, policy } = seen;
  const [newest] = deps.store.qualityRuns(key, 1);
  if (newest?.status === 'running') stopOffGround(deps, newest, facts);
  if (policy.engines === null || facts.state !== 'open') return;
  if (newest !== undefined && isRunOf(newest, facts, policy)) return;
  deps.store.markWakeup(QUALITY_QUEUE, key, null);
  await deps.qualityQueue.announce([key]);
}

/** A run that came to no end by no fault of the head's says nothing of it. */
function isRunOf(
  { wantKey, conclusion }: QualityRun,
  { headSha, baseRef }: { readonly headSha: Sha; readonly baseRef: string | null },
  policy: Pick<Policy, 'engines' | 'setup'>,
): boolean {
  if (conclusion === 'interrupted' || conclusion === 'cancelled' || baseRef === null) return false;
  return wantKey === toWantKey({ headSha, baseRef }, policy);
}
