import { describe, expect, it } from 'vitest';
import { executePlan } from '../../../src/pipeline/execution/execute-plan.ts';
import { aStep } from '../../core/execution/plan-steps.ts';
import { aNoteBook, anExecution, aPlan, DONE, FAILED, toStates } from './execution-fixture.ts';

describe('a run of a plan', () => {
  it('gives each step its own result when a sibling did not run (004.R10)', async () => {
    const place = aNoteBook();
    const plan = aPlan([aStep('x'), aStep('a', ['x']), aStep('b')]);
    const { results, stats } = await executePlan(
      plan,
      anExecution(place, { x: async () => FAILED, b: async () => ({ ...DONE, output: 'from b' }) }),
    );

    expect(toStates(results)).toEqual({ x: 'failed ACTION_FAILED null', a: 'skipped DEPENDENCY x', b: 'completed' });
    expect(results.get('b')?.output).toBe('from b');
    expect(stats).toMatchObject({ completed: 1, failed: 1, skipped: 1 });
  });

  it('undoes everything, newest first, when a step with rollback_on_fail fails (004.R4, R15)', async () => {
    const place = aNoteBook();
    const plan = aPlan([aStep(3), aStep(1, [3]), aStep(2, [1], { rollback_on_fail: true }), aStep(4, [2])]);
    const { results } = await executePlan(plan, anExecution(place, { 2: async () => FAILED }));

    expect(toStates(results)).toEqual({
      3: 'rolled_back ROLLBACK 2',
      1: 'rolled_back ROLLBACK 2',
      2: 'failed ACTION_FAILED null',
      4: 'skipped ROLLBACK 2',
    });
    expect(place.notes).toEqual(new Set());
    expect(place.log.slice(-3)).toEqual(['undo 2', 'undo 1', 'undo 3']);
  });
});
