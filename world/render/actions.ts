import { rowOf } from '../find.ts';
import { readCommit } from '../git/repository.ts';
import type { JsonObject } from '../json.ts';
import type { StepResult, WorkflowJob, WorkflowRun } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { renderUser } from './accounts.ts';
import { renderPullsOfHead, renderSimpleCommit } from './checks.ts';
import { renderRepository, repositoryApi, repositoryPage } from './repositories.ts';

export async function renderWorkflowRun(world: WorldContext, run: WorkflowRun): Promise<JsonObject> {
  const repository = rowOf(world.state.repositories, run.repositoryId);
  const api = repositoryApi(world, repository);
  const url = `${api}/actions/runs/${run.id}`;
  const headCommit = await readCommit(repository.git, run.headSha);
  return {
    id: run.id,
    name: run.name,
    node_id: `WFR_${run.id}`,
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: run.path,
    display_title: headCommit.message.split('\n')[0] ?? '',
    run_number: run.runNumber,
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: run.workflowId,
    check_suite_id: run.suiteId,
    check_suite_node_id: `CS_${run.suiteId}`,
    url,
    html_url: `${repositoryPage(world, repository)}/actions/runs/${run.id}`,
    pull_requests: await renderPullsOfHead(world, run.repositoryId, run.headSha),
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    actor: renderUser(world, run.actorLogin),
    triggering_actor: renderUser(world, run.triggeredByLogin),
    run_attempt: run.attempt,
    run_started_at: run.startedAt,
    referenced_workflows: [],
    previous_attempt_url: run.attempt === 1 ? null : `${url}/attempts/${run.attempt - 1}`,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${api}/check-suites/${run.suiteId}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    workflow_url: `${api}/actions/workflows/${run.workflowId}`,
    head_commit: renderSimpleCommit(headCommit),
    repository: renderRepository(world, repository),
    head_repository: renderRepository(world, repository),
  };
}

/** The workflow of a run, in `workflow_run` events. */
export function renderWorkflow(world: WorldContext, run: WorkflowRun): JsonObject {
  const repository = rowOf(world.state.repositories, run.repositoryId);
  const url = `${repositoryApi(world, repository)}/actions/workflows/${run.workflowId}`;
  return {
    id: run.workflowId,
    node_id: `W_${run.workflowId}`,
    name: run.name,
    path: run.path,
    state: 'active',
    created_at: repository.createdAt,
    updated_at: repository.createdAt,
    url,
    html_url: `${repositoryPage(world, repository)}/blob/main/${run.path}`,
    badge_url: `${repositoryPage(world, repository)}/workflows/${encodeURIComponent(run.name)}/badge.svg`,
  };
}

function renderStep(step: StepResult): JsonObject {
  return {
    name: step.name,
    status: step.status,
    conclusion: step.conclusion,
    number: step.number,
    started_at: step.startedAt,
    completed_at: step.completedAt,
  };
}

export function renderWorkflowJob(world: WorldContext, job: WorkflowJob): JsonObject {
  const run = rowOf(world.state.workflowRuns, job.runId);
  const check = rowOf(world.state.checkRuns, job.id);
  const repository = rowOf(world.state.repositories, run.repositoryId);
  const api = repositoryApi(world, repository);
  const isWaiting = check.status !== 'in_progress' && check.status !== 'completed';
  const attempt = [...run.earlierAttempts, run].find((row) => row.attempt === job.attempt) ?? run;
  return {
    id: job.id,
    run_id: run.id,
    workflow_name: run.name,
    head_branch: run.headBranch,
    run_url: `${api}/actions/runs/${run.id}`,
    run_attempt: job.attempt,
    node_id: `CR_${job.id}`,
    head_sha: run.headSha,
    url: `${api}/actions/jobs/${job.id}`,
    html_url: `${repositoryPage(world, repository)}/actions/runs/${run.id}/job/${job.id}`,
    status: check.status,
    conclusion: check.conclusion,
    created_at: attempt.startedAt,
    started_at: check.startedAt ?? attempt.startedAt,
    completed_at: check.completedAt,
    name: check.name,
    steps: job.steps.map(renderStep),
    check_run_url: `${api}/check-runs/${job.id}`,
    labels: ['ubuntu-latest'],
    runner_id: isWaiting ? null : 1,
    runner_name: isWaiting ? null : 'GitHub Actions 1',
    runner_group_id: isWaiting ? null : 2,
    runner_group_name: isWaiting ? null : 'GitHub Actions',
  };
}
