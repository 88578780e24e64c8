import type { StepResult } from '../../../src/core/model/plan-run.ts';
import type { StepId, StructuredStep } from '../../../src/core/model/structured-plan.ts';

/** A step that runs a command. */
export function aStep(id: StepId, needs: readonly StepId[] = [], change: Partial<StructuredStep> = {}): StructuredStep {
  return {
    ...{ step_id: id, action_type: 'run_command', description: `step ${id}`, depends_on: needs },
    ...{ rollback_on_fail: false, max_retries: 2, timeout_seconds: 300, params: { argv: ['true'] } },
    ...{ when: null, estimate_usd: null },
    ...change,
  };
}

/** A step that completed. */
export function aResult(change: Partial<StepResult> = {}): StepResult {
  return { state: 'completed', cause: null, attempts: 1, costUsd: 0, durationMs: 0, output: '', ...change };
}

/** Ends of the steps 0, 1, … by key: those marked fail. */
export function failing(marks: readonly boolean[]): Readonly<Record<string, StepResult>> {
  const failed = aResult({ state: 'failed', cause: { code: 'ACTION_FAILED', step: null, message: 'no' } });
  return Object.fromEntries(marks.flatMap((fails, index) => (fails ? [[String(index), failed]] : [])));
}
