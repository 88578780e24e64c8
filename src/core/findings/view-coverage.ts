import type { EngineRun } from '../model/engine.ts';
import { type ChangedLines, findUncoveredChanges } from './changed-lines.ts';
import { findDifference } from './compare-runs.ts';
import { isCoverageConclusive } from './is-conclusive.ts';

/** Covered statements or lines, and all of them, as the tool counts. */
export interface CoverageTotal {
  readonly covered: number;
  readonly total: number;
}

/** Coverage of one engine, as shown to people. */
export interface CoverageView {
  readonly engine: string;
  readonly project: string;
  readonly head: CoverageTotal;
  readonly base:
    | { readonly kind: 'compared'; readonly total: CoverageTotal }
    /** `why` is our own text and contains no text of others. */
    | { readonly kind: 'not_comparable'; readonly why: string };
  /** Changed lines that no test covers, by file; null if the changed lines are unknown. */
  readonly uncovered: ReturnType<typeof findUncoveredChanges> | null;
}

/**
 * Coverage of the head's TARGET run, that of the base's if the two can be compared, and the changed lines that are not covered;
 * null if the engine reports no coverage. A failed test leaves its lines uncovered: then only the head's numbers are shown.
 */
export function viewCoverage(
  head: EngineRun,
  base: EngineRun | null,
  changed: ChangedLines | null,
): CoverageView | null {
  const { engine, project, coverage } = head;
  if (coverage === null) return null;
  return {
    engine,
    project,
    head: toTotal(coverage),
    base: compareWith(head, base),
    uncovered: changed === null ? null : findUncoveredChanges(coverage, changed),
  };
}

function compareWith(head: EngineRun, base: EngineRun | null): CoverageView['base'] {
  if (base === null) return { kind: 'not_comparable', why: 'there is no run of the base' };
  const why = findDifference(head, base) ?? findGap(head, 'head') ?? findGap(base, 'base');
  if (why !== null) return { kind: 'not_comparable', why };
  if (base.coverage === null) return { kind: 'not_comparable', why: "the base's run tells of no coverage" };
  return { kind: 'compared', total: toTotal(base.coverage) };
}

function findGap(run: EngineRun, name: 'head' | 'base'): string | null {
  return isCoverageConclusive(run) ? null : `on the ${name} a test failed, or not all of them ran`;
}

function toTotal({ files }: NonNullable<EngineRun['coverage']>): CoverageTotal {
  return {
    covered: files.reduce((sum, file) => sum + file.covered, 0),
    total: files.reduce((sum, file) => sum + file.total, 0),
  };
}
