import type { Asked } from '../model/ask.ts';
import type { CiResult } from './latest-results.ts';

/** A re-run that may be asked for. */
export interface RerunPlan {
  /** Names of the red jobs, each once. */
  readonly names: readonly string[];
  /** The workflow runs behind them, each once. */
  readonly workflowRunIds: readonly number[];
}

/** More runs than this that failed together are no matter of a job that happens to be flaky; each costs a call. */
export const MAX_RERUNS = 10;

/**
 * What to run again (resolution S7); null when that would not do: a red job is not flaky, has no workflow run behind it that can
 * be run again, or was run again at this head before, which is done once for each job.
 */
export function planRerun(
  failing: readonly CiResult[],
  known: { readonly headSha: string; readonly flaky: readonly string[]; readonly rerun: Asked['rerun'] },
): RerunPlan | null {
  const flaky = new Set(known.flaky);
  const before = new Set(known.rerun?.headSha === known.headSha ? known.rerun.names : []);
  if (failing.some(({ name }) => !flaky.has(name) || before.has(name))) return null;
  const runIds = failing.flatMap(({ workflowRunId }) => (workflowRunId === undefined ? [] : [workflowRunId]));
  const workflowRunIds = [...new Set(runIds)];
  if (runIds.length < failing.length || workflowRunIds.length > MAX_RERUNS) return null;
  return failing.length === 0 ? null : { names: [...new Set(failing.map(({ name }) => name))], workflowRunIds };
}
