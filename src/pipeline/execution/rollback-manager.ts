import {
  type ExecutedStep,
  generateUndoPlan,
  toRollbackOrder,
  type UndoableStep,
} from '../../core/execution/undo-plan.ts';
import { InvariantError } from '../../core/model/errors.ts';
import type { StepId, StructuredPlan } from '../../core/model/structured-plan.ts';
import type { ExecutionToolRegistry } from '../../ports/execution.ts';
import { type Limit, withLimit } from './with-limit.ts';

/** What became of the undo of a step. */
export interface UndoneStep {
  readonly key: string;
  readonly isUndone: boolean;
  /** What it leaves as it is, or why it failed; null: nothing to say. */
  readonly note: string | null;
}

/** Knows what the steps of a run did and undoes it (004.R13 to R16). */
export interface RollbackManager {
  /** Records a start with how it is undone, before the action acts. */
  readonly record: (step: ExecutedStep) => void;
  /**
   * Undoes what started after a step, newest start first; the step itself stays. null: everything. Goes on after an undo that fails,
   * and undoes nothing twice. `tell` is awaited after each. @throws InvariantError if the step never started.
   */
  readonly rollbackTo: (
    step: StepId | null,
    tell?: (undone: UndoneStep) => Promise<void>,
  ) => Promise<readonly UndoneStep[]>;
  /** Undoes one step. null: it did nothing that can be undone. */
  readonly undo: (key: string) => Promise<UndoneStep | null>;
  /** The plan that would do what `rollbackTo` does. @throws InvariantError if the step never started. */
  readonly generateUndoPlan: (fromStep: StepId | null) => StructuredPlan;
}

/** Undoing has time limits of its own: a stopped run can still be undone. */
export function createRollbackManager<Place>({
  registry,
  place,
  limit,
}: {
  readonly registry: ExecutionToolRegistry<Place>;
  readonly place: Place;
  /** Of one undo. */
  readonly limit: Omit<Limit, 'signal'>;
}): RollbackManager {
  const executed = new Map<string, ExecutedStep>();

  async function undoOne(step: UndoableStep): Promise<UndoneStep> {
    const undone = await tryUndo(step);
    if (undone.isUndone) executed.set(step.key, { ...step, compensation: null });
    return undone;
  }

  async function tryUndo({ key, actionType, compensation }: UndoableStep): Promise<UndoneStep> {
    const adapter = registry.getAdapter(actionType);
    if (adapter === null) return { key, isUndone: false, note: `Nothing undoes the action type ${actionType}.` };
    const never = new AbortController().signal;
    const end = await withLimit((signal) => adapter.undo(compensation, place, signal), { ...limit, signal: never });
    if (end.kind === 'returned') return { key, isUndone: true, note: end.value.note };
    if (end.stoppedBy !== null) return { key, isUndone: false, note: `It took longer than ${limit.ms / 1000} s.` };
    return { key, isUndone: false, note: end.kind === 'threw' ? end.error.message : null };
  }

  function known<Found>(found: Found | null): Found {
    if (found === null) throw new InvariantError('a step that never started has nothing after it');
    return found;
  }

  return {
    record: (step) => void executed.set(step.key, step),
    rollbackTo: async (step, tell) => {
      const all: UndoneStep[] = [];
      for (const one of known(toRollbackOrder([...executed.values()], step))) {
        const undone = await undoOne(one);
        all.push(undone);
        await tell?.(undone);
      }
      return all;
    },
    undo: async (key) => {
      const step = executed.get(key);
      return step === undefined || step.compensation === null
        ? null
        : undoOne({ ...step, compensation: step.compensation });
    },
    generateUndoPlan: (fromStep) => known(generateUndoPlan([...executed.values()], fromStep)),
  };
}
