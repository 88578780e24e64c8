import { toAnnotationSigns } from '../../core/evidence/annotation-signs.ts';
import type { FailureGroup, LogFailure } from '../../core/evidence/log-failure.ts';
import type { ListedFailure } from '../../core/evidence/to-failures-json.ts';
import type { CheckAnnotation } from '../../core/model/check-run.ts';
import { matchRegistered } from './match-registered.ts';
import { readReports } from './read-reports.ts';

/** Exit lines name no failure, and a line that only mentions one says nothing for sure. */
const SURE: ReadonlySet<LogFailure['kind']> = new Set(['test', 'place', 'exception']);

export interface SignedJob {
  /** What is recognised in its lines. */
  readonly groups: readonly FailureGroup[];
  /** Its lines, clean. */
  readonly lines: readonly string[];
  /** Texts of the problem matchers that the job registers. */
  readonly definitions: readonly string[];
  readonly annotations: readonly CheckAnnotation[];
}

/**
 * All that a job says for sure about failures, the most reliable source first: problem matchers of the workflow, reports of tools, what
 * is recognised in the lines of its log, and the annotations that name something else.
 */
export function readSigns({ groups, lines, definitions, annotations }: SignedJob): readonly ListedFailure[] {
  const recognised = groups
    .filter(({ failure }) => SURE.has(failure.kind))
    .map(({ failure, count }) => ({ ...failure, count }));
  const signs = [...matchRegistered(definitions, lines), ...readReports(lines), ...recognised];
  return [...signs, ...toAnnotationSigns(annotations, signs)];
}
