import type { Payload } from '../../core/model/engine.ts';
import type { FileCoverage, ParsedFinding } from '../../core/model/finding.ts';

type Parsed = Extract<Payload, { readonly kind: 'parsed' }>;

/** A gap is known by its file alone: which lines are missing changes with every edit of it. */
const IDENTITY = 'coverage';

/**
 * Coverage as a payload: by file in order of paths, with one finding for each file that is not covered whole. `measured` is how
 * many files the report has: where none of them is the repository's, the run says nothing of it.
 */
export function toCoveragePayload(
  files: readonly FileCoverage[],
  { partial: given = null, findings = [], measured }: Partial<Pick<Parsed, 'partial' | 'findings'>> & Measured,
): Payload {
  const isElsewhere = files.length === 0 && measured > 0;
  const partial = given ?? (isElsewhere ? 'none of the files that it measured lies in the repository' : null);
  const sorted = files.toSorted((left, right) => (left.path < right.path ? -1 : 1));
  const gaps = sorted.filter((file) => file.covered < file.total).map(toGap);
  return {
    kind: 'parsed',
    findings: [...findings, ...gaps],
    partial,
    toolFailure: null,
    tests: null,
    coverage: { files: sorted },
  };
}

interface Measured {
  readonly measured: number;
}

function toGap({ path, covered, total, missingLines }: FileCoverage): ParsedFinding {
  const line = missingLines[0] ?? null;
  return {
    kind: 'coverage_gap',
    rule: null,
    severity: 'medium',
    native: null,
    message: `${String(covered)} of ${String(total)} covered`,
    path,
    line,
    column: null,
    endLine: null,
    testId: null,
    identity: IDENTITY,
  };
}
