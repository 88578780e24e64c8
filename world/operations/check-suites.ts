import { renderSentCheckSuite, toSuiteResult } from '../render/checks.ts';
import type { CheckSuite, Repository } from '../state.ts';
import { emit } from '../webhooks/emit.ts';
import type { WorldContext } from '../world-context.ts';

/** The commit and branch of a suite. */
export type SuiteHead = { readonly sha: string; readonly branch: string | null };

/** Creates a check suite. Each workflow run has its own; other apps have one per commit. */
export function createSuite(world: WorldContext, repository: Repository, appId: number, head: SuiteHead): CheckSuite {
  const suite: CheckSuite = {
    id: world.nextId(),
    repositoryId: repository.id,
    appId,
    headSha: head.sha,
    headBranch: head.branch,
    before: null,
    createdAt: world.now(),
  };
  world.state.checkSuites.set(suite.id, suite);
  return suite;
}

/** Returns the app's suite for a commit, and creates it if missing. */
export function ensureSuite(world: WorldContext, repository: Repository, appId: number, head: SuiteHead): CheckSuite {
  const known = world.state.checkSuites
    .values()
    .find((row) => row.repositoryId === repository.id && row.appId === appId && row.headSha === head.sha);
  return known ?? createSuite(world, repository, appId, head);
}

/** GitHub asks every app with `checks: write` for a suite on each push. */
export async function requestSuite(world: WorldContext, suite: CheckSuite): Promise<void> {
  await emitSuite(world, suite, 'requested');
}

/** Sends `check_suite.completed` if the suite has completed. */
export async function completeSuite(world: WorldContext, suite: CheckSuite): Promise<void> {
  if (toSuiteResult(world, suite).status === 'completed') await emitSuite(world, suite, 'completed');
}

async function emitSuite(world: WorldContext, suite: CheckSuite, action: 'requested' | 'completed'): Promise<void> {
  emit(world, {
    event: 'check_suite',
    action,
    repositoryId: suite.repositoryId,
    senderLogin: senderOfSuite(world, suite),
    body: { check_suite: await renderSentCheckSuite(world, suite) },
  });
}

function senderOfSuite(world: WorldContext, suite: CheckSuite): string {
  const repository = world.state.repositories.get(suite.repositoryId);
  return repository?.ownerLogin ?? world.app.slug;
}
