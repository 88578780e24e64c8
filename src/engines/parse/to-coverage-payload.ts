import type { Payload } from '../../core/model/engine.ts';
import type { FileCoverage, ParsedFinding } from '../../core/model/finding.ts';
import { toFinding } from './to-finding.ts';
import { toNotes } from './to-notes.ts';
import { toPayload } from './to-payload.ts';

type Parsed = Extract<Payload, { readonly kind: 'parsed' }>;

/** A gap is identified by its file alone, because its missing lines change with every edit. */
const IDENTITY = 'coverage';

/**
 * Coverage as a payload, sorted by path, with one finding for each file that is not fully covered. `measured` is the number of
 * files in the report. If none of them is in the repository, or there is none, the run is partial.
 */
export function toCoveragePayload(
  files: readonly FileCoverage[],
  { partial: given = null, findings = [], measured }: Partial<Pick<Parsed, 'partial' | 'findings'>> & Measured,
): Payload {
  const isNothing = files.length === 0;
  const nothing = measured === 0 ? 'it measured no file' : 'none of the files that it measured lies in the repository';
  const partial = given ?? (isNothing ? nothing : null);
  const notes = toNotes([
    [
      measured - files.length,
      'measured file lies outside of the repository',
      'measured files lie outside of the repository',
    ],
  ]);
  const sorted = files.toSorted((left, right) => (left.path < right.path ? -1 : 1));
  const gaps = sorted.filter((file) => file.covered < file.total).map(toGap);
  return toPayload({ findings: [...findings, ...gaps], partial, ...notes, coverage: { files: sorted } });
}

interface Measured {
  readonly measured: number;
}

function toGap({ path, covered, total, missingLines: [line] }: FileCoverage): ParsedFinding {
  const message = `${String(covered)} of ${String(total)} covered`;
  return toFinding({ kind: 'coverage_gap', severity: 'medium', message, path, line, identity: IDENTITY });
}

/** Coverage below the project's own threshold: a finding, not a tool failure (resolution C21). */
export function toThresholdFinding(message: string): ParsedFinding {
  return toFinding({ kind: 'coverage_threshold', severity: 'high', message, identity: 'threshold' });
}
