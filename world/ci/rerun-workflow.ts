import { rowOf, toFullName } from '../find.ts';
import { replaceCheckRun } from '../operations/change-checks.ts';
import type { CheckConclusion, WorkflowRun } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import type { JobResult } from './job-result.ts';
import { runWorkflow } from './run-workflow.ts';
import { queueJobs, readWorkflows } from './start-workflows.ts';
import type { Workflow } from './workflow.ts';
import { ACTIONS_LOGIN, addJob, finishJob, latestJobs, setRun } from './workflow-rows.ts';

/** Outcome of a re-run or an approval of a workflow run. */
export type RerunOutcome = 'started' | 'running' | 'nothing-to-run';

/** A request to re-run jobs. `chosen` are check run names, `login` is who asks. */
export type Rerun = { readonly chosen: readonly string[]; readonly login: string };

/** Re-runs jobs of a completed workflow run, and every job that needs one of them, as a new attempt. */
export async function rerunWorkflow(world: WorldContext, runId: number, rerun: Rerun): Promise<RerunOutcome> {
  const workflow = await workflowOf(world, rowOf(world.state.workflowRuns, runId));
  // Read after the await, so that only one of two concurrent requests starts an attempt.
  const run = rowOf(world.state.workflowRuns, runId);
  if (run.status !== 'completed') return 'running';
  if (workflow === null || rerun.chosen.length === 0) return 'nothing-to-run';
  const repeated = withDependants(workflow, rerun.chosen);
  const jobs = workflow.jobs.filter((job) => repeated.has(job.name));
  const start = async (): Promise<void> => await startAttempt(world, { run, workflow, jobs, login: rerun.login });
  const fullName = toFullName(rowOf(world.state.repositories, run.repositoryId));
  if (world.faults.withdrawUntilReleased(fullName, start)) await withdraw(world, run, repeated);
  else await start();
  return 'started';
}

/** Takes the results of jobs that will run again out of all lists. The suite still has the old conclusion. */
async function withdraw(world: WorldContext, run: WorkflowRun, names: ReadonlySet<string>): Promise<void> {
  for (const { id } of latestJobs(world, run)) {
    const check = rowOf(world.state.checkRuns, id);
    if (names.has(check.name)) await replaceCheckRun(world, { ...check, isWithdrawn: true }, ACTIONS_LOGIN);
  }
}

type Attempt = {
  readonly run: WorkflowRun;
  readonly workflow: Workflow;
  readonly jobs: Workflow['jobs'];
  readonly login: string;
};

async function startAttempt(world: WorldContext, { run, workflow, jobs, login }: Attempt): Promise<void> {
  const next: WorkflowRun = {
    ...run,
    triggeredByLogin: login,
    attempt: run.attempt + 1,
    earlierAttempts: [...run.earlierAttempts, { ...run, earlierAttempts: [] }],
    status: 'queued',
    conclusion: null,
    startedAt: world.now(),
  };
  await setRun(world, next, 'requested');
  for (const job of jobs) await addJob(world, next, job.name);
  world.ci.enqueue(async (signal) => {
    await runWorkflow(world, run.id, { ...workflow, jobs }, signal);
  });
}

/** What a reviewer says of a deployment. */
export type DeploymentVerdict = 'approved' | 'rejected';

const REJECTED: JobResult = {
  conclusion: 'failure',
  steps: [],
  log: '',
  failureMessages: ["The deployment was rejected or didn't satisfy other protection rules."],
};

/** Approves or rejects the deployments that a run waits for. */
export async function reviewDeployments(world: WorldContext, runId: number, verdict: DeploymentVerdict): Promise<void> {
  const run = rowOf(world.state.workflowRuns, runId);
  const workflow = await workflowOf(world, run);
  if (run.status !== 'waiting' || workflow === null) throw new Error(`Workflow run ${runId} waits for no deployment`);
  const names = new Set<string>();
  for (const job of latestJobs(world, run)) {
    const check = rowOf(world.state.checkRuns, job.id);
    if (check.status !== 'waiting') continue;
    if (verdict === 'rejected') await finishJob(world, job, REJECTED);
    else await replaceCheckRun(world, { ...check, status: 'queued' }, ACTIONS_LOGIN);
    names.add(check.name);
  }
  const approved = workflow.jobs.filter(({ name }) => verdict === 'approved' && names.has(name));
  const jobs = approved.map((job) => ({ ...job, environment: null }));
  world.ci.enqueue(async (signal) => {
    await runWorkflow(world, run.id, { ...workflow, jobs }, signal);
  });
}

/** Approves a run that waits for a maintainer. It stays the same attempt. */
export async function approveRun(world: WorldContext, runId: number, login: string): Promise<RerunOutcome> {
  const workflow = await workflowOf(world, rowOf(world.state.workflowRuns, runId));
  const run = rowOf(world.state.workflowRuns, runId);
  if (run.status !== 'completed') return 'running';
  if (run.conclusion !== 'action_required' || workflow === null) return 'nothing-to-run';
  const approved = { ...run, triggeredByLogin: login, status: 'queued', conclusion: null } as const;
  await queueJobs(world, await setRun(world, approved, 'requested'), workflow);
  return 'started';
}

/** The names of a run's newest jobs whose conclusions are chosen. */
export function jobNames(
  world: WorldContext,
  run: WorkflowRun,
  isChosen: (conclusion: CheckConclusion | null) => boolean,
): readonly string[] {
  return latestJobs(world, run)
    .map((job) => rowOf(world.state.checkRuns, job.id))
    .filter((check) => isChosen(check.conclusion))
    .map((check) => check.name);
}

async function workflowOf(world: WorldContext, run: WorkflowRun): Promise<Workflow | null> {
  const workflows = await readWorkflows(rowOf(world.state.repositories, run.repositoryId), run.checkout);
  return workflows.find((candidate) => candidate.path === run.path) ?? null;
}

/** The jobs to repeat and every job that needs one of them. */
function withDependants(workflow: Workflow, names: readonly string[]): ReadonlySet<string> {
  const repeated = new Set(names);
  for (let pass = 0; pass < workflow.jobs.length; pass += 1) {
    const keys = new Set(workflow.jobs.filter((job) => repeated.has(job.name)).map((job) => job.key));
    for (const job of workflow.jobs) if (job.needs.some((key) => keys.has(key))) repeated.add(job.name);
  }
  return repeated;
}
