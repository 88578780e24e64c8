import {
  DEFAULT_BUDGET_USD,
  DEFAULT_TIMEOUT_SECONDS,
  type StepId,
  type StructuredPlan,
} from '../model/structured-plan.ts';
import { quoteId, toStepKey } from './step-key.ts';

/** The action type of the steps of an undo plan. Their parameters: `step` (its key), `action_type` and `compensation`. */
export const UNDO_ACTION = 'undo_step';

/** A step that has started, in the order of the starts. */
export interface ExecutedStep {
  readonly key: string;
  readonly actionType: string;
  /** Order of the starts in the run. Ids say nothing about the order. */
  readonly sequence: number;
  /** null: there is nothing to undo. */
  readonly compensation: Readonly<Record<string, unknown>> | null;
}

/** A step that can be undone. */
export type UndoableStep = ExecutedStep & { readonly compensation: Readonly<Record<string, unknown>> };

/**
 * The steps to undo, newest start first: those that started after `fromStep`, which itself stays (004.R14); null: all. Returns null
 * if `fromStep` never started: what came after it is then unknown.
 */
export function toRollbackOrder(
  executed: readonly ExecutedStep[],
  fromStep: StepId | null,
): readonly UndoableStep[] | null {
  const after = fromStep === null ? -1 : executed.find(({ key }) => key === toStepKey(fromStep))?.sequence;
  if (after === undefined) return null;
  return executed
    .filter((step): step is UndoableStep => step.sequence > after && step.compensation !== null)
    .toSorted((a, b) => b.sequence - a.sequence);
}

/**
 * The plan that undoes a run down to `fromStep` (004.R16): a chain in which each undo follows the one before it, also one that
 * failed. Needs the adapter of `UNDO_ACTION`. null as in `toRollbackOrder`; without steps if there is nothing to undo.
 */
export function generateUndoPlan(executed: readonly ExecutedStep[], fromStep: StepId | null): StructuredPlan | null {
  const order = toRollbackOrder(executed, fromStep);
  if (order === null) return null;
  const steps = order.map(({ key, actionType, compensation }, index) => ({
    step_id: index + 1,
    action_type: UNDO_ACTION,
    description: `Undo step ${quoteId(key)} (${actionType})`,
    depends_on: index === 0 ? [] : [index],
    rollback_on_fail: false,
    max_retries: 0,
    timeout_seconds: DEFAULT_TIMEOUT_SECONDS,
    params: { step: key, action_type: actionType, compensation },
    when: index === 0 ? null : { step: index, is: 'ended' as const },
    estimate_usd: 0,
  }));
  return { steps, budget_usd: DEFAULT_BUDGET_USD };
}
