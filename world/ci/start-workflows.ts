import { rowOf, toFullName } from '../find.ts';
import type { ChangedFile } from '../git/commit.ts';
import { changedFiles, compareCommits } from '../git/compare.ts';
import { readContent, readText } from '../git/read-content.ts';
import { branchTip, mergeCommits, ZERO_SHA } from '../git/repository.ts';
import { completeSuite, createSuite } from '../operations/check-suites.ts';
import { readPullChanges, readPullTips } from '../operations/read-pull-code.ts';
import type { Pull, Repository, WorkflowRun } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { runWorkflow } from './run-workflow.ts';
import { hasPathFilter, isTouched, isTriggered } from './trigger.ts';
import { parseWorkflow, type Workflow } from './workflow.ts';
import { ACTIONS_APP_ID, addJob, cancelJob, latestJobs, setRun } from './workflow-rows.ts';

const FOLDER = '.github/workflows';

type Start = {
  readonly repository: Repository;
  readonly event: 'push' | 'pull_request';
  readonly headSha: string;
  readonly headBranch: string;
  readonly ref: string;
  readonly checkout: string;
  readonly login: string;
};

/** The workflows at a commit or tree. Files that cannot be parsed are left out. */
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

/** A pushed branch. `before` is forty zeros if it is new. */
export type PushedBranch = {
  readonly repository: Repository;
  readonly before: string;
  readonly sha: string;
  readonly branch: string;
  readonly login: string;
};

/** Starts the workflows that a pushed branch triggers. */
export async function startPushWorkflows(world: WorldContext, push: PushedBranch): Promise<void> {
  const { repository, sha, branch, login } = push;
  const workflows = await readWorkflows(repository, sha);
  const wanted = await chooseWorkflows(workflows, {
    event: 'push',
    branch,
    readFiles: async () => await filesOf(push),
  });
  const ref = `refs/heads/${branch}`;
  const head = { headSha: sha, headBranch: branch, ref, checkout: sha };
  await startAll(world, wanted, { repository, event: 'push', ...head, login });
}

/** The files that a push changed. For a new branch: those changed since it left `main`; none for the first commit. */
async function filesOf({ repository, before, sha }: PushedBranch): Promise<readonly string[]> {
  const files =
    before === ZERO_SHA ? await filesSinceMain(repository, sha) : await changedFiles(repository.git, before, sha);
  return files.map((file) => file.filename);
}

async function filesSinceMain({ git }: Repository, sha: string): Promise<readonly ChangedFile[]> {
  const main = await branchTip(git, 'main');
  const comparison = main === null ? null : await compareCommits(git, main, sha);
  return comparison?.files ?? [];
}

/** Starts the workflows of a pull request for an action. Like GitHub, starts none while it conflicts with its base. */
export async function startPullWorkflows(
  world: WorldContext,
  pull: Pull,
  action: 'opened' | 'reopened' | 'synchronize' | 'labeled' | 'unlabeled',
  login: string,
): Promise<void> {
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  const tips = await readPullTips(world, pull);
  const merge = await mergeCommits(repository.git, tips.baseSha, tips.headSha);
  if (merge.kind === 'conflict') return;
  const workflows = await readWorkflows(repository, merge.treeSha);
  const readFiles = async (): Promise<readonly string[]> => {
    return (await readPullChanges(world, pull, tips)).files.map((file) => file.filename);
  };
  const wanted = await chooseWorkflows(workflows, { event: 'pullRequest', branch: pull.baseBranch, action, readFiles });
  await startAll(world, wanted, {
    repository,
    event: 'pull_request',
    headSha: tips.headSha,
    headBranch: pull.headBranch,
    ref: `refs/pull/${pull.number}/merge`,
    checkout: merge.treeSha,
    login,
  });
}

type Occasion = {
  readonly event: 'push' | 'pullRequest';
  readonly branch: string;
  readonly action?: string;
  /** Called only if a workflow filters by path. */
  readonly readFiles: () => Promise<readonly string[]>;
};

async function chooseWorkflows(workflows: readonly Workflow[], occasion: Occasion): Promise<readonly Workflow[]> {
  const { event, branch, action = null } = occasion;
  const triggered = workflows.filter((workflow) => isTriggered(workflow[event], branch, action));
  if (!triggered.some((workflow) => hasPathFilter(workflow[event]))) return triggered;
  const files = await occasion.readFiles();
  return triggered.filter((workflow) => isTouched(workflow[event], files));
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
  const { repository, login, event, headSha, headBranch, checkout } = start;
  const earlier = [...world.state.workflowRuns.values()].filter((run) => {
    return run.repositoryId === repository.id && run.path === workflow.path;
  });
  const suite = createSuite(world, repository, ACTIONS_APP_ID, { sha: start.headSha, branch: start.headBranch });
  const at = world.now();
  const run: WorkflowRun = {
    ...{ event, headSha, headBranch, checkout },
    id: world.nextId(),
    repositoryId: repository.id,
    suiteId: suite.id,
    workflowId: earlier[0]?.workflowId ?? world.nextId(),
    path: workflow.path,
    name: workflow.name,
    actorLogin: login,
    triggeredByLogin: login,
    group: toGroup(workflow, start),
    runNumber: earlier.length + 1,
    attempt: 1,
    earlierAttempts: [],
    status: 'queued',
    conclusion: null,
    createdAt: at,
    startedAt: at,
    updatedAt: at,
  };
  await setRun(world, run, 'requested');
  await cancelGroup(world, workflow, run);
  const conclusion = world.faults.startConclusion(toFullName(repository));
  if (conclusion === null) {
    if (!world.faults.takeUnexpanded(toFullName(repository))) await queueJobs(world, run, workflow);
    return;
  }
  await setRun(world, { ...run, status: 'completed', conclusion }, 'completed');
  await completeSuite(world, suite);
}

/** The concurrency group of a run; of expressions only those that name a branch are known. */
function toGroup({ concurrency, name }: Workflow, { event, headBranch, ref, repository }: Start): string | null {
  if (concurrency === null) return null;
  const values: Readonly<Record<string, string>> = {
    ...{ 'github.workflow': name, 'github.ref': ref, 'github.event_name': event },
    'github.head_ref': event === 'pull_request' ? headBranch : '',
    'github.head_ref || github.ref_name': headBranch,
  };
  const group = concurrency.group.replace(/\$\{\{\s*(.*?)\s*\}\}/gu, (_match, key: string) => values[key] ?? '');
  return `${toFullName(repository)} ${group}`;
}

/** Cancels the earlier runs of the new run's group. Without `cancel-in-progress`, those that have not started. */
async function cancelGroup(world: WorldContext, { concurrency }: Workflow, newer: WorkflowRun): Promise<void> {
  if (newer.group === null) return;
  for (const run of [...world.state.workflowRuns.values()]) {
    if (run.id === newer.id || run.group !== newer.group || run.status === 'completed') continue;
    if (concurrency?.cancels === true || run.status !== 'in_progress') await cancelRun(world, run.id);
  }
}

/** Cancels a run. The rows of a run whose matrix is not expanded yet have the names of the workflow file. */
export async function cancelRun(world: WorldContext, runId: number): Promise<void> {
  const run = rowOf(world.state.workflowRuns, runId);
  const workflows = await readWorkflows(rowOf(world.state.repositories, run.repositoryId), run.checkout);
  const names = workflows.find(({ path }) => path === run.path)?.jobs.map(({ unexpandedName }) => unexpandedName) ?? [];
  if (latestJobs(world, run).length === 0) for (const name of new Set(names)) await addJob(world, run, name);
  await setRun(world, { ...run, status: 'completed', conclusion: 'cancelled' }, 'completed');
  for (const job of latestJobs(world, run)) await cancelJob(world, job);
}

/** Registers the jobs that a run starts with, and queues the run. */
export async function queueJobs(world: WorldContext, run: WorkflowRun, workflow: Workflow): Promise<void> {
  for (const plan of workflow.jobs.filter((job) => job.needs.length === 0)) await addJob(world, run, plan.name);
  world.ci.enqueue(async (signal) => {
    await runWorkflow(world, run.id, workflow, signal);
  });
}
