import { approveRun, type DeploymentVerdict, rerunWorkflow, reviewDeployments } from '../ci/rerun-workflow.ts';
import { cancelRun } from '../ci/start-workflows.ts';
import { rowOf, toFullName } from '../find.ts';
import { addCheckRun, addStatus, branchAt, emitCheckRun, replaceCheckRun } from '../operations/change-checks.ts';
import { ensureSuite } from '../operations/check-suites.ts';
import type {
  Annotation,
  AuthorChecks,
  CheckConclusion,
  CheckOutput,
  CheckRun,
  CommitStatus,
  WorkflowRun,
} from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { ensureAccount } from './people-control.ts';
import { requireRepository, requireSha } from './require.ts';

/** A check result set by a test for an app other than the one under test. `at` is a SHA, branch or PR number. */
export type CheckSetting = {
  readonly repo: string;
  readonly at: string | number;
  readonly name: string;
  /** Null: the check is still running. */
  readonly conclusion: CheckConclusion | null;
  /** Slug of the app, default `other-ci`. */
  readonly app?: string;
  readonly output?: CheckOutput;
  readonly annotations?: readonly Annotation[];
};

/** A commit status set by a test. */
export type StatusSetting = {
  readonly repo: string;
  readonly at: string | number;
  readonly context: string;
  readonly state: CommitStatus['state'];
  readonly description?: string;
  readonly login?: string;
};

/** What other systems and people do with checks. */
export type CheckControl = {
  /** Creates the check run, or updates the running one of that name. Returns its id. */
  readonly setCheck: (setting: CheckSetting) => Promise<number>;
  readonly setStatus: (setting: StatusSetting) => Promise<void>;
  /** From now on another App checks the authors of all commits of each new head: DCO wants a sign-off, CLA a known account. */
  readonly checkAuthors: (repo: string, kinds: AuthorChecks['kinds']) => void;
  /** Presses "Re-run" on a completed check: a workflow job runs again; another app receives `rerequested`. */
  readonly rerunCheck: (checkRunId: number, login?: string) => Promise<void>;
  /** Approves a workflow run that waits for approval; throws if it does not. */
  readonly approveRun: (runId: number, login?: string) => Promise<void>;
  /** Cancels a workflow run. */
  readonly cancelRun: (runId: number) => Promise<void>;
  /** Deployments of `repo` to the environment wait for a review from now on. */
  readonly protectEnvironment: (repo: string, environment: string) => void;
  /** Reviews the deployments that a workflow run waits for; throws if there are none. */
  readonly reviewDeployments: (runId: number, verdict: DeploymentVerdict) => Promise<void>;
  /** The workflow runs of a repository, oldest first. */
  readonly workflowRuns: (repo: string) => readonly WorkflowRun[];
  /** Presses a button that the App put on its check run; throws if there is no such button. */
  readonly clickButton: (checkRunId: number, identifier: string, login: string) => Promise<void>;
};

const NO_OUTPUT: CheckOutput = { title: null, summary: null, text: null };

function ensureApp(world: WorldContext, slug: string): number {
  const known = world.state.apps.values().find((app) => app.slug === slug);
  if (known !== undefined) return known.id;
  const id = world.nextId();
  ensureAccount(world, `${slug}[bot]`);
  const ownerLogin = ensureAccount(world, slug);
  world.state.apps.set(id, { id, slug, name: slug, ownerLogin, createdAt: world.now() });
  return id;
}

export function createCheckControl(world: WorldContext): CheckControl {
  return {
    setCheck: async (setting) => await setCheck(world, setting),
    setStatus: async (setting) => {
      const repository = requireRepository(world, setting.repo);
      await addStatus(world, {
        id: world.nextId(),
        repositoryId: repository.id,
        sha: await requireSha(world, repository, setting.at),
        context: setting.context,
        state: setting.state,
        description: setting.description ?? null,
        targetUrl: null,
        creatorLogin: ensureAccount(world, setting.login ?? 'other-ci[bot]'),
        createdAt: world.now(),
      });
    },
    checkAuthors: (repo, kinds) => {
      const { id } = requireRepository(world, repo);
      world.state.authorChecks.set(id, { appId: ensureApp(world, 'author-checks'), kinds });
    },
    rerunCheck: async (checkRunId, login) => {
      const run = rowOf(world.state.checkRuns, checkRunId);
      const repository = rowOf(world.state.repositories, run.repositoryId);
      if (run.status !== 'completed') throw new Error(`Check run ${run.name} has not completed`);
      const job = world.state.workflowJobs.get(run.id);
      const sender = ensureAccount(world, login ?? repository.ownerLogin);
      if (job !== undefined) await rerunWorkflow(world, job.runId, { chosen: [run.name], login: sender });
      else await emitCheckRun(world, run, { action: 'rerequested' }, sender);
    },
    approveRun: async (runId, login) => {
      const { ownerLogin } = rowOf(world.state.repositories, rowOf(world.state.workflowRuns, runId).repositoryId);
      const outcome = await approveRun(world, runId, ensureAccount(world, login ?? ownerLogin));
      if (outcome !== 'started') throw new Error(`Workflow run ${runId} does not wait for approval`);
    },
    cancelRun: async (runId) => {
      await cancelRun(world, runId);
    },
    protectEnvironment: (repo, environment) => {
      world.state.protectedEnvironments.add(`${toFullName(requireRepository(world, repo))} ${environment}`);
    },
    reviewDeployments: async (runId, verdict) => {
      await reviewDeployments(world, runId, verdict);
    },
    workflowRuns: (repo) => {
      const { id } = requireRepository(world, repo);
      return [...world.state.workflowRuns.values()].filter((run) => run.repositoryId === id);
    },
    clickButton: async (checkRunId, identifier, login) => {
      const run = rowOf(world.state.checkRuns, checkRunId);
      if (!run.actions.some((action) => action.identifier === identifier)) {
        throw new Error(`Check run ${run.name} has no button ${identifier}`);
      }
      await emitCheckRun(world, run, { action: 'requested_action', identifier }, ensureAccount(world, login));
    },
  };
}

async function setCheck(world: WorldContext, setting: CheckSetting): Promise<number> {
  const repository = requireRepository(world, setting.repo);
  const headSha = await requireSha(world, repository, setting.at);
  const slug = setting.app ?? 'other-ci';
  const appId = ensureApp(world, slug);
  const sender = ensureAccount(world, `${slug}[bot]`);
  const suite = ensureSuite(world, repository, appId, {
    sha: headSha,
    branch: await branchAt(world, repository.id, headSha),
  });
  const running = world.state.checkRuns.values().find((row) => {
    return row.suiteId === suite.id && row.name === setting.name && row.status !== 'completed';
  });
  const at = world.now();
  const result = {
    status: setting.conclusion === null ? 'in_progress' : 'completed',
    conclusion: setting.conclusion,
    completedAt: setting.conclusion === null ? null : at,
    output: setting.output ?? NO_OUTPUT,
    annotations: setting.annotations ?? [],
  } as const;
  if (running !== undefined) {
    await replaceCheckRun(world, { ...running, ...result }, sender);
    return running.id;
  }
  const run: CheckRun = {
    ...result,
    id: world.nextId(),
    repositoryId: repository.id,
    suiteId: suite.id,
    appId,
    headSha,
    name: setting.name,
    startedAt: at,
    detailsUrl: null,
    externalId: '',
    actions: [],
  };
  await addCheckRun(world, run, sender);
  return run.id;
}
