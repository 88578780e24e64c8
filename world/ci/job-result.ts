import type { StepResult } from '../state.ts';

/** The result of a job. */
export type JobResult = {
  readonly conclusion: 'success' | 'failure' | 'cancelled' | 'timed_out';
  readonly steps: readonly StepResult[];
  readonly log: string;
  /** GitHub's own annotations about the failure. */
  readonly failureMessages: readonly string[];
};
