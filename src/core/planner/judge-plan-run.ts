import { toStepKey } from '../execution/step-key.ts';
import type { ExecutionResult, StepCause, StepResult } from '../model/plan-run.ts';
import type { StructuredPlan } from '../model/structured-plan.ts';

/** Whether the work of a plan may be kept; otherwise all of it is undone, and `why` says for which step. */
export type PlanVerdict = { readonly kind: 'keep' } | { readonly kind: 'undo'; readonly why: string };

/** What people read first of each cause. */
const WORDS: Readonly<Record<StepCause['code'], string>> = {
  ACTION_FAILED: 'failed',
  TIMEOUT: 'took too long',
  CANCELLED: 'was stopped',
  BUDGET: 'does not fit into the budget',
  DEPENDENCY: 'could not start',
  CONDITION: 'was not needed',
  ROLLBACK: 'was undone',
  UNSUPPORTED_ACTION: 'cannot be carried out',
};

/**
 * Judges the run of a model's plan. It is kept if every step completed, was not wanted by its condition, or failed where another step
 * waits for that failure. A plan that was carried out in part is a guess that nobody made, so nothing of it is kept.
 */
export function judgePlanRun({ steps }: StructuredPlan, { results }: Pick<ExecutionResult, 'results'>): PlanVerdict {
  const awaited = new Set(steps.flatMap(({ when }) => (when?.is === 'failed' ? [toStepKey(when.step)] : [])));
  const bad = steps.flatMap(({ step_id }) => {
    const key = toStepKey(step_id);
    const result = results.get(key);
    return result !== undefined && isFine(result, awaited.has(key)) ? [] : [{ step_id, result }];
  });
  // The step that others follow from tells most.
  const first = bad.find(({ result }) => result?.cause?.step === null) ?? bad[0];
  if (first === undefined) return { kind: 'keep' };
  const { cause = null } = first.result ?? {};
  const what = cause === null ? 'has no result' : `${WORDS[cause.code]} (${cause.code}): ${cause.message}`;
  return { kind: 'undo', why: `step ${JSON.stringify(first.step_id)} ${what}` };
}

function isFine({ state, cause }: StepResult, isAwaited: boolean): boolean {
  if (state === 'completed') return true;
  if (state === 'skipped') return cause?.code === 'CONDITION';
  return state === 'failed' && isAwaited;
}
