import type { StructuredStep } from '../../core/model/structured-plan.ts';
import type { ActionAdapter, ActionEnd } from '../../ports/execution.ts';

/** What the actions of a run of tasks do. Each call is one step of a plan. */
export interface TaskPlace {
  /** Finds what is wrong at the head, and plans tasks. Returns what to say about it. */
  readonly collect: (signal: AbortSignal) => Promise<string>;
  /** One attempt on the next task that can be claimed. */
  readonly attempt: (signal: AbortSignal) => Promise<{ readonly text: string; readonly costUsd: number }>;
}

/** Collects findings at the head of a run. It changes nothing that has to be undone. */
export const COLLECT: ActionAdapter<TaskPlace> = {
  actionType: 'collect',
  toolName: 'look for findings',
  estimateUsd: 0,
  prepareUndo: () => Promise.resolve(null),
  act: async (_step: StructuredStep, { place }, signal): Promise<ActionEnd> => ({
    kind: 'completed',
    output: await place.collect(signal),
    costUsd: 0,
  }),
  undo: () => Promise.resolve({ note: null }),
};

/**
 * One attempt on a task. Its change lies in a clone of its own until it is integrated, so there is nothing to undo; and what a failed
 * attempt leads to is up to the task's retry policy, so no step is tried again.
 */
export const ATTEMPT: ActionAdapter<TaskPlace> = {
  ...COLLECT,
  actionType: 'attempt',
  toolName: 'work on a task',
  act: async (_step, { place }, signal) => {
    const { text, costUsd } = await place.attempt(signal);
    return { kind: 'completed', output: text, costUsd };
  },
};

/** A plan of one collection, or of attempts that follow each other as far as workers are free. */
export function toTaskPlan(
  actionType: 'collect' | 'attempt',
  {
    count,
    budgetUsd,
    timeoutSeconds,
  }: { readonly count: number; readonly budgetUsd: number; readonly timeoutSeconds: number },
): { readonly steps: readonly StructuredStep[]; readonly budget_usd: number } {
  const steps = Array.from(
    { length: count },
    (_, index): StructuredStep => ({
      ...{ step_id: `${actionType}-${String(index + 1)}`, action_type: actionType, description: '', depends_on: [] },
      ...{ rollback_on_fail: false, max_retries: 0, timeout_seconds: timeoutSeconds, params: {}, when: null },
      estimate_usd: 0,
    }),
  );
  return { steps, budget_usd: budgetUsd };
}
