import { rowOf } from '../find.ts';
import { addCheckRun, replaceCheckRun } from '../operations/change-checks.ts';
import { renderWorkflow, renderWorkflowJob, renderWorkflowRun } from '../render/actions.ts';
import { repositoryPage } from '../render/repositories.ts';
import type { Annotation, CheckConclusion, CheckRun, WorkflowJob, WorkflowRun } from '../state.ts';
import { emit } from '../webhooks/emit.ts';
import type { WorldContext } from '../world-context.ts';
import type { JobResult } from './job-result.ts';

/** The account behind GitHub Actions. */
export const ACTIONS_LOGIN = 'github-actions[bot]';
/** The app id of GitHub Actions on github.com. */
export const ACTIONS_APP_ID = 15_368;

/** Updates a workflow run and sends its webhook. */
export async function setRun(
  world: WorldContext,
  run: WorkflowRun,
  action: 'requested' | 'in_progress' | 'completed',
): Promise<WorkflowRun> {
  const changed = { ...run, updatedAt: world.now() };
  world.state.workflowRuns.set(run.id, changed);
  emit(world, {
    event: 'workflow_run',
    action,
    repositoryId: run.repositoryId,
    senderLogin: run.triggeredByLogin,
    body: { workflow_run: await renderWorkflowRun(world, changed), workflow: renderWorkflow(world, changed) },
  });
  return changed;
}

function emitJob(
  world: WorldContext,
  job: WorkflowJob,
  action: 'queued' | 'waiting' | 'in_progress' | 'completed',
): void {
  const run = rowOf(world.state.workflowRuns, job.runId);
  emit(world, {
    event: 'workflow_job',
    action,
    repositoryId: run.repositoryId,
    senderLogin: run.triggeredByLogin,
    body: { workflow_job: renderWorkflowJob(world, job) },
  });
}

/** Creates a job and its check run. Both have the same id. */
export async function addJob(world: WorldContext, run: WorkflowRun, name: string): Promise<WorkflowJob> {
  const id = world.nextId();
  const repository = rowOf(world.state.repositories, run.repositoryId);
  const check: CheckRun = {
    id,
    repositoryId: run.repositoryId,
    suiteId: run.suiteId,
    appId: ACTIONS_APP_ID,
    headSha: run.headSha,
    name,
    status: 'queued',
    conclusion: null,
    startedAt: world.now(),
    completedAt: null,
    detailsUrl: `${repositoryPage(world, repository)}/actions/runs/${run.id}/job/${id}`,
    externalId: '',
    output: { title: null, summary: null, text: null },
    annotations: [],
    actions: [],
  };
  const job: WorkflowJob = { id, runId: run.id, attempt: run.attempt, steps: [], log: '' };
  world.state.workflowJobs.set(id, job);
  await addCheckRun(world, check, run.triggeredByLogin);
  emitJob(world, job, 'queued');
  return job;
}

/** Marks a job as running. */
export async function startJob(world: WorldContext, job: WorkflowJob): Promise<void> {
  const check = rowOf(world.state.checkRuns, job.id);
  const started = { ...check, status: 'in_progress', startedAt: world.now() } as const;
  await replaceCheckRun(world, started, ACTIONS_LOGIN);
  emitJob(world, job, 'in_progress');
}

/** Stores the result of a job. */
export async function finishJob(world: WorldContext, job: WorkflowJob, result: JobResult): Promise<void> {
  const finished = { ...job, steps: result.steps, log: result.log };
  world.state.workflowJobs.set(job.id, finished);
  await endCheck(world, job, result.conclusion, result.failureMessages);
  emitJob(world, finished, 'completed');
}

/** Holds a job back until its deployment is reviewed. */
export async function holdJob(world: WorldContext, job: WorkflowJob): Promise<void> {
  const check = rowOf(world.state.checkRuns, job.id);
  await replaceCheckRun(world, { ...check, status: 'waiting' }, ACTIONS_LOGIN);
  emitJob(world, job, 'waiting');
}

/** Ends a job that has not ended, as cancelled. */
export async function cancelJob(world: WorldContext, job: WorkflowJob): Promise<void> {
  if (rowOf(world.state.checkRuns, job.id).status === 'completed') return;
  await endCheck(world, job, 'cancelled', []);
  emitJob(world, job, 'completed');
}

/** Marks a job that never ran as skipped. */
export async function skipJob(world: WorldContext, job: WorkflowJob): Promise<void> {
  await endCheck(world, job, 'skipped', []);
  emitJob(world, job, 'completed');
}

async function endCheck(
  world: WorldContext,
  job: WorkflowJob,
  conclusion: CheckConclusion,
  messages: readonly string[],
): Promise<void> {
  const check = rowOf(world.state.checkRuns, job.id);
  const annotations = messages.map(toAnnotation);
  const ended = { ...check, status: 'completed', conclusion, completedAt: world.now(), annotations } as const;
  const run = rowOf(world.state.workflowRuns, job.runId);
  await replaceCheckRun(world, ended, run.triggeredByLogin);
}

function toAnnotation(message: string): Annotation {
  return { path: '.github', startLine: 1, endLine: 1, level: 'failure', message, title: null, rawDetails: null };
}

/** The newest job per name, up to the run's attempt. A re-run keeps the jobs that it does not repeat. */
export function latestJobs(world: WorldContext, run: WorkflowRun): readonly WorkflowJob[] {
  const jobs = [...world.state.workflowJobs.values()].filter(
    (job) => job.runId === run.id && job.attempt <= run.attempt,
  );
  return [...new Map(jobs.map((job) => [rowOf(world.state.checkRuns, job.id).name, job])).values()];
}
