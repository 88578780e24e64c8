import type { StepResult } from '../../../src/core/model/plan-run.ts';
import {
  DEFAULT_BUDGET_USD,
  type StructuredPlan,
  type StructuredStep,
} from '../../../src/core/model/structured-plan.ts';
import { createExecutionToolRegistry } from '../../../src/pipeline/execution/execution-tool-registry.ts';
import type { PlanExecution } from '../../../src/pipeline/execution/plan-execution.ts';
import type { StartTimer } from '../../../src/pipeline/execution/with-limit.ts';
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

/** Timers that fire by hand, or at once if they are shorter than `atOnceBelow` ms. `started`: the lengths of all. */
export function createTimers(atOnceBelow = 0): {
  readonly startTimer: StartTimer;
  readonly started: number[];
  /** Lets the timers of so many milliseconds run out. @throws if none runs. */
  readonly fire: (ms: number) => void;
} {
  const open = new Set<{ readonly ms: number; readonly then: () => void }>();
  const started: number[] = [];
  return {
    started,
    startTimer: (ms, then) => {
      started.push(ms);
      if (ms < atOnceBelow) queueMicrotask(then);
      const timer = { ms, then };
      open.add(timer);
      return () => void open.delete(timer);
    },
    fire: (ms) => {
      const running = [...open].filter((one) => one.ms === ms);
      // Nothing would ever end what waits for it.
      if (running.length === 0)
        throw new Error(`no timer of ${String(ms)} ms runs, only ${JSON.stringify(started)} were started`);
      for (const timer of running) {
        open.delete(timer);
        timer.then();
      }
    },
  };
}

/** For tests of what the executor leaves alone: where it waits instead, they fail. */
export const BOUND = { timeout: 30_000 };

/** An act that ends when its signal fires, as a good adapter does. */
export const UNTIL_STOPPED: Act = (_step, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('stopped'));
    });
  });

/** An act that never ends. */
export const DEAF: Act = () => new Promise(() => {});
