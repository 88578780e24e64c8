import type { StepResult } from '../../../src/core/model/plan-run.ts';
import {
  DEFAULT_BUDGET_USD,
  type StructuredPlan,
  type StructuredStep,
} from '../../../src/core/model/structured-plan.ts';
import { createExecutionToolRegistry } from '../../../src/pipeline/execution/execution-tool-registry.ts';
import type { PlanExecution } from '../../../src/pipeline/execution/plan-execution.ts';
import type { ActionAdapter, ActionEnd } from '../../../src/ports/execution.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

/** A place that is a set of names. */
export interface NoteBook {
  readonly notes: Set<string>;
  readonly log: string[];
}

export type Act = (
  step: StructuredStep,
  signal: AbortSignal,
  inputs: ReadonlyMap<string, StepResult>,
) => Promise<ActionEnd>;

export const DONE: ActionEnd = { kind: 'completed', output: '', costUsd: null };
export const FAILED: ActionEnd = { kind: 'failed', isTransient: false, message: 'it broke', output: '', costUsd: null };

/** An adapter of `run_command` that notes each step, and whose undo takes the note away. `acts`: what a step does instead of ending. */
export function aNoteAdapter(
  acts: Readonly<Record<string, Act>> = {},
  change: Partial<ActionAdapter<NoteBook>> = {},
): ActionAdapter<NoteBook> {
  return {
    ...{ actionType: 'run_command', toolName: 'write a note', estimateUsd: 0 },
    prepareUndo: async ({ step_id }) => ({ note: String(step_id) }),
    act: async (step, { place, results }, signal) => {
      const name = String(step.step_id);
      place.log.push(`start ${name}`);
      place.notes.add(name);
      const end = await (acts[name]?.(step, signal, results) ?? DONE);
      place.log.push(`end ${name}`);
      return end;
    },
    undo: async ({ note }, place) => {
      place.log.push(`undo ${String(note)}`);
      place.notes.delete(String(note));
      return { note: null };
    },
    ...change,
  };
}

export function aPlan(steps: readonly StructuredStep[], budgetUsd = DEFAULT_BUDGET_USD): StructuredPlan {
  return { steps, budget_usd: budgetUsd };
}

export function aNoteBook(): NoteBook {
  return { notes: new Set(), log: [] };
}

/** What a plan runs with in a test. */
export function anExecution(
  place: NoteBook,
  acts: Readonly<Record<string, Act>> = {},
  change: Partial<PlanExecution<NoteBook>> = {},
): PlanExecution<NoteBook> {
  return {
    registry: createExecutionToolRegistry([aNoteAdapter(acts)]),
    place,
    signal: new AbortController().signal,
    clock: createFakeClock(),
    maxConcurrent: 4,
    ...change,
  };
}

/** States by step key. */
export function toStates(results: ReadonlyMap<string, StepResult>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...results].map(([key, { state, cause }]) => [
      key,
      cause === null ? state : `${state} ${cause.code} ${cause.step}`,
    ]),
  );
}
