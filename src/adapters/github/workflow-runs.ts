import { GitHubError } from '../../core/model/errors.ts';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import type { AskResult } from '../../ports/github.ts';
import type { RepositoryCalls } from './repository-calls.ts';

/** GitHub's answers when a re-run is not possible: too old, still running, disabled, or the App lacks the right. */
const refusals: ReadonlySet<GitHubError['code']> = new Set(['FORBIDDEN', 'NOT_FOUND', 'INVALID', 'NOT_GRANTED']);

/**
 * Re-runs the failed jobs of a workflow run and the jobs that depend on them. Never repeated automatically: a second
 * request would be a second re-run. Without the right `actions: write`, GitHub already refuses the token.
 * https://docs.github.com/en/rest/actions/workflow-runs#re-run-failed-jobs-from-a-workflow-run
 */
export async function rerunFailedJobs(
  calls: Pick<RepositoryCalls, 'call'>,
  of: { readonly repository: RepositoryRef; readonly workflowRunId: number },
  signal: AbortSignal,
): Promise<AskResult> {
  const route = 'POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs';
  const parameters = { run_id: of.workflowRunId };
  try {
    await calls.call({ repository: of.repository, route, parameters, access: 'rerun', signal });
    return { kind: 'asked' };
  } catch (error) {
    if (error instanceof GitHubError && refusals.has(error.code)) return { kind: 'refused', why: error.message };
    throw error;
  }
}
