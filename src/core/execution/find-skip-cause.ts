import type { StepCause, StepResult, StepState } from '../model/plan-run.ts';
import type { StructuredStep } from '../model/structured-plan.ts';
import { quoteId, toStepKey } from './step-key.ts';

type Condition = NonNullable<StructuredStep['when']>;

/**
 * Why a step cannot start although all steps that it follows have ended; null: it can. A condition replaces the demand that its
 * step completed (resolution S39). `results`: of the steps that it follows, by key.
 */
export function findSkipCause(
  { depends_on, when }: Pick<StructuredStep, 'depends_on' | 'when'>,
  results: ReadonlyMap<string, Pick<StepResult, 'state'>>,
): StepCause | null {
  const stateOf = (key: string): StepState | undefined => results.get(key)?.state;
  const condition = when === null ? null : toStepKey(when.step);
  const missing = depends_on.find((id) => toStepKey(id) !== condition && stateOf(toStepKey(id)) !== 'completed');
  if (missing !== undefined) {
    return {
      code: 'DEPENDENCY',
      step: missing,
      message: `Step ${quoteId(missing)}, which it needs, did not complete.`,
    };
  }
  if (when === null || isMet(when, stateOf(toStepKey(when.step)))) return null;
  return { code: 'CONDITION', step: when.step, message: describeUnmet(when) };
}

function isMet({ is }: Condition, state: StepState | undefined): boolean {
  return is === 'ended' ? state === 'completed' || state === 'failed' : state === is;
}

function describeUnmet({ step, is }: Condition): string {
  const wanted = { completed: 'completed', failed: 'failed', ended: 'run' }[is];
  return `It runs only if step ${quoteId(step)} has ${wanted}, which it has not.`;
}
