import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { rowOf, toFullName } from '../find.ts';
import { git } from '../git/run-git.ts';
import type { Repository, StepResult, WorkflowRun } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { toFaultResult } from './job-fault.ts';
import { createJobLog, type JobLog, renderStepHeader } from './job-log.ts';
import type { JobResult } from './job-result.ts';
import { runCommand } from './run-command.ts';
import type { WorkflowJobPlan, WorkflowStep } from './workflow.ts';

type Progress = { readonly isFailed: boolean; readonly message: string | null; readonly isTimedOut: boolean };

/** Checks the tree out into a new folder and runs the job's steps there, unless a fault is planned for the job. */
export async function runJob(
  world: WorldContext,
  run: WorkflowRun,
  plan: WorkflowJobPlan,
  signal: AbortSignal,
): Promise<JobResult> {
  const repository = rowOf(world.state.repositories, run.repositoryId);
  const fault = world.faults.takeJobFault(toFullName(repository), plan.name);
  if (fault !== null) return toFaultResult(plan, fault, world.now());
  const jobDir = path.join(world.root, 'ci', String(world.nextId()));
  const place = { dir: path.join(jobDir, repository.name), homeDir: path.join(jobDir, 'home') };
  await Promise.all([mkdir(place.dir, { recursive: true }), mkdir(place.homeDir, { recursive: true })]);
  try {
    await checkOut(repository, run.checkout, { dir: place.dir, jobDir });
    const env = {
      GITHUB_SHA: run.headSha,
      GITHUB_REPOSITORY: toFullName(repository),
      GITHUB_EVENT_NAME: run.event,
      GITHUB_RUN_ID: String(run.id),
      GITHUB_RUN_NUMBER: String(run.runNumber),
      GITHUB_RUN_ATTEMPT: String(run.attempt),
      GITHUB_WORKFLOW: run.name,
      GITHUB_JOB: plan.key,
      GITHUB_HEAD_REF: run.event === 'pull_request' ? run.headBranch : '',
    };
    return await runCommands(world, plan, { ...place, env }, signal);
  } finally {
    await rm(jobDir, { recursive: true, force: true });
  }
}

/** One process, where `git archive | tar` takes two. The index is of no use afterwards. */
async function checkOut(
  repository: Repository,
  tree: string,
  place: { readonly dir: string; readonly jobDir: string },
): Promise<void> {
  const env = {
    GIT_DIR: repository.git.dir,
    GIT_WORK_TREE: place.dir,
    GIT_INDEX_FILE: path.join(place.jobDir, 'index'),
  };
  await git(place.dir, ['read-tree', '--reset', '-u', tree], { env });
}

function isWanted(step: WorkflowStep, isFailed: boolean): boolean {
  if (step.condition.includes('always()')) return true;
  return step.condition.includes('failure()') ? isFailed : !isFailed;
}

async function runCommands(
  world: WorldContext,
  plan: WorkflowJobPlan,
  place: Parameters<typeof runCommand>[1],
  signal: AbortSignal,
): Promise<JobResult> {
  const log = createJobLog();
  const steps: StepResult[] = [];
  let progress: Progress = { isFailed: false, message: null, isTimedOut: false };
  for (const [index, step] of plan.steps.entries()) {
    const startedAt = world.now();
    const base = { number: index + 1, name: step.name, status: 'completed', startedAt } as const;
    if (!isWanted(step, progress.isFailed)) {
      steps.push({ ...base, conclusion: 'skipped', completedAt: startedAt });
      continue;
    }
    const after = await runStep(step, { ...place, env: { ...place.env, ...step.env } }, { log, signal });
    const isBad = after.isFailed && !step.isErrorIgnored;
    if (isBad) progress = after;
    steps.push({ ...base, conclusion: after.isFailed ? 'failure' : 'success', completedAt: world.now() });
  }
  return {
    conclusion: toJobConclusion(progress, signal),
    steps,
    log: log.text(),
    failureMessages: progress.message === null ? [] : [progress.message],
  };
}

function toJobConclusion(progress: Progress, signal: AbortSignal): JobResult['conclusion'] {
  if (signal.aborted) return 'cancelled';
  if (progress.isTimedOut) return 'timed_out';
  return progress.isFailed ? 'failure' : 'success';
}

async function runStep(
  step: WorkflowStep,
  place: Parameters<typeof runCommand>[1],
  run: { readonly log: JobLog; readonly signal: AbortSignal },
): Promise<Progress> {
  if (step.run === null) {
    run.log.add(`##[group]Run ${step.uses ?? step.name}`, '##[endgroup]');
    return { isFailed: false, message: null, isTimedOut: false };
  }
  const dir = path.resolve(place.dir, step.workingDirectory);
  run.log.add(...renderStepHeader(step.run));
  const result = await runCommand(step.run, { ...place, dir }, run.signal);
  run.log.add(...result.lines);
  if (result.exitCode === 0) return { isFailed: false, message: null, isTimedOut: false };
  const message = result.isTimedOut
    ? 'The operation was canceled.'
    : `Process completed with exit code ${result.exitCode}.`;
  run.log.add(`##[error]${message}`);
  return { isFailed: true, message, isTimedOut: result.isTimedOut };
}
