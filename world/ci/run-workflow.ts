import { rowOf, toFullName } from '../find.ts';
import { toConclusion } from '../render/checks.ts';
import type { CheckConclusion, WorkflowJob, WorkflowRun } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { runJob } from './run-job.ts';
import type { Workflow, WorkflowJobPlan } from './workflow.ts';
import { addJob, finishJob, holdJob, latestJobs, setRun, skipJob, startJob } from './workflow-rows.ts';

/** Runs the jobs of a registered workflow run one after the other. A job runs after those in its `needs`. */
export async function runWorkflow(
  world: WorldContext,
  runId: number,
  workflow: Workflow,
  signal: AbortSignal,
): Promise<void> {
  if (isOver(world, runId, signal)) return;
  const run = await setRun(world, { ...rowOf(world.state.workflowRuns, runId), status: 'in_progress' }, 'in_progress');
  for (const plan of inOrder(workflow.jobs)) {
    if (isOver(world, runId, signal)) return;
    await runPlannedJob(world, { run, workflow, plan }, signal);
  }
  if (isOver(world, runId, signal)) return;
  if (latestJobs(world, run).some((job) => rowOf(world.state.checkRuns, job.id).status === 'waiting')) {
    world.state.workflowRuns.set(runId, { ...run, status: 'waiting' });
    world.changed();
    return;
  }
  const conclusions = latestJobs(world, run).map((job) => rowOf(world.state.checkRuns, job.id).conclusion);
  const conclusion = toConclusion(conclusions);
  await setRun(world, { ...run, status: 'completed', conclusion }, 'completed');
}

/** Whether the world closes, or the run was cancelled meanwhile. */
function isOver(world: WorldContext, runId: number, signal: AbortSignal): boolean {
  return signal.aborted || rowOf(world.state.workflowRuns, runId).status === 'completed';
}

type PlannedJob = { readonly run: WorkflowRun; readonly workflow: Workflow; readonly plan: WorkflowJobPlan };

async function runPlannedJob(world: WorldContext, planned: PlannedJob, signal: AbortSignal): Promise<void> {
  const { run, plan } = planned;
  const job = queuedJob(world, run, plan) ?? (await addJob(world, run, plan.name));
  if (!isNeedMet(world, planned)) {
    await skipJob(world, job);
    return;
  }
  if (isHeld(world, run, plan)) {
    await holdJob(world, job);
    return;
  }
  await startJob(world, job);
  const result = await runJob(world, run, plan, signal);
  if (!isOver(world, run.id, signal)) await finishJob(world, job, result);
}

function isHeld(world: WorldContext, run: WorkflowRun, { environment }: WorkflowJobPlan): boolean {
  const repository = rowOf(world.state.repositories, run.repositoryId);
  return world.state.protectedEnvironments.has(`${toFullName(repository)} ${environment ?? ''}`);
}

function queuedJob(world: WorldContext, run: WorkflowRun, plan: WorkflowJobPlan): WorkflowJob | null {
  const job = latestJobs(world, run).find((candidate) => rowOf(world.state.checkRuns, candidate.id).name === plan.name);
  return job !== undefined && rowOf(world.state.checkRuns, job.id).status === 'queued' ? job : null;
}

function isNeedMet(world: WorldContext, { run, workflow, plan }: PlannedJob): boolean {
  const needed = new Set(workflow.jobs.filter((job) => plan.needs.includes(job.key)).map((job) => job.name));
  const conclusions: readonly (CheckConclusion | null)[] = latestJobs(world, run)
    .map((job) => rowOf(world.state.checkRuns, job.id))
    .filter((check) => needed.has(check.name))
    .map((check) => check.conclusion);
  return conclusions.every((conclusion) => conclusion === 'success');
}

/** Orders jobs after those they need. Jobs in a cycle keep the order of the file. */
function inOrder(jobs: readonly WorkflowJobPlan[]): readonly WorkflowJobPlan[] {
  const ordered: WorkflowJobPlan[] = [];
  const keys = new Set(jobs.map((job) => job.key));
  for (let pass = 0; pass < jobs.length; pass += 1) {
    for (const job of jobs) {
      const isReady = job.needs.every((key) => !keys.has(key) || ordered.some((done) => done.key === key));
      if (isReady && !ordered.includes(job)) ordered.push(job);
    }
  }
  return [...ordered, ...jobs.filter((job) => !ordered.includes(job))];
}
