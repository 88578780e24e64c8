import type { EngineRun } from '../model/engine.ts';

/**
 * Whether what a run does not show can be taken for gone: it looked at everything that it was asked to, by itself came to an end,
 * and did not say that it failed. Nothing is ever "fixed" by another run, and no budget falls by it.
 */
export function isConclusive({ complete, exit, category }: EngineRun): boolean {
  return complete && exit.kind === 'exited' && category !== 'tool_failure';
}

/** Whether a run's coverage can be compared: a test that failed, or never ran, leaves lines uncovered that it would run. */
export function isCoverageConclusive(run: EngineRun): boolean {
  const hasFailedTest = (run.tests ?? []).some(({ outcome }) => outcome === 'failed' || outcome === 'error');
  const hasTestFinding = run.findings.some(({ kind }) => kind === 'test_failure' || kind === 'collection_error');
  return isConclusive(run) && !hasFailedTest && !hasTestFinding;
}
