import type { StepResult } from '../state.ts';

/** What a job came to. */
export type JobResult = {
  readonly conclusion: 'success' | 'failure' | 'cancelled' | 'timed_out';
  readonly steps: readonly StepResult[];
  readonly log: string;
  /** GitHub's own annotations about what failed. */
  readonly failureMessages: readonly string[];
};
