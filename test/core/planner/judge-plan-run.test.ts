import { describe, expect, it } from 'vitest';
import type { StepCause, StepResult } from '../../../src/core/model/plan-run.ts';
import type { StructuredStep } from '../../../src/core/model/structured-plan.ts';
import { judgePlanRun } from '../../../src/core/planner/judge-plan-run.ts';

const STEP: StructuredStep = {
  ...{ step_id: 1, action_type: 'run_command', description: '', depends_on: [], rollback_on_fail: false },
  ...{ max_retries: 0, timeout_seconds: 1, params: {}, when: null, estimate_usd: null },
};
const cause = (code: StepCause['code'], step: StepCause['step'] = null): StepCause => ({
  ...{ code, step, message: `about ${code}` },
});
const result = (state: StepResult['state'], why: StepCause | null = null): StepResult => ({
  ...{ state, cause: why, attempts: 1, costUsd: 0, durationMs: 1, output: '' },
});
const judge = (
  steps: readonly Partial<StructuredStep>[],
  results: Readonly<Record<string, StepResult>>,
): ReturnType<typeof judgePlanRun> =>
  judgePlanRun(
    { steps: steps.map((step) => ({ ...STEP, ...step })), budget_usd: 1 },
    { results: new Map(Object.entries(results)) },
  );

describe('judging the run of a plan of a model (004.R33)', () => {
  it('keeps a plan whose steps all completed', () => {
    expect(judge([{}, { step_id: 'b' }], { 1: result('completed'), b: result('completed') })).toEqual({ kind: 'keep' });
  });

  it('keeps a plan of which a step was not wanted by its condition', () => {
    const steps = [{}, { step_id: 2, when: { step: 1, is: 'failed' } as const }];
    const results = { 1: result('completed'), 2: result('skipped', cause('CONDITION')) };
    expect(judge(steps, results)).toEqual({ kind: 'keep' });
  });

  it('keeps a plan in which a step waits for the failure of another', () => {
    const steps = [{}, { step_id: 2, when: { step: '1', is: 'failed' } as const }];
    const results = { 1: result('failed', cause('ACTION_FAILED')), 2: result('completed') };
    expect(judge(steps, results)).toEqual({ kind: 'keep' });
  });

  it('undoes a plan whose step failed though another waits for its success', () => {
    const steps = [{}, { step_id: 2, when: { step: 1, is: 'completed' } as const }];
    const results = { 1: result('failed', cause('ACTION_FAILED')), 2: result('skipped', cause('CONDITION', 1)) };
    expect(judge(steps, results)).toEqual({ kind: 'undo', why: 'step 1 failed (ACTION_FAILED): about ACTION_FAILED' });
  });

  it('names the step from which the others follow', () => {
    const steps = [{ step_id: 'a' }, { step_id: 'b' }];
    const results = {
      a: result('rolled_back', cause('ROLLBACK', 'b')),
      b: result('rolled_back', cause('TIMEOUT')),
    };
    expect(judge(steps, results)).toEqual({ kind: 'undo', why: 'step "b" took too long (TIMEOUT): about TIMEOUT' });
  });

  it('names the budget', () => {
    expect(judge([{}], { 1: result('skipped', cause('BUDGET')) })).toEqual({
      ...{ kind: 'undo', why: 'step 1 does not fit into the budget (BUDGET): about BUDGET' },
    });
  });

  it('undoes a plan with a step without a result', () => {
    expect(judge([{}], {})).toEqual({ kind: 'undo', why: 'step 1 has no result' });
  });

  it('names the first step where none stands for itself', () => {
    const results = { 1: result('rolled_back', cause('ROLLBACK', 9)) };
    expect(judge([{}], results)).toEqual({ kind: 'undo', why: 'step 1 was undone (ROLLBACK): about ROLLBACK' });
  });
});
