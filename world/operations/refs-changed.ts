import { startPullWorkflows, startPushWorkflows } from '../ci/start-workflows.ts';
import { findProtections, rowOf, toFullName } from '../find.ts';
import type { Commit } from '../git/commit.ts';
import { changedFiles, compareCommits } from '../git/compare.ts';
import { diffRefs, listRefs, listRefsReachedBy, type RefChange } from '../git/refs.ts';
import { copyRef, isAncestor, isChildOf, listCommits, readCommit, setRef, ZERO_SHA } from '../git/repository.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { renderUser } from '../render/accounts.ts';
import { renderSimpleCommit } from '../render/checks.ts';
import { renderPull } from '../render/pulls.ts';
import { repositoryPage } from '../render/repositories.ts';
import type { Pull, Repository } from '../state.ts';
import { emit } from '../webhooks/emit.ts';
import type { WorldContext } from '../world-context.ts';
import { dismissApprovals } from './change-reviews.ts';
import { checkAuthors } from './check-authors.ts';
import { ensureSuite, requestSuite } from './check-suites.ts';
import { pullRef, readPullTips } from './read-pull-code.ts';

const MAX_COMMITS_IN_EVENT = 20;

/** Runs a task that may move refs of a repository, then applies the effects of each moved ref. One task at a time. */
export async function withRefChanges<T>(
  world: WorldContext,
  repository: Repository,
  login: string,
  task: () => Promise<T>,
): Promise<T> {
  return await repository.git.exclusively(async () => {
    const before = await listRefs(repository.git);
    const result = await task();
    const after = await listRefs(repository.git);
    for (const change of diffRefs(before, after)) await refChanged(world, repository, change, login);
    return result;
  });
}

/** Does what GitHub does after a push: updates pull request heads, sends webhooks, starts CI. */
async function refChanged(
  world: WorldContext,
  repository: Repository,
  change: RefChange,
  login: string,
): Promise<void> {
  world.pushes.push({ repo: toFullName(repository), ...change, login, at: world.now() });
  const branch = change.ref.startsWith('refs/heads/') ? change.ref.slice('refs/heads/'.length) : null;
  const pulls = branch === null ? [] : openPullsFrom(world, repository, branch);
  if (change.after !== ZERO_SHA) for (const pull of pulls) await followHead(world, pull);
  await emitPush(world, repository, change, login);
  if (branch === null) return;
  for (const pull of pulls) await headMoved(world, pull, change, login);
  if (change.after === ZERO_SHA) return;
  await requestSuite(world, ensureSuite(world, repository, world.app.id, { sha: change.after, branch }));
  await startPushWorkflows(world, { repository, before: change.before, sha: change.after, branch, login });
  for (const pull of pulls) {
    await startPullWorkflows(world, pull, 'synchronize', login);
    await checkAuthors(world, pull);
  }
  await closeMergedPulls(world, repository, branch, { sha: change.after, login });
}

function openPullsFrom(world: WorldContext, repository: Repository, branch: string): readonly Pull[] {
  return [...world.state.pulls.values()].filter((pull) => {
    return pull.state === 'open' && pull.headRepositoryId === repository.id && pull.headBranch === branch;
  });
}

/** Updates `refs/pull/N/head` to the head branch. Fetches the objects if it is in a fork. */
export async function followHead(world: WorldContext, pull: Pull): Promise<void> {
  const base = world.state.repositories.get(pull.repositoryId);
  const head = world.state.repositories.get(pull.headRepositoryId);
  if (base === undefined || head === undefined) return;
  const from = `refs/heads/${pull.headBranch}`;
  if (base.id === head.id) await setRef(base.git, pullRef(pull.number), from);
  else await copyRef(base.git, head.git, { from, to: pullRef(pull.number) });
}

async function headMoved(world: WorldContext, pull: Pull, change: RefChange, login: string): Promise<void> {
  const isGone = change.after === ZERO_SHA;
  const at = world.now();
  const closed = isGone ? ({ state: 'closed', closedAt: at } as const) : {};
  // A push removes the pull request from the merge queue, because the queue tested the old head.
  const past = { at, byLogin: login };
  const left = { kind: 'dequeued', ...past, reason: 'UNKNOWN_REMOVAL_REASON' } as const;
  const timeline = [...pull.timeline, { kind: 'pushed', ...past } as const, ...(pull.queue === null ? [] : [left])];
  const moved: Pull = { ...pull, ...closed, queue: null, timeline, updatedAt: at };
  world.state.pulls.set(pull.id, moved);
  emit(world, {
    event: 'pull_request',
    action: isGone ? 'closed' : 'synchronize',
    repositoryId: pull.repositoryId,
    senderLogin: login,
    body: {
      number: pull.number,
      ...(isGone ? {} : { before: change.before, after: change.after }),
      pull_request: await renderPull(world, moved),
    },
  });
  if (pull.queue !== null) await emitDequeued(world, moved, login);
  if (!isGone) await dismissStaleApprovals(world, moved, change, login);
}

async function emitDequeued(world: WorldContext, pull: Pull, login: string): Promise<void> {
  emit(world, {
    event: 'pull_request',
    action: 'dequeued',
    repositoryId: pull.repositoryId,
    senderLogin: login,
    body: { number: pull.number, reason: 'UNKNOWN_REMOVAL_REASON', pull_request: await renderPull(world, pull) },
  });
}

/** Dismisses approvals, unless the push (such as a merge of the base) left the pull request's own changes unchanged. */
async function dismissStaleApprovals(world: WorldContext, pull: Pull, change: RefChange, login: string): Promise<void> {
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  const rules = findProtections(repository, pull.baseBranch);
  if (!rules.some((rule) => rule.dismissStaleReviews)) return;
  const { baseSha } = await readPullTips(world, pull);
  const patches = async (head: string): Promise<string> => {
    const files = (await compareCommits(repository.git, baseSha, head))?.files ?? [];
    return JSON.stringify(files.map(({ filename, sha, patch }) => [filename, patch ?? sha]));
  };
  if ((await patches(change.before)) !== (await patches(change.after))) await dismissApprovals(world, pull, login);
}

/** Closes pull requests as merged if their head is now contained in the base branch. */
async function closeMergedPulls(
  world: WorldContext,
  repository: Repository,
  branch: string,
  push: { readonly sha: string; readonly login: string },
): Promise<void> {
  const candidates = [...world.state.pulls.values()].filter((pull) => {
    return pull.state === 'open' && pull.repositoryId === repository.id && pull.baseBranch === branch;
  });
  if (candidates.length === 0) return;
  const reached = await listRefsReachedBy(repository.git, push.sha, 'refs/pull/');
  for (const pull of candidates.filter(({ number }) => reached.has(pullRef(number)))) {
    const at = world.now();
    const merge = { at, byLogin: push.login, sha: push.sha };
    const merged: Pull = { ...pull, state: 'closed', merge, closedAt: at, updatedAt: at, autoMerge: null, queue: null };
    world.state.pulls.set(pull.id, merged);
    emit(world, {
      event: 'pull_request',
      action: 'closed',
      repositoryId: repository.id,
      senderLogin: push.login,
      body: { number: pull.number, pull_request: await renderPull(world, merged) },
    });
  }
}

async function emitPush(world: WorldContext, repository: Repository, change: RefChange, login: string): Promise<void> {
  const page = repositoryPage(world, repository);
  const isCreated = change.before === ZERO_SHA;
  const isDeleted = change.after === ZERO_SHA;
  const isForced = !isCreated && !isDeleted && !(await isAncestor(repository.git, change.before, change.after));
  const commits = isDeleted ? [] : await newCommits(repository, change);
  const rendered: JsonObject[] = [];
  for (const commit of commits) rendered.push(await renderPushedCommit(repository, commit, page));
  const sender = renderUser(world, login);
  emit(world, {
    event: 'push',
    action: null,
    repositoryId: repository.id,
    senderLogin: login,
    body: {
      ref: change.ref,
      before: change.before,
      after: change.after,
      created: isCreated,
      deleted: isDeleted,
      forced: isForced,
      base_ref: null,
      compare: `${page}/compare/${change.before.slice(0, 12)}...${change.after.slice(0, 12)}`,
      commits: rendered,
      head_commit: rendered.at(-1) ?? null,
      pusher: { name: sender['login'], email: `${login}@users.noreply.github.test` },
    },
  });
}

async function newCommits(repository: Repository, change: RefChange): Promise<readonly Commit[]> {
  const newest = await readCommit(repository.git, change.after);
  if (change.before === ZERO_SHA || isChildOf(newest, change.before)) return [newest];
  const range = `${change.before}..${change.after}`;
  return (await listCommits(repository.git, [`--max-count=${MAX_COMMITS_IN_EVENT}`, range])).toReversed();
}

async function renderPushedCommit(repository: Repository, commit: Commit, page: string): Promise<JsonObject> {
  const [parent] = commit.parents;
  const files = parent === undefined ? [] : await changedFiles(repository.git, parent, commit.sha);
  const named = (wanted: string): readonly string[] => {
    return files.filter((file) => file.status === wanted).map((file) => file.filename);
  };
  const { author, committer, ...rest } = renderSimpleCommit(commit);
  return {
    ...rest,
    distinct: true,
    url: `${page}/commit/${commit.sha}`,
    author: { ...person(author), username: commit.author.name },
    committer: { ...person(committer), username: commit.committer.name },
    added: named('added'),
    removed: named('removed'),
    modified: named('modified'),
  };
}

function person(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
