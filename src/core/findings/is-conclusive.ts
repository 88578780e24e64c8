import type { EngineRun } from '../model/engine.ts';

/**
 * Whether a finding that a run does not show is really gone: the run is complete, ended by itself and did not report a failure.
 * No other run marks a finding as fixed or lowers a budget.
 */
export function isConclusive({ complete, exit, category }: EngineRun): boolean {
  return complete && exit.kind === 'exited' && category !== 'tool_failure';
}

/** Whether a run's coverage can be compared: a test that failed or never ran leaves its lines uncovered. */
export function isCoverageConclusive(run: EngineRun): boolean {
  const hasFailedTest = (run.tests ?? []).some(({ outcome }) => outcome === 'failed' || outcome === 'error');
  const hasTestFinding = run.findings.some(({ kind }) => kind === 'test_failure' || kind === 'collection_error');
  return isConclusive(run) && !hasFailedTest && !hasTestFinding;
}
