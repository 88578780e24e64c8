import { isRed, toSignal } from './check-signal.ts';
import type { Progress } from './parse-result.ts';

/** What is known of the jobs of a workflow run. */
export interface RunJobs {
  /** The results of its jobs that were read. */
  readonly jobs: readonly Progress[];
  /** Whether it has any job. GitHub may withhold their results. */
  readonly hasJobs: boolean;
}

/**
 * The result that a workflow run is beside its jobs; null if they say everything. It is one in three cases. While it is not
 * completed: its later jobs do not exist yet, and the gap between two jobs would look green. If it completed without any job: a
 * start-up failure, or a run that was never approved (trap 11). And if it did not succeed and no job says so: GitHub withdraws
 * the results of a run for some seconds when it runs again, and the rest would look green. A failure becomes `unknown` then,
 * because nothing is known of its reason.
 */
export function toRunProgress(run: Progress, { jobs, hasJobs }: RunJobs): Progress | null {
  if (run.status !== 'completed' || !hasJobs) return run;
  if (isRed(run)) return jobs.some(isRed) ? null : { status: 'completed', conclusion: 'unknown' };
  return toSignal(run) === 'green' || jobs.some((job) => toSignal(job) !== 'green') ? null : run;
}
