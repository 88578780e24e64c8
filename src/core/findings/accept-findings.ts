import type { EngineComparison } from '../model/engine-report.ts';
import type { Finding } from '../model/finding.ts';
import type { Acceptance, AcceptedFinding } from '../model/quality.ts';

export interface AcceptedComparison {
  /** Without the accepted findings in `added`; otherwise unchanged. */
  readonly comparison: EngineComparison;
  /** Findings that would otherwise be new, each with its acceptance. */
  readonly accepted: readonly { readonly finding: Finding; readonly acceptance: Acceptance }[];
}

/**
 * Removes the findings that a person accepted from the new ones. A comparison that was not possible has no new findings, so
 * nothing is accepted.
 */
export function acceptFindings(comparison: EngineComparison, acceptances: readonly Acceptance[]): AcceptedComparison {
  if (comparison.kind === 'not_comparable') return { comparison, accepted: [] };
  const judged = comparison.added.map((finding) => ({ finding, acceptance: findAcceptance(finding, acceptances) }));
  return {
    comparison: {
      ...comparison,
      added: judged.filter(({ acceptance }) => acceptance === undefined).map(({ finding }) => finding),
    },
    accepted: judged.flatMap(({ finding, acceptance }) => (acceptance === undefined ? [] : [{ finding, acceptance }])),
  };
}

/** The first acceptance that names the finding; undefined if none does. */
export function findAcceptance(finding: AcceptedFinding, acceptances: readonly Acceptance[]): Acceptance | undefined {
  return acceptances.find(({ findings }) => findings.some((named) => isNamedBy(finding, named)));
}

/** A coverage gap's message, which holds the covered share, must match too, because a lower share was not accepted. */
function isNamedBy(finding: AcceptedFinding, named: AcceptedFinding): boolean {
  if (finding.tool !== named.tool || finding.fingerprint !== named.fingerprint) return false;
  return (
    (finding.kind !== 'coverage_gap' && finding.kind !== 'coverage_threshold') || finding.message === named.message
  );
}
