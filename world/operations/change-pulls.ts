import { startPullWorkflows } from '../ci/start-workflows.ts';
import { authorOf, findPull, rowOf } from '../find.ts';
import { branchTip, copyRef, isAncestor, mergeCommits, setRef, writeCommit } from '../git/repository.ts';
import type { JsonObject } from '../json.ts';
import { renderLabel, renderPull } from '../render/pulls.ts';
import type { Pull, Repository } from '../state.ts';
import { emit } from '../webhooks/emit.ts';
import type { WorldContext } from '../world-context.ts';
import { checkAuthors } from './check-authors.ts';
import { type PullTips, readPullTips } from './read-pull-code.ts';
import { followHead, withRefChanges } from './refs-changed.ts';

/** A pull request to open. */
export type NewPull = {
  readonly repository: Repository;
  readonly headRepository: Repository;
  readonly headBranch: string;
  readonly baseBranch: string;
  readonly title: string;
  readonly body: string | null;
  readonly authorLogin: string;
  readonly isDraft: boolean;
};

/** Result of an attempt to merge two branches. */
export type MergeOutcome =
  | { readonly kind: 'merged'; readonly sha: string }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'head-moved' }
  | { readonly kind: 'up-to-date' };

function nextNumber(world: WorldContext, repositoryId: number): number {
  const numbers = [...world.state.pulls.values()].filter((row) => row.repositoryId === repositoryId);
  return Math.max(0, ...numbers.map((row) => row.number)) + 1;
}

/** Sends a `pull_request` webhook. */
async function emitPull(
  world: WorldContext,
  pull: Pull,
  event: { readonly action: string; readonly senderLogin: string; readonly extra?: JsonObject },
): Promise<void> {
  emit(world, {
    event: 'pull_request',
    action: event.action,
    repositoryId: pull.repositoryId,
    senderLogin: event.senderLogin,
    body: { number: pull.number, pull_request: await renderPull(world, pull), ...event.extra },
  });
}

/** Opens a pull request and starts its workflows. */
export async function openPull(world: WorldContext, request: NewPull): Promise<Pull> {
  const { repository, headRepository, ...rest } = request;
  if ((await branchTip(headRepository.git, rest.headBranch)) === null) throw new Error(`No branch ${rest.headBranch}`);
  const at = world.now();
  const pull: Pull = {
    ...rest,
    id: world.nextId(),
    number: nextNumber(world, repository.id),
    repositoryId: repository.id,
    headRepositoryId: headRepository.id,
    state: 'open',
    labels: [],
    autoMerge: null,
    queue: null,
    timeline: [],
    merge: null,
    createdAt: at,
    updatedAt: at,
    closedAt: null,
  };
  // Set the head ref first: a job that ends in between reads the head of every pull request.
  await followHead(world, pull);
  world.state.pulls.set(pull.id, pull);
  await emitPull(world, pull, { action: 'opened', senderLogin: pull.authorLogin });
  await startPullWorkflows(world, pull, 'opened', pull.authorLogin);
  await checkAuthors(world, pull);
  return pull;
}

/** Changes a pull request and sends the webhook. Returns the new row. */
export async function changePull(
  world: WorldContext,
  pull: Pull,
  changes: Partial<Pull>,
  event: { readonly action: string; readonly senderLogin: string; readonly extra?: JsonObject },
): Promise<Pull> {
  const changed: Pull = { ...pull, ...changes, updatedAt: world.now() };
  world.state.pulls.set(pull.id, changed);
  await emitPull(world, changed, event);
  return changed;
}

/** Closes a pull request without merging. */
export async function closePull(world: WorldContext, pull: Pull, senderLogin: string): Promise<Pull> {
  const changes = { state: 'closed', closedAt: world.now(), autoMerge: null, queue: null } as const;
  return await changePull(world, pull, changes, { action: 'closed', senderLogin });
}

/** Reopens a closed pull request and starts its workflows again. */
export async function reopenPull(world: WorldContext, pull: Pull, senderLogin: string): Promise<Pull> {
  const changed = await changePull(world, pull, { state: 'open', closedAt: null }, { action: 'reopened', senderLogin });
  await startPullWorkflows(world, changed, 'reopened', senderLogin);
  return changed;
}

/** Adds or removes a label. No-op if nothing changes. */
export async function setLabel(
  world: WorldContext,
  pull: Pull,
  label: { readonly name: string; readonly isOn: boolean },
  senderLogin: string,
): Promise<Pull> {
  if (pull.labels.includes(label.name) === label.isOn) return pull;
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  const labels = label.isOn ? [...pull.labels, label.name] : pull.labels.filter((name) => name !== label.name);
  const action = label.isOn ? 'labeled' : 'unlabeled';
  const extra = { label: renderLabel(world, repository, label.name) };
  const changed = await changePull(world, pull, { labels }, { action, senderLogin, extra });
  await startPullWorkflows(world, changed, action, senderLogin);
  return changed;
}

/** Merges the pull request into its base branch with a merge commit. */
export async function mergePull(world: WorldContext, pull: Pull, login: string): Promise<MergeOutcome> {
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  const tips = await readPullTips(world, pull);
  const merge = await mergeCommits(repository.git, tips.baseSha, tips.headSha);
  if (merge.kind === 'conflict') return { kind: 'conflict' };
  const sha = await writeCommit(repository.git, {
    treeSha: merge.treeSha,
    parents: [tips.baseSha, tips.headSha],
    message: `Merge pull request #${pull.number} from ${pull.headBranch}\n\n${pull.title}`,
    author: authorOf(world.state, login),
  });
  await withRefChanges(world, repository, login, async () => {
    await setRef(repository.git, `refs/heads/${pull.baseBranch}`, sha);
  });
  return { kind: 'merged', sha };
}

/** Adds the pull request to its base branch's merge queue, or removes it. The queue itself does not merge. */
export async function setQueued(
  world: WorldContext,
  pull: Pull,
  change: { readonly isQueued: boolean; readonly reason?: string },
  login: string,
): Promise<Pull> {
  if ((pull.queue !== null) === change.isQueued) return pull;
  const queue = change.isQueued ? { place: world.nextId(), enqueuedAt: world.now(), byLogin: login } : null;
  const past = { at: world.now(), byLogin: login };
  const item = change.isQueued
    ? ({ kind: 'queued', ...past } as const)
    : ({ kind: 'dequeued', ...past, reason: change.reason ?? '' } as const);
  const timeline = [...pull.timeline, item];
  const event = change.isQueued
    ? { action: 'enqueued' }
    : { action: 'dequeued', extra: { reason: change.reason ?? '' } };
  return await changePull(world, pull, { queue, timeline }, { ...event, senderLogin: login });
}

/** Merges the base branch into the head branch ("Update branch") with a merge commit by `login`. */
export async function updateBranch(
  world: WorldContext,
  pull: Pull,
  login: string,
  expectedHeadSha: string | null,
): Promise<MergeOutcome> {
  if (pull.state === 'closed') return { kind: 'closed' };
  const repository = rowOf(world.state.repositories, pull.headRepositoryId);
  // Read the head while pushes are locked out, so that the check holds for the commit that is replaced.
  return await withRefChanges(world, repository, login, async () => {
    const tips = await readPullTips(world, pull);
    if (expectedHeadSha !== null && expectedHeadSha !== tips.headSha) return { kind: 'head-moved' };
    return await mergeBaseIntoHead(world, pull, { ...tips, login });
  });
}

async function mergeBaseIntoHead(
  world: WorldContext,
  pull: Pull,
  { headSha, baseSha, login }: PullTips & { readonly login: string },
): Promise<MergeOutcome> {
  const repository = rowOf(world.state.repositories, pull.headRepositoryId);
  const base = rowOf(world.state.repositories, pull.repositoryId);
  if (await isAncestor(base.git, baseSha, headSha)) return { kind: 'up-to-date' };
  const merge = await mergeCommits(base.git, headSha, baseSha);
  if (merge.kind === 'conflict') return { kind: 'conflict' };
  const sha = await writeCommit(base.git, {
    treeSha: merge.treeSha,
    parents: [headSha, baseSha],
    message: `Merge branch '${pull.baseBranch}' into ${pull.headBranch}`,
    author: authorOf(world.state, login),
  });
  const head = `refs/heads/${pull.headBranch}`;
  if (base.id === repository.id) {
    await setRef(repository.git, head, sha);
    return { kind: 'merged', sha };
  }
  const from = `refs/pull/${pull.number}/merge`;
  await setRef(base.git, from, sha);
  await copyRef(repository.git, base.git, { from, to: head });
  return { kind: 'merged', sha };
}

/** The pull request with this number; throws if there is none. */
export function requirePull(world: WorldContext, repository: Repository, number: number): Pull {
  const pull = findPull(world.state, repository.id, number);
  if (pull === null) throw new Error(`No pull request ${repository.name}#${number}`);
  return pull;
}
