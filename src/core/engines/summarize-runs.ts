import type { EngineError, EngineRun } from '../model/engine.ts';
import { indicatesFailure } from './classify-exit.ts';

/** All runs together (003.R25, R26). */
export interface RunsSummary {
  /** Findings, each once: those of TARGET, and those of CURRENT that TARGET does not have. Engine failures are none. */
  readonly diagnostics: number;
  readonly hasDiagnostics: boolean;
  /** An engine gave no trustworthy answer, whatever the others found. */
  readonly hasFailures: boolean;
}

/** Sums up what the engines found, and whether one of them failed (000.R35). */
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

/**
 * Exit code of the command line: 1 where something was found, whatever else happened (003.R15, R27); 3 where an engine could
 * not run and nothing was found; 0 where all is clean.
 */
export function toExitCode({ hasDiagnostics, hasFailures }: RunsSummary): 0 | 1 | 3 {
  if (hasDiagnostics) return 1;
  return hasFailures ? 3 : 0;
}
