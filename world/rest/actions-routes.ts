import { loginOf } from '../auth/caller.ts';
import { approveRun, jobNames, rerunWorkflow } from '../ci/rerun-workflow.ts';
import { latestJobs } from '../ci/workflow-rows.ts';
import { rowOf, toFullName } from '../find.ts';
import { renderWorkflowJob, renderWorkflowRun } from '../render/actions.ts';
import type { CheckConclusion, Repository, WorkflowJob, WorkflowRun } from '../state.ts';
import {
  countedList,
  created,
  failure,
  notFound,
  numberParam,
  ok,
  type Reply,
  type RestRequest,
  reading,
  writing,
} from './route.ts';

/** Workflow runs, jobs, logs and re-runs. */
export const ACTIONS_ROUTES = [
  reading('GET /repos/{owner}/{repo}/actions/runs', 'actions', async (request, repository) => {
    const { world, query } = request;
    const rows = [...world.state.workflowRuns.values()]
      .filter((run) => run.repositoryId === repository.id)
      .filter((run) => isWanted(query, 'head_sha', run.headSha) && isWanted(query, 'branch', run.headBranch))
      .filter((run) => isWanted(query, 'event', run.event) && isWanted(query, 'check_suite_id', String(run.suiteId)))
      .filter((run) => isWanted(query, 'status', run.status) || isWanted(query, 'status', run.conclusion ?? ''));
    return await countedList(
      request,
      'workflow_runs',
      rows.toReversed(),
      async (run) => await renderWorkflowRun(world, run),
    );
  }),
  reading('GET /repos/{owner}/{repo}/actions/runs/{run_id}', 'actions', async (request, repository) => {
    const run = runParam(request, repository);
    return run === null ? notFound() : ok(await renderWorkflowRun(request.world, run));
  }),
  reading(
    'GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}',
    'actions',
    async (request, repository) => {
      const run = attemptParam(request, repository);
      return run === null ? notFound() : ok(await renderWorkflowRun(request.world, run));
    },
  ),
  reading(
    'GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs',
    'actions',
    async (request, repository) => {
      const { world } = request;
      const run = attemptParam(request, repository);
      if (run === null) return notFound();
      return await countedList(request, 'jobs', latestJobs(world, run), (job) => renderWorkflowJob(world, job));
    },
  ),
  reading('GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs', 'actions', async (request, repository) => {
    const { world, query } = request;
    const run = runParam(request, repository);
    if (run === null) return notFound();
    const all = [...world.state.workflowJobs.values()].filter((job) => job.runId === run.id);
    const rows = query.get('filter') === 'all' ? all : latestJobs(world, run);
    return await countedList(request, 'jobs', rows, (job) => renderWorkflowJob(world, job));
  }),
  reading('GET /repos/{owner}/{repo}/actions/jobs/{job_id}', 'actions', (request, repository) => {
    const job = jobParam(request, repository);
    return job === null ? notFound() : ok(renderWorkflowJob(request.world, job));
  }),
  reading('GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', 'actions', (request, repository) => {
    const { world } = request;
    const job = jobParam(request, repository);
    // A job that was not started has no log.
    if (job === null || job.log === '' || rowOf(world.state.checkRuns, job.id).status !== 'completed')
      return notFound();
    const location = `${world.url}/_logs/${toFullName(repository)}/${job.id}.txt`;
    return { status: 302, body: null, headers: { location } };
  }),
  writing('POST /repos/{owner}/{repo}/actions/jobs/{job_id}/rerun', 'actions', async (request, repository) => {
    const { world } = request;
    const job = jobParam(request, repository);
    if (job === null) return notFound();
    const run = rowOf(world.state.workflowRuns, job.runId);
    const isCurrent = latestJobs(world, run).some((latest) => latest.id === job.id);
    if (!isCurrent) return failure(403, 'Only jobs from the current attempt can be re-run');
    return await rerun(request, run, [rowOf(world.state.checkRuns, job.id).name]);
  }),
  writing('POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun', 'actions', async (request, repository) => {
    const run = runParam(request, repository);
    if (run === null) return notFound();
    return await rerun(
      request,
      run,
      jobNames(request.world, run, () => true),
    );
  }),
  writing(
    'POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs',
    'actions',
    async (request, repository) => {
      const run = runParam(request, repository);
      return run === null ? notFound() : await rerun(request, run, jobNames(request.world, run, isFailed));
    },
  ),
  writing('POST /repos/{owner}/{repo}/actions/runs/{run_id}/approve', 'actions', async (request, repository) => {
    const run = runParam(request, repository);
    if (run === null) return notFound();
    const outcome = await approveRun(request.world, run.id, loginOf(request.world, request.caller));
    return outcome === 'started' ? created({}) : failure(403, 'This run is not waiting for approval');
  }),
] as const;

function isWanted(query: URLSearchParams, name: string, value: string): boolean {
  const wanted = query.get(name);
  return wanted === null || wanted === value;
}

function runParam(request: RestRequest, repository: Repository): WorkflowRun | null {
  const run = request.world.state.workflowRuns.get(numberParam(request, 'run_id'));
  return run?.repositoryId === repository.id ? run : null;
}

function jobParam(request: RestRequest, repository: Repository): WorkflowJob | null {
  const { state } = request.world;
  const job = state.workflowJobs.get(numberParam(request, 'job_id'));
  return job !== undefined && rowOf(state.checkRuns, job.id).repositoryId === repository.id ? job : null;
}

/** The run at the attempt in the path, or null. */
function attemptParam(request: RestRequest, repository: Repository): WorkflowRun | null {
  const run = runParam(request, repository);
  const attempt = numberParam(request, 'attempt_number');
  if (run === null || run.attempt === attempt) return run;
  return run.earlierAttempts.find((earlier) => earlier.attempt === attempt) ?? null;
}

function isFailed(conclusion: CheckConclusion | null): boolean {
  return conclusion === 'failure' || conclusion === 'cancelled' || conclusion === 'timed_out';
}

async function rerun(request: RestRequest, run: WorkflowRun, chosen: readonly string[]): Promise<Reply> {
  const { world, caller } = request;
  const outcome = await rerunWorkflow(world, run.id, { chosen, login: loginOf(world, caller) });
  switch (outcome) {
    case 'started':
      return created({});
    case 'running':
      return failure(403, 'This workflow is already running');
    case 'nothing-to-run':
      return failure(403, 'This workflow run cannot be retried');
  }
}
