import { rowOf } from '../find.ts';
import { listRefs } from '../git/refs.ts';
import { readCommit } from '../git/repository.ts';
import type { JsonObject } from '../json.ts';
import { renderApp } from '../render/accounts.ts';
import { renderCheckRun, renderCommit, renderSentCheckSuite, renderSentStatus } from '../render/checks.ts';
import type { CheckRun, CommitStatus } from '../state.ts';
import { emit } from '../webhooks/emit.ts';
import type { WorldContext } from '../world-context.ts';
import { completeSuite } from './check-suites.ts';

/** A check run event. `rerequested` and `requested_action` go only to the app that owns the run. */
export type CheckRunEvent =
  | { readonly action: 'created' | 'completed' | 'rerequested' }
  | { readonly action: 'requested_action'; readonly identifier: string };

/** Stores a new check run and sends its webhooks. */
export async function addCheckRun(world: WorldContext, run: CheckRun, senderLogin: string): Promise<void> {
  world.state.checkRuns.set(run.id, run);
  await emitCheckRun(world, run, { action: 'created' }, senderLogin);
  if (run.status === 'completed') await runCompleted(world, run, senderLogin);
}

/** Replaces a check run. Sends `completed` if it has just completed. */
export async function replaceCheckRun(world: WorldContext, run: CheckRun, senderLogin: string): Promise<void> {
  const before = rowOf(world.state.checkRuns, run.id);
  world.state.checkRuns.set(run.id, run);
  world.changed();
  if (run.status === 'completed' && before.status !== 'completed') await runCompleted(world, run, senderLogin);
}

async function runCompleted(world: WorldContext, run: CheckRun, senderLogin: string): Promise<void> {
  await emitCheckRun(world, run, { action: 'completed' }, senderLogin);
  await completeSuite(world, rowOf(world.state.checkSuites, run.suiteId));
}

/** Sends a check run webhook. */
export async function emitCheckRun(
  world: WorldContext,
  run: CheckRun,
  event: CheckRunEvent,
  senderLogin: string,
): Promise<void> {
  const isForOwner = event.action === 'rerequested' || event.action === 'requested_action';
  if (isForOwner && run.appId !== world.app.id) return;
  const suite = await renderSentCheckSuite(world, rowOf(world.state.checkSuites, run.suiteId));
  const app = renderApp(world, rowOf(world.state.apps, run.appId));
  emit(world, {
    event: 'check_run',
    action: event.action,
    repositoryId: run.repositoryId,
    senderLogin,
    body: {
      check_run: { ...(await renderCheckRun(world, run)), check_suite: suite, app },
      ...(event.action === 'requested_action' ? { requested_action: { identifier: event.identifier } } : {}),
    },
  });
}

/** Stores a commit status and sends its webhook. */
export async function addStatus(world: WorldContext, status: CommitStatus): Promise<void> {
  world.state.statuses.set(status.id, status);
  const repository = rowOf(world.state.repositories, status.repositoryId);
  const commit = renderCommit(world, repository, await readCommit(repository.git, status.sha));
  emit(world, {
    event: 'status',
    action: null,
    repositoryId: status.repositoryId,
    senderLogin: status.creatorLogin,
    body: {
      ...renderSentStatus(world, status),
      sha: status.sha,
      name: `${repository.ownerLogin}/${repository.name}`,
      commit,
      branches: await renderBranchesAt(world, status),
    },
  });
}

async function renderBranchesAt(world: WorldContext, status: CommitStatus): Promise<readonly JsonObject[]> {
  const repository = rowOf(world.state.repositories, status.repositoryId);
  const refs = await listRefs(repository.git);
  return [...refs]
    .filter(([ref, sha]) => sha === status.sha && ref.startsWith('refs/heads/'))
    .map(([ref]) => ({
      name: ref.slice('refs/heads/'.length),
      commit: {
        sha: status.sha,
        url: `${world.url}/api/v3/repos/${repository.ownerLogin}/${repository.name}/commits/${status.sha}`,
      },
      protected: false,
    }));
}

/** A branch whose tip is the commit, for a suite's `head_branch`; null if there is none. */
export async function branchAt(world: WorldContext, repositoryId: number, sha: string): Promise<string | null> {
  const repository = rowOf(world.state.repositories, repositoryId);
  const refs = await listRefs(repository.git);
  const found = [...refs].find(([ref, tip]) => tip === sha && ref.startsWith('refs/heads/'));
  return found === undefined ? null : found[0].slice('refs/heads/'.length);
}
