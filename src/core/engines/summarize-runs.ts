import type { EngineError, EngineRun } from '../model/engine.ts';
import type { EnginesReport } from '../model/engine-report.ts';
import { indicatesFailure } from './classify-exit.ts';
import { hasSeenAll } from './has-seen-all.ts';

/** Totals of all runs (003.R25, R26). */
export interface RunsSummary {
  /** Number of distinct findings: those of TARGET, and those that only CURRENT has. Excludes engine failures. */
  readonly diagnostics: number;
  readonly hasDiagnostics: boolean;
  /** An engine gave no trustworthy answer, regardless of the others. */
  readonly hasFailures: boolean;
}

/** Counts what the engines found, and reports whether one of them failed (000.R35). */
export function summarizeRuns(
  runs: readonly Pick<EngineRun, 'category' | 'returnCode' | 'findings'>[],
  errors: readonly EngineError[],
): RunsSummary {
  const diagnostics = new Set(runs.flatMap(({ findings }) => findings.map(({ fingerprint }) => fingerprint))).size;
  const isFailed = runs.some(({ category, returnCode, findings }) =>
    indicatesFailure({ category, returnCode, diagnostics: findings.length }),
  );
  return { diagnostics, hasDiagnostics: diagnostics > 0, hasFailures: isFailed || errors.length > 0 };
}

/** Whether every planned engine ran and checked everything. Only then does "nothing found" mean anything. */
export function isWhole({
  runs,
  engineErrors,
  skipped,
}: Pick<EnginesReport, 'runs' | 'engineErrors' | 'skipped'>): boolean {
  if (engineErrors.length > 0 || skipped.some(({ why }) => why === 'dependencies_missing')) return false;
  return runs.every(hasSeenAll);
}

/**
 * Exit code of the command line: 1 if anything was found, regardless of failures (003.R15, R27); 3 if nothing was found, but an
 * engine could not run or did not check everything; 0 if all is clean.
 */
export function toExitCode({
  hasDiagnostics,
  isWhole,
}: Pick<RunsSummary, 'hasDiagnostics'> & { readonly isWhole: boolean }): 0 | 1 | 3 {
  if (hasDiagnostics) return 1;
  return isWhole ? 0 : 3;
}
