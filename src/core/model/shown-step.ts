import type { StepResult } from './plan-run.ts';
import type { StructuredStep } from './structured-plan.ts';

/** A step of a run, and how it ended; null: it has not ended. */
export interface ShownStep {
  readonly step: StructuredStep;
  readonly result: Pick<StepResult, 'state' | 'cause' | 'durationMs' | 'costUsd'> | null;
}

/** Of the plan of an agent. */
export const MAX_SHOWN_STEPS = 100;
