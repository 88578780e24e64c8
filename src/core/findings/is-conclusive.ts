import type { EngineRun } from '../model/engine.ts';

/**
 * Whether a finding that a run does not show is really gone: the run is complete, ended by itself and did not report a failure.
 * No other run marks a finding as fixed or lowers a budget.
 */
export function isConclusive({ complete, exit, category }: EngineRun): boolean {
  return complete && exit.kind === 'exited' && category !== 'tool_failure';
}

/**
 * Whether a run can be compared: it is conclusive, apart from the files that it could not parse. It says nothing about those.
 */
export function isComparable(run: EngineRun): boolean {
  return isConclusive(run) || (run.unparsed !== undefined && isConclusive({ ...run, complete: true }));
}

/** Whether a run's coverage can be compared: a test that failed or never ran leaves its lines uncovered. */
export function isCoverageConclusive(run: EngineRun): boolean {
  const hasFailedTest = (run.tests ?? []).some(({ outcome }) => outcome === 'failed' || outcome === 'error');
  const hasTestFinding = run.findings.some(({ kind }) => kind === 'test_failure' || kind === 'collection_error');
  return isConclusive(run) && !hasFailedTest && !hasTestFinding;
}
