import type { EngineComparison } from '../model/engine-report.ts';
import type { Finding } from '../model/finding.ts';
import type { Acceptance, AcceptedFinding } from '../model/quality.ts';

export interface AcceptedComparison {
  /** Without the accepted findings among `added`; all else as it was. */
  readonly comparison: EngineComparison;
  /** Findings that would be new, each with who accepted it and why. */
  readonly accepted: readonly { readonly finding: Finding; readonly acceptance: Acceptance }[];
}

/**
 * Takes the findings that a person accepted out of the new ones. Where nothing can be compared nothing is new, so nothing is
 * accepted either.
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

/** The first acceptance that names the finding. */
export function findAcceptance(finding: Finding, acceptances: readonly Acceptance[]): Acceptance | undefined {
  return acceptances.find(({ findings }) => findings.some((named) => isNamedBy(finding, named)));
}

/** A coverage gap is its file alone, so its message, which holds the share, has to be the same: worse was not accepted. */
function isNamedBy(finding: Finding, named: AcceptedFinding): boolean {
  if (finding.tool !== named.tool || finding.fingerprint !== named.fingerprint) return false;
  return (
    (finding.kind !== 'coverage_gap' && finding.kind !== 'coverage_threshold') || finding.message === named.message
  );
}
