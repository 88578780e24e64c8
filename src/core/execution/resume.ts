import type { StepResult } from '../model/plan-run.ts';

/**
 * Whether a step stays as an earlier process left it when its run is resumed. A step that was stopped runs again, and a step that
 * was skipped because of another one is judged again.
 */
export function isKept({ state, cause }: Pick<StepResult, 'state' | 'cause'>): boolean {
  return state === 'skipped' ? cause?.code === 'BUDGET' : cause?.code !== 'CANCELLED';
}
