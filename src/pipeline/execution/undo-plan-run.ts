import { toSkipped } from '../../core/execution/track-plan.ts';
import { generateUndoPlan } from '../../core/execution/undo-plan.ts';
import type { ExecutionResult } from '../../core/model/plan-run.ts';
import type { StepId, StructuredPlan } from '../../core/model/structured-plan.ts';
import { executePlan } from './execute-plan.ts';
import { createExecutionToolRegistry } from './execution-tool-registry.ts';
import type { PlanExecution } from './plan-execution.ts';
import { type JournalDeps, type OpenPlanRunRecord, resumePlanRun } from './plan-journal.ts';
import { createUndoAdapter } from './undo-action.ts';

/** `nothing`: no step did anything that is still to be undone. */
export type UndoPlanRunEnd =
  | { readonly kind: 'undone'; readonly plan: StructuredPlan; readonly execution: ExecutionResult }
  | { readonly kind: 'nothing' | 'unknown' | 'busy' | 'step_never_started' };

/**
 * Undoes a stored run, whether it completed, failed or was interrupted (resolution S37), by its generated undo plan; down to
 * `fromStep`, which stays, or all of it. What was undone is stored, so undoing twice undoes nothing twice.
 */
export async function undoPlanRun<Place>(
  deps: JournalDeps,
  id: string,
  execution: Omit<PlanExecution<Place>, 'journal' | 'budgets' | 'maxConcurrent'> & { readonly fromStep: StepId | null },
): Promise<UndoPlanRunEnd> {
  const resumed = await resumePlanRun(deps, id);
  if (resumed.kind !== 'resumed') return resumed;
  const { journal } = resumed;
  const undoPlan = generateUndoPlan(
    journal.recorded.flatMap(({ sequence, ...step }) => (sequence === null ? [] : [{ ...step, sequence }])),
    execution.fromStep,
  );
  try {
    if (undoPlan === null) return { kind: 'step_never_started' };
    if (undoPlan.steps.length === 0) return { kind: 'nothing' };
    return { kind: 'undone', plan: undoPlan, execution: await undo(resumed, undoPlan, execution) };
  } finally {
    await journal.close(true);
  }
}

function undo<Place>(
  { journal }: OpenPlanRunRecord,
  undoPlan: StructuredPlan,
  { registry, ...execution }: Omit<PlanExecution<Place>, 'journal' | 'budgets' | 'maxConcurrent'>,
): Promise<ExecutionResult> {
  const steps = new Map(journal.recorded.map((step) => [step.key, step]));
  const undoing = createUndoAdapter(registry, async (key, note) => {
    const step = steps.get(key);
    if (step === undefined) return;
    const message = ['A person undid the run.', note].filter((text) => text !== null).join(' ');
    const cause = { code: 'ROLLBACK', step: null, message } as const;
    const { attempts, costUsd } = step;
    const before = step.result ?? { ...toSkipped(cause), attempts, costUsd };
    const result = { ...before, state: 'rolled_back', cause } as const;
    const kept = { measuredUsd: null, startsAtEnd: null };
    await journal.end([{ key, actionType: step.actionType, result, ...kept, isUndone: true }]);
  });
  return executePlan(undoPlan, {
    ...execution,
    registry: createExecutionToolRegistry([undoing]),
    maxConcurrent: 1,
    signal: AbortSignal.any([execution.signal, journal.lost]),
  });
}
