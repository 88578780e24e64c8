import { findAcceptance } from '../findings/accept-findings.ts';
import { sha256 } from '../hash/sha256.ts';
import type { Sha } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';
import type { Acceptance, AcceptedFinding } from '../model/quality.ts';
import type { QualityRun } from '../model/quality-run.ts';

/**
 * The new findings of a head that are to be fixed; null: nobody knows them, or the policy does not have them fixed. `newest` is the
 * last run of the engines on the pull request: one of another head, or one that did not come to its end, says nothing. What a person
 * accepted since is none of them.
 */
export function findKnownFindings(
  newest: Pick<QualityRun, 'headSha' | 'status' | 'conclusion' | 'newFindings'> | undefined,
  headSha: Sha,
  { fix }: Pick<Policy, 'fix'>,
  acceptances: readonly Acceptance[],
): readonly AcceptedFinding[] | null {
  if (fix !== 'engines' || newest === undefined || newest.headSha !== headSha || newest.status === 'running')
    return null;
  if (newest.conclusion === 'cancelled' || newest.conclusion === 'interrupted') return null;
  return newest.newFindings.filter((finding) => findAcceptance(finding, acceptances) === undefined);
}

/** Names a set of findings, for a cause; null: there are none. */
export function toFindingsName(findings: readonly AcceptedFinding[] | null): string | null {
  if (findings === null || findings.length === 0) return null;
  return sha256(JSON.stringify(findings.map(({ fingerprint }) => fingerprint).toSorted())).slice(0, 16);
}
