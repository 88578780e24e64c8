import type { EngineRun } from '../model/engine.ts';
import type { Coverage, FileCoverage } from '../model/finding.ts';
import type { Pair } from './match-findings.ts';

/**
 * Whether the file of a coverage gap that both runs have is worse covered in head: a smaller share of it, and more of it uncovered.
 * A file without anything to cover is covered whole. False for other findings, and where a run does not know the file.
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
