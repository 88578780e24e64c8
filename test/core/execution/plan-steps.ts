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
