import type { EngineRun } from '../model/engine.ts';
import type { Coverage, FileCoverage } from '../model/finding.ts';
import type { Pair } from './match-findings.ts';

/**
 * Whether the head covers a file worse, if both runs have a coverage gap in it: a smaller share is covered, and more of it is
 * uncovered. A file with nothing to cover counts as fully covered. False for other findings, and if a run does not know the file.
 */
export function hasCoverageWorsened(pair: Pair, runs: { readonly head: EngineRun; readonly base: EngineRun }): boolean {
  if (pair.head.kind !== 'coverage_gap') return false;
  const head = findFile(runs.head.coverage, pair.head.path);
  const base = findFile(runs.base.coverage, pair.base.path);
  if (head === undefined || base === undefined) return false;
  return toShare(head) < toShare(base) && head.total - head.covered > base.total - base.covered;
}

function findFile(coverage: Coverage | null, path: string | null): FileCoverage | undefined {
  return coverage?.files.find((file) => file.path === path);
}

function toShare({ covered, total }: FileCoverage): number {
  return total === 0 ? 1 : covered / total;
}
