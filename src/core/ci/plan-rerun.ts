import type { Asked } from '../model/ask.ts';
import type { CiResult } from './latest-results.ts';

/** A re-run that may be requested. */
export interface RerunPlan {
  /** Names of the red jobs, each once. */
  readonly names: readonly string[];
  /** Ids of their workflow runs, each once. */
  readonly workflowRunIds: readonly number[];
}

/** If more runs failed together, it is no flaky job. Each re-run costs an API call. */
export const MAX_RERUNS = 10;

/**
 * What to run again (resolution S7); null if a re-run would not help: a red job is not flaky, has no workflow run, or was already
 * re-run at this head. Each job is re-run once.
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
