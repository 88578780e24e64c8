import type { StepId } from './structured-plan.ts';

/** How a step of a run ended. `skipped`: it never started. `rolled_back`: it was undone after it had completed or failed. */
export const STEP_STATES = ['completed', 'failed', 'skipped', 'rolled_back', 'rollback_failed'] as const;
export type StepState = (typeof STEP_STATES)[number];

/** Why a step did not complete, or did not stay completed. */
export const STEP_CAUSES = [
  /** Its action failed. */
  'ACTION_FAILED',
  'TIMEOUT',
  /** The run was stopped. */
  'CANCELLED',
  /** Its estimate does not fit into what is left. */
  'BUDGET',
  /** A step that it needs did not complete. */
  'DEPENDENCY',
  /** The step of its condition ended otherwise. */
  'CONDITION',
  /** Another step failed, and the plan says that this undoes the run. */
  'ROLLBACK',
  'UNSUPPORTED_ACTION',
] as const;

export interface StepCause {
  readonly code: (typeof STEP_CAUSES)[number];
  /** The step that it follows from; null: from none but itself. */
  readonly step: StepId | null;
  /** One sentence for people. May quote the plan and what a command printed, so it may come from a stranger. */
  readonly message: string;
}

export interface StepResult {
  readonly state: StepState;
  /** null: completed. */
  readonly cause: StepCause | null;
  /** How often its action started. */
  readonly attempts: number;
  readonly costUsd: number;
  readonly durationMs: number;
  /** What the action gives to the steps that depend on it, capped. */
  readonly output: string;
}

/** Counts by state add up to the number of steps (004.R11, S38). */
export interface RunStats {
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly rolledBack: number;
  readonly rollbackFailed: number;
  readonly costUsd: number;
  readonly durationMs: number;
}

/** Results by step key (`toStepKey`), one for every step of the plan. */
export interface ExecutionResult {
  readonly results: ReadonlyMap<string, StepResult>;
  readonly stats: RunStats;
}
