import { createHash } from 'node:crypto';
import { permissionOf } from '../auth/permissions.ts';
import { ofPull, rowOf } from '../find.ts';
import { entriesOf, type JsonObject, toObject } from '../json.ts';
import { readMergeState } from '../operations/merge-state.ts';
import { type PullTips, readMergeability, readPullChanges, readPullTips } from '../operations/read-pull-code.ts';
import { isPending } from '../seen-by.ts';
import type { Pull, Repository } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { renderUser } from './accounts.ts';
import { renderRepository, repositoryApi, repositoryPage } from './repositories.ts';

/** A label by name. Its id is derived from the name to be stable. */
export function renderLabel(world: WorldContext, repository: Repository, name: string): JsonObject {
  const id = createHash('sha256').update(name).digest().readUInt16BE();
  return {
    id,
    node_id: `LA_${id}`,
    url: `${repositoryApi(world, repository)}/labels/${encodeURIComponent(name)}`,
    name,
    color: 'ededed',
    default: false,
    description: '',
  };
}

/** GitHub's `author_association`. */
export function renderAssociation(repository: Repository, login: string): string {
  if (repository.ownerLogin === login) return 'OWNER';
  const level = permissionOf(repository, login);
  return level === 'none' || level === 'read' ? 'CONTRIBUTOR' : 'COLLABORATOR';
}

/** The short form, in check runs and workflow runs. */
export async function renderPullMinimal(world: WorldContext, pull: Pull): Promise<JsonObject> {
  const tips = await readPullTips(world, pull);
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  const headRepository = rowOf(world.state.repositories, pull.headRepositoryId);
  const side = (owner: Repository): JsonObject => {
    return { id: owner.id, url: repositoryApi(world, owner), name: owner.name };
  };
  return {
    id: pull.id,
    number: pull.number,
    url: `${repositoryApi(world, repository)}/pulls/${pull.number}`,
    head: { ref: pull.headBranch, sha: tips.headSha, repo: side(headRepository) },
    base: { ref: pull.baseBranch, sha: tips.baseSha, repo: side(repository) },
  };
}

function renderLinks(api: string, page: string, pull: Pull, headSha: string): JsonObject {
  const self = `${api}/pulls/${pull.number}`;
  const issue = `${api}/issues/${pull.number}`;
  const urls = {
    html: `${page}/pull/${pull.number}`,
    issue,
    comments: `${issue}/comments`,
    review_comments: `${self}/comments`,
    review_comment: `${api}/pulls/comments{/number}`,
    commits: `${self}/commits`,
    statuses: `${api}/statuses/${headSha}`,
  };
  const named = entriesOf(urls).map(([key, url]) => [`${key}_url`, url] as const);
  const hrefs = entriesOf({ self, ...urls }).map(([key, href]) => [key, { href }] as const);
  return {
    url: self,
    ...toObject(named),
    diff_url: `${urls.html}.diff`,
    patch_url: `${urls.html}.patch`,
    _links: toObject(hrefs),
  };
}

function renderSide(world: WorldContext, repository: Repository, ref: string, sha: string): JsonObject {
  return {
    label: `${repository.ownerLogin}:${ref}`,
    ref,
    sha,
    user: renderUser(world, repository.ownerLogin),
    repo: renderRepository(world, repository),
  };
}

function renderAutoMerge(world: WorldContext, pull: Pull): JsonObject | null {
  if (pull.autoMerge === null) return null;
  const enabledBy = renderUser(world, pull.autoMerge.byLogin);
  return { enabled_by: enabledBy, merge_method: 'merge', commit_title: pull.title, commit_message: '' };
}

/** A pull request, in lists. */
export function renderPullSimple(world: WorldContext, pull: Pull, tips: PullTips): JsonObject {
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  const headRepository = rowOf(world.state.repositories, pull.headRepositoryId);
  return {
    ...renderLinks(repositoryApi(world, repository), repositoryPage(world, repository), pull, tips.headSha),
    id: pull.id,
    node_id: `PR_${pull.id}`,
    number: pull.number,
    state: pull.state,
    locked: false,
    active_lock_reason: null,
    title: pull.title,
    user: renderUser(world, pull.authorLogin),
    body: pull.body,
    labels: pull.labels.map((name) => renderLabel(world, repository, name)),
    milestone: null,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    merged_at: pull.merge?.at ?? null,
    merge_commit_sha: pull.merge?.sha ?? null,
    draft: pull.isDraft,
    head: renderSide(world, headRepository, pull.headBranch, tips.headSha),
    base: renderSide(world, repository, pull.baseBranch, tips.baseSha),
    author_association: renderAssociation(repository, pull.authorLogin),
    auto_merge: renderAutoMerge(world, pull),
  };
}

/** A complete pull request, in `GET /pulls/{n}` and webhooks. */
export async function renderPull(world: WorldContext, pull: Pull): Promise<JsonObject> {
  const tips = await readPullTips(world, pull);
  const [mergeability, changes] = await Promise.all([
    readMergeability(world, pull, tips),
    readPullChanges(world, pull, tips),
  ]);
  const sum = (key: 'additions' | 'deletions'): number => changes.files.reduce((total, file) => total + file[key], 0);
  return {
    ...renderPullSimple(world, pull, tips),
    merged: pull.merge !== null,
    mergeable: mergeability === 'unknown' ? null : mergeability === 'clean',
    rebaseable: mergeability === 'unknown' ? null : mergeability === 'clean',
    mergeable_state: await readMergeState(world, pull, { tips, mergeability }),
    merged_by: pull.merge === null ? null : renderUser(world, pull.merge.byLogin),
    comments: ofPull(world.state.issueComments, pull).length,
    review_comments: ofPull(world.state.reviewComments, pull).filter((row) => !isPending(world.state, row)).length,
    maintainer_can_modify: false,
    commits: changes.commits.length,
    additions: sum('additions'),
    deletions: sum('deletions'),
    changed_files: changes.files.length,
  };
}

/** The pull request as an issue, in `issue_comment` events. */
export function renderPullAsIssue(world: WorldContext, pull: Pull): JsonObject {
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  const api = `${repositoryApi(world, repository)}/issues/${pull.number}`;
  const page = `${repositoryPage(world, repository)}/pull/${pull.number}`;
  return {
    id: pull.id + 1,
    node_id: `PR_${pull.id}`,
    number: pull.number,
    title: pull.title,
    user: renderUser(world, pull.authorLogin),
    body: pull.body,
    state: pull.state,
    labels: pull.labels.map((name) => renderLabel(world, repository, name)),
    assignee: null,
    assignees: [],
    milestone: null,
    locked: false,
    active_lock_reason: null,
    comments: ofPull(world.state.issueComments, pull).length,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    author_association: renderAssociation(repository, pull.authorLogin),
    draft: pull.isDraft,
    url: api,
    repository_url: repositoryApi(world, repository),
    labels_url: `${api}/labels{/name}`,
    comments_url: `${api}/comments`,
    events_url: `${api}/events`,
    timeline_url: `${api}/timeline`,
    html_url: page,
    pull_request: {
      url: `${repositoryApi(world, repository)}/pulls/${pull.number}`,
      html_url: page,
      diff_url: `${page}.diff`,
      patch_url: `${page}.patch`,
      merged_at: pull.merge?.at ?? null,
    },
    reactions: renderNoReactions(api),
    performed_via_github_app: null,
    state_reason: null,
  };
}

/** The world has no reactions to the pull request itself. */
function renderNoReactions(api: string): JsonObject {
  const counts = { '+1': 0, '-1': 0, laugh: 0, hooray: 0, confused: 0, heart: 0, rocket: 0, eyes: 0 };
  return { url: `${api}/reactions`, total_count: 0, ...counts };
}
