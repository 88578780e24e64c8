import type { ExecutionResult } from '../core/model/plan-run.ts';
import type { StructuredPlan } from '../core/model/structured-plan.ts';

/** How a model was asked. `why` is one line; what the model's gateway saw is the evidence. */
export type Asked =
  /** `end`: `whole`, or why the answer ends early, in the provider's words. */
  | { readonly kind: 'answer'; readonly text: string; readonly end: string }
  | { readonly kind: 'failed'; readonly why: string };

/** One message of the conversation with a planner's model. */
export interface PlannerTurn {
  readonly from: 'user' | 'model';
  readonly text: string;
}

/** The model that writes plans. It is called through the gateway of the session, which counts and limits the calls. */
export interface PlannerModel {
  /** Asks once; never repeats a call. */
  readonly ask: (turns: readonly PlannerTurn[], signal: AbortSignal) => Promise<Asked>;
}

/** The folder that a planner's plan works on. */
export interface PlannerWorkspace {
  /** Paths of its files in order, without `.git`, links and dependencies. Bounded. */
  readonly list: (signal: AbortSignal) => Promise<readonly string[]>;
  /** null: no text file, too long, or outside of the folder. */
  readonly readText: (path: string) => Promise<string | null>;
  /**
   * Runs a plan without errors. `undo` brings every file back as it was before, and leaves nothing new. It returns the folders that it
   * leaves alone, because git ignores them; null: none. Idempotent.
   */
  readonly execute: (
    plan: StructuredPlan,
    signal: AbortSignal,
  ) => Promise<{ readonly result: ExecutionResult; readonly undo: () => Promise<string | null> }>;
}
