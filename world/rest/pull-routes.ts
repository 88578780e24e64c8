import { accessTo, loginOf } from '../auth/caller.ts';
import { findPull, rowOf } from '../find.ts';
import type { ChangedFile } from '../git/commit.ts';
import { isAncestor, resolveCommit } from '../git/repository.ts';
import { type JsonObject, stringAt, stringsAt } from '../json.ts';
import { mergePull, setLabel, updateBranch } from '../operations/change-pulls.ts';
import { readPullChanges, readPullTips } from '../operations/read-pull-code.ts';
import { renderCommit } from '../render/checks.ts';
import { renderLabel, renderPull, renderPullSimple } from '../render/pulls.ts';
import { repositoryApi, repositoryPage } from '../render/repositories.ts';
import type { Pull, Repository } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import {
  failure,
  list,
  notFound,
  numberParam,
  ok,
  type Reply,
  type RestRequest,
  reading,
  textParam,
  writing,
} from './route.ts';

/** The pull request in the path, or null. */
export function pullParam(request: RestRequest, repository: Repository, name = 'pull_number'): Pull | null {
  return findPull(request.world.state, repository.id, numberParam(request, name));
}

/** Pull requests, their files and commits, merging and labels. */
export const PULL_ROUTES = [
  reading('GET /repos/{owner}/{repo}/pulls', 'pull_requests', listPulls),
  reading('GET /repos/{owner}/{repo}/pulls/{pull_number}', 'pull_requests', async (request, repository) => {
    const pull = pullParam(request, repository);
    return pull === null ? notFound() : ok(await renderPull(request.world, pull));
  }),
  reading('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', 'pull_requests', async (request, repository) => {
    const pull = pullParam(request, repository);
    if (pull === null) return notFound();
    const tips = await readPullTips(request.world, pull);
    const { files } = await readPullChanges(request.world, pull, tips);
    return await list(request, files, (file) => renderFile(request.world, repository, file, tips.headSha));
  }),
  reading('GET /repos/{owner}/{repo}/pulls/{pull_number}/commits', 'pull_requests', async (request, repository) => {
    const pull = pullParam(request, repository);
    if (pull === null) return notFound();
    const { commits } = await readPullChanges(request.world, pull, await readPullTips(request.world, pull));
    return await list(request, commits, (commit) => renderCommit(request.world, repository, commit));
  }),
  reading('GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls', 'pull_requests', listPullsOfCommit),
  writing('PUT /repos/{owner}/{repo}/pulls/{pull_number}/update-branch', 'pull_requests', answerUpdateBranch),
  writing('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', 'contents', answerMerge),
  writing('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', 'issues', async (request, repository) => {
    const names = stringsAt(request.body, 'labels');
    return await changeLabels(
      request,
      repository,
      names.map((name) => ({ name, isOn: true })),
    );
  }),
  writing('DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}', 'issues', async (request, repository) => {
    return await changeLabels(request, repository, [{ name: textParam(request, 'name'), isOn: false }]);
  }),
] as const;

async function changeLabels(
  request: RestRequest,
  repository: Repository,
  labels: readonly { readonly name: string; readonly isOn: boolean }[],
): Promise<Reply> {
  const { world, caller } = request;
  let pull = pullParam(request, repository, 'issue_number');
  if (pull === null) return notFound();
  for (const label of labels) pull = await setLabel(world, pull, label, loginOf(world, caller));
  return ok(pull.labels.map((name) => renderLabel(world, repository, name)));
}

async function listPulls(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world, query } = request;
  const state = query.get('state') ?? 'open';
  const head = query.get('head');
  const base = query.get('base');
  const rows = [...world.state.pulls.values()]
    .filter((pull) => pull.repositoryId === repository.id)
    .filter((pull) => state === 'all' || pull.state === state)
    .filter((pull) => base === null || pull.baseBranch === base)
    .filter((pull) => head === null || head === `${headOwner(world, pull)}:${pull.headBranch}`);
  // GitHub lists the newest first by default.
  const isAscending = query.get('direction') === 'asc';
  const sorted = rows.sort((a, b) => (isAscending ? a.number - b.number : b.number - a.number));
  return await list(request, sorted, async (pull) => renderPullSimple(world, pull, await readPullTips(world, pull)));
}

function headOwner(world: WorldContext, pull: Pull): string {
  return world.state.repositories.get(pull.headRepositoryId)?.ownerLogin ?? '';
}

async function listPullsOfCommit(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world } = request;
  const sha = await resolveCommit(repository.git, textParam(request, 'commit_sha'));
  if (sha === null) return failure(422, `No commit found for SHA: ${textParam(request, 'commit_sha')}`);
  const found: Pull[] = [];
  for (const pull of world.state.pulls.values()) {
    if (pull.repositoryId !== repository.id) continue;
    const tips = await readPullTips(world, pull);
    const isInHead = await isAncestor(repository.git, sha, tips.headSha);
    const isInBase = pull.merge === null && (await isAncestor(repository.git, sha, tips.baseSha));
    if (isInHead && !isInBase) found.push(pull);
  }
  return await list(request, found, async (pull) => renderPullSimple(world, pull, await readPullTips(world, pull)));
}

function renderFile(world: WorldContext, repository: Repository, file: ChangedFile, headSha: string): JsonObject {
  const path = file.filename.split('/').map(encodeURIComponent).join('/');
  return {
    sha: file.sha,
    filename: file.filename,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${repositoryPage(world, repository)}/blob/${headSha}/${path}`,
    raw_url: `${repositoryPage(world, repository)}/raw/${headSha}/${path}`,
    contents_url: `${repositoryApi(world, repository)}/contents/${path}?ref=${headSha}`,
    ...(file.patch === null ? {} : { patch: file.patch }),
    ...(file.previousFilename === null ? {} : { previous_filename: file.previousFilename }),
  };
}

async function answerUpdateBranch(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world, caller, body } = request;
  const pull = pullParam(request, repository);
  if (pull === null) return notFound();
  const isForeign = pull.headRepositoryId !== repository.id;
  if (isForeign && !isWritableHead(request, pull)) {
    return failure(422, 'user doesn’t have permission to update head repository');
  }
  const outcome = await updateBranch(world, pull, loginOf(world, caller), stringAt(body, 'expected_head_sha'));
  const url = `${repositoryPage(world, repository)}/pull/${pull.number}`;
  switch (outcome.kind) {
    case 'merged':
      return { status: 202, body: { message: 'Updating pull request branch.', url } };
    case 'head-moved':
      return failure(422, 'expected head sha didn’t match current head ref.');
    case 'up-to-date':
      return failure(422, 'There are no new commits on the base branch.');
    case 'closed':
      return failure(422, 'Pull request is closed');
    case 'conflict':
      return failure(422, 'merge conflict between base and head');
  }
}

/** Whether the caller may push to the fork that the pull request comes from. */
function isWritableHead({ world, caller }: RestRequest, pull: Pull): boolean {
  const fork = rowOf(world.state.repositories, pull.headRepositoryId);
  return accessTo(caller, fork, { permission: 'contents', level: 'write' }) === 'granted';
}

async function answerMerge(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world, caller, body } = request;
  const pull = pullParam(request, repository);
  if (pull === null) return notFound();
  const wanted = stringAt(body, 'sha');
  const { headSha } = await readPullTips(world, pull);
  if (wanted !== null && wanted !== headSha) {
    return failure(409, 'Head branch was modified. Review and try the merge again.');
  }
  if (pull.state === 'closed' || pull.isDraft) return failure(405, 'Pull Request is not mergeable');
  const outcome = await mergePull(world, pull, loginOf(world, caller));
  if (outcome.kind !== 'merged') return failure(405, 'Pull Request is not mergeable');
  return ok({ sha: outcome.sha, merged: true, message: 'Pull Request successfully merged' });
}
