import type { StepResult } from '../core/model/plan-run.ts';
import type { StructuredStep } from '../core/model/structured-plan.ts';

/** How one start of an action ended. */
export type ActionEnd =
  | {
      readonly kind: 'completed';
      readonly output: string;
      /** null: nothing was measured. */
      readonly costUsd: number | null;
    }
  | {
      readonly kind: 'failed';
      /** Another start may succeed: only then is the action retried. */
      readonly isTransient: boolean;
      /** Left out: it may have done something. `false`: it did not, so nothing is undone before the next start. */
      readonly hasActed?: false;
      readonly message: string;
      readonly output: string;
      readonly costUsd: number | null;
    };

/** Plain JSON that tells how to undo one start of an action. It is stored before the action starts. */
export type Compensation = Readonly<Record<string, unknown>>;

/** What an action gets besides its step. */
export interface StepInput<Place> {
  readonly place: Place;
  /** Results of the steps that it follows, by step key. */
  readonly results: ReadonlyMap<string, StepResult>;
}

/**
 * Carries out one action type. Timeouts, retries and failures are the executor's (004.R35): an adapter acts once and says how it
 * ended. It may throw; that is a failure that is not transient.
 */
export interface ActionAdapter<Place> {
  readonly actionType: string;
  /** What people read, for example `write a file`. */
  readonly toolName: string;
  /** In USD, for a step that declares no estimate and has no history. */
  readonly estimateUsd: number;
  /** Prepares the undo of what `act` is about to do. null: there is nothing to undo. */
  readonly prepareUndo: (
    step: StructuredStep,
    input: StepInput<Place>,
    signal: AbortSignal,
  ) => Promise<Compensation | null>;
  /**
   * Whether that undo restores the whole place as it was before the start. It then also takes back what steps beside it did
   * meanwhile, so those run again when the run is resumed, and a start that may have done something is not tried again. Left out: it takes back its own work only.
   */
  readonly restoresPlace?: (compensation: Compensation) => boolean;
  readonly act: (step: StructuredStep, input: StepInput<Place>, signal: AbortSignal) => Promise<ActionEnd>;
  /**
   * Undoes an action that was carried out, in part or not at all. Idempotent. Returns what it leaves as it is (for example ignored
   * folders), for the report; throws if it cannot undo.
   */
  readonly undo: (
    compensation: Compensation,
    place: Place,
    signal: AbortSignal,
  ) => Promise<{ readonly note: string | null }>;
}

/** The action types that can be carried out (004.R12). */
export interface ExecutionToolRegistry<Place> {
  readonly actionTypes: ReadonlySet<string>;
  readonly getToolName: (actionType: string) => string | null;
  /** null: `UNSUPPORTED_ACTION`. */
  readonly getAdapter: (actionType: string) => ActionAdapter<Place> | null;
}

/** Guards one run's budget (004.R17 to R20, S34). */
export interface BudgetGuard {
  /** Reserves the estimate; false, and nothing reserved, if it does not fit. Synchronous, so steps in parallel cannot overspend. */
  readonly check: (stepKey: string, estimateUsd: number) => boolean;
  /** Settles the reservation: what was measured; else its estimate if the step started (null), or 0 if it did not. */
  readonly update: (stepKey: string, actualUsd: number | null) => void;
  readonly spentUsd: () => number;
}
