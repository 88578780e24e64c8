import type { Policy } from '../../core/model/policy.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import type { AcceptedFinding } from '../../core/model/quality.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { findKnownFindings } from '../../core/quality/known-findings.ts';
import type { Deps } from '../deps.ts';

/** The new findings of this head that are to be fixed; null: nobody knows them, or the policy does not have them fixed. */
export function readKnownFindings(
  { store }: Pick<Deps, 'store'>,
  { key }: Pick<Workspace, 'key'>,
  { headSha }: Pick<PullRequestFacts, 'headSha'>,
  policy: Pick<Policy, 'fix'>,
): readonly AcceptedFinding[] | null {
  const acceptances = store.acceptances(key).map(({ acceptance }) => acceptance);
  return findKnownFindings(store.qualityRuns(key, 1)[0], headSha, policy, acceptances);
}
