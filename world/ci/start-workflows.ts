import { rowOf } from '../find.ts';
import { readContent, readText } from '../git/read-content.ts';
import { mergeCommits } from '../git/repository.ts';
import { createSuite } from '../operations/check-suites.ts';
import { readPullTips } from '../operations/read-pull-code.ts';
import type { Pull, Repository, WorkflowRun } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { runWorkflow } from './run-workflow.ts';
import { isTriggered, parseWorkflow, type Workflow } from './workflow.ts';
import { ACTIONS_APP_ID, addJob, setRun } from './workflow-rows.ts';

const FOLDER = '.github/workflows';

type Start = {
  readonly repository: Repository;
  readonly event: 'push' | 'pull_request';
  readonly headSha: string;
  readonly headBranch: string;
  readonly checkout: string;
  readonly login: string;
};

/** The workflows at a commit or tree. Files that do not parse are left out. */
export async function readWorkflows(repository: Repository, tree: string): Promise<readonly Workflow[]> {
  const folder = await readContent(repository.git, tree, FOLDER);
  if (folder?.kind !== 'tree') return [];
  const workflows: Workflow[] = [];
  for (const entry of folder.entries.filter(({ name }) => /\.ya?ml$/u.test(name))) {
    const text = await readText(repository.git, tree, `${FOLDER}/${entry.name}`);
    const workflow = parseWorkflow(`${FOLDER}/${entry.name}`, text ?? '');
    if (workflow !== null) workflows.push(workflow);
  }
  return workflows;
}

/** Starts the workflows a pushed branch triggers. */
export async function startPushWorkflows(
  world: WorldContext,
  push: { readonly repository: Repository; readonly sha: string; readonly branch: string; readonly login: string },
): Promise<void> {
  const workflows = await readWorkflows(push.repository, push.sha);
  const start: Start = {
    repository: push.repository,
    event: 'push',
    headSha: push.sha,
    headBranch: push.branch,
    checkout: push.sha,
    login: push.login,
  };
  await startAll(
    world,
    workflows.filter((workflow) => isTriggered(workflow.push, push.branch)),
    start,
  );
}

/** Starts the workflows of a pull request. GitHub starts none while it conflicts with its base. */
export async function startPullWorkflows(world: WorldContext, pull: Pull, login: string): Promise<void> {
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  const { headSha, baseSha } = await readPullTips(world, pull);
  const merge = await mergeCommits(repository.git, baseSha, headSha);
  if (merge.kind === 'conflict') return;
  const workflows = await readWorkflows(repository, merge.treeSha);
  const wanted = workflows.filter((workflow) => isTriggered(workflow.pullRequest, pull.baseBranch));
  const { headBranch } = pull;
  await startAll(world, wanted, {
    repository,
    event: 'pull_request',
    headSha,
    headBranch,
    checkout: merge.treeSha,
    login,
  });
}

async function startAll(world: WorldContext, workflows: readonly Workflow[], start: Start): Promise<void> {
  if (workflows.length === 0) return;
  const register = async (): Promise<void> => {
    for (const workflow of workflows) await registerRun(world, workflow, start);
  };
  const delayMs = world.faults.ciRegistrationDelayMs();
  if (delayMs === 0) await register();
  else world.ci.later(delayMs, register);
}

async function registerRun(world: WorldContext, workflow: Workflow, start: Start): Promise<void> {
  const { repository, login, ...rest } = start;
  const earlier = [...world.state.workflowRuns.values()].filter((run) => {
    return run.repositoryId === repository.id && run.path === workflow.path;
  });
  const suite = createSuite(world, repository, ACTIONS_APP_ID, { sha: start.headSha, branch: start.headBranch });
  const at = world.now();
  const run: WorkflowRun = {
    ...rest,
    id: world.nextId(),
    repositoryId: repository.id,
    suiteId: suite.id,
    workflowId: earlier[0]?.workflowId ?? world.nextId(),
    path: workflow.path,
    name: workflow.name,
    actorLogin: login,
    runNumber: earlier.length + 1,
    attempt: 1,
    status: 'queued',
    conclusion: null,
    createdAt: at,
    updatedAt: at,
  };
  await setRun(world, run, 'requested');
  for (const plan of workflow.jobs.filter((job) => job.needs.length === 0)) await addJob(world, run, plan.name);
  world.ci.enqueue(async (signal) => {
    await runWorkflow(world, run.id, workflow, signal);
  });
}

/** Runs jobs of a finished workflow run again as a new attempt; `names` are the jobs to repeat. */
export async function rerunWorkflow(world: WorldContext, run: WorkflowRun, names: readonly string[]): Promise<boolean> {
  const repository = rowOf(world.state.repositories, run.repositoryId);
  const workflows = await readWorkflows(repository, run.checkout);
  const workflow = workflows.find((candidate) => candidate.path === run.path);
  if (workflow === undefined || names.length === 0) return false;
  const repeated = withDependants(workflow, names);
  const next = { ...run, attempt: run.attempt + 1, status: 'queued', conclusion: null } as const;
  await setRun(world, next, 'requested');
  const jobs = workflow.jobs.filter((job) => repeated.has(job.name));
  for (const job of jobs) await addJob(world, next, job.name);
  world.ci.enqueue(async (signal) => {
    await runWorkflow(world, run.id, { ...workflow, jobs }, signal);
  });
  return true;
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
