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
 * Wakes the quality queue if the policy names engines and this head has no run yet, and stops a run on an outdated head. Decides
 * nothing else: the run reads the pull request itself.
 */
export async function wakeQuality(
  deps: WakeDeps,
  key: PullRequestKey,
  seen: {
    /** `baseRef` null: unknown, so the run must find out whether there is anything to do. */
    readonly facts: Pick<PullRequestFacts, 'headSha' | 'state'> & { readonly baseRef: string | null };
    readonly policy: Pick<Policy, 'engines' | 'install' | 'setup'>;
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

/** An interrupted or cancelled run does not count. */
function isRunOf(
  { wantKey, conclusion }: QualityRun,
  { headSha, baseRef }: { readonly headSha: Sha; readonly baseRef: string | null },
  policy: Pick<Policy, 'engines' | 'install' | 'setup'>,
): boolean {
  if (conclusion === 'interrupted' || conclusion === 'cancelled' || baseRef === null) return false;
  return wantKey === toWantKey({ headSha, baseRef }, policy);
}
