import { type CiVerdict, toCiVerdict, toNoCiProven } from '../../core/ci/ci-verdict.ts';
import type { EpochMs } from '../../core/model/ids.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { CheckResult, PullRequestFacts } from '../../core/model/pull-request.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { Deps } from '../deps.ts';

/** The verdict over the CI results at the head, without our own check runs. */
export function takeCiVerdict(
  deps: Pick<Deps, 'clock' | 'github'>,
  facts: PullRequestFacts,
  policy: Policy,
  seen: { readonly ciEverSeen: boolean; readonly headSeenAt: EpochMs; readonly rerun?: readonly string[] },
): CiVerdict<CheckResult> {
  return toCiVerdict({
    headSha: facts.headSha,
    headPushedAt: seen.headSeenAt,
    now: deps.clock.now(),
    ownAppId: deps.github.appId,
    checks: facts.checks,
    policy: policy.ci,
    noCiProven: toNoCiProven(facts, seen),
    rerun: seen.rerun ?? [],
  });
}

/** The failing checks at the head, for an attempt that starts now. */
export function toFailingChecks(
  deps: Pick<Deps, 'clock' | 'github'>,
  facts: PullRequestFacts,
  policy: Policy,
): readonly CheckResult[] {
  return takeCiVerdict(deps, facts, policy, { ciEverSeen: true, headSeenAt: 0 }).failing.map(({ check }) => check);
}

/** Since when the head in `facts` is known to be the head. */
export function toHeadSeenAt(workspace: Workspace, facts: PullRequestFacts, now: EpochMs): EpochMs {
  return workspace.seenHeadSha === facts.headSha && workspace.seenHeadAt !== null ? workspace.seenHeadAt : now;
}
