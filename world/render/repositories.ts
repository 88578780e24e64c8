import { rowOf, toFullName } from '../find.ts';
import type { JsonObject } from '../json.ts';
import type { Installation, Repository } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { APP_EVENTS, renderUser } from './accounts.ts';

/** The hypermedia links of a repository: key, and path below the repository's API URL. */
const LINKS = {
  forks_url: '/forks',
  keys_url: '/keys{/key_id}',
  collaborators_url: '/collaborators{/collaborator}',
  teams_url: '/teams',
  hooks_url: '/hooks',
  issue_events_url: '/issues/events{/number}',
  events_url: '/events',
  assignees_url: '/assignees{/user}',
  branches_url: '/branches{/branch}',
  tags_url: '/tags',
  blobs_url: '/git/blobs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  git_refs_url: '/git/refs{/sha}',
  trees_url: '/git/trees{/sha}',
  statuses_url: '/statuses/{sha}',
  languages_url: '/languages',
  stargazers_url: '/stargazers',
  contributors_url: '/contributors',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  commits_url: '/commits{/sha}',
  git_commits_url: '/git/commits{/sha}',
  comments_url: '/comments{/number}',
  issue_comment_url: '/issues/comments{/number}',
  contents_url: '/contents/{+path}',
  compare_url: '/compare/{base}...{head}',
  merges_url: '/merges',
  archive_url: '/{archive_format}{/ref}',
  downloads_url: '/downloads',
  issues_url: '/issues{/number}',
  pulls_url: '/pulls{/number}',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  labels_url: '/labels{/name}',
  releases_url: '/releases{/id}',
  deployments_url: '/deployments',
} as const;

/** The API URL of a repository. */
export function repositoryApi(world: WorldContext, repository: Repository): string {
  return `${world.url}/api/v3/repos/${toFullName(repository)}`;
}

/** The page URL of a repository. With `.git` added it is the clone URL. */
export function repositoryPage(world: WorldContext, repository: Repository): string {
  return `${world.url}/${toFullName(repository)}`;
}

/** A repository, in REST and webhooks. */
export function renderRepository(world: WorldContext, repository: Repository): JsonObject {
  const api = repositoryApi(world, repository);
  const page = repositoryPage(world, repository);
  return {
    id: repository.id,
    node_id: `R_${repository.id}`,
    name: repository.name,
    full_name: toFullName(repository),
    owner: renderUser(world, repository.ownerLogin),
    private: repository.isPrivate,
    html_url: page,
    description: null,
    fork: repository.parentId !== null,
    url: api,
    ...Object.fromEntries(Object.entries(LINKS).map(([key, path]) => [key, `${api}${path}`])),
    created_at: repository.createdAt,
    updated_at: repository.createdAt,
    pushed_at: repository.createdAt,
    git_url: `${page}.git`,
    ssh_url: `${page}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    ...FEATURES,
    archived: repository.isArchived,
    visibility: repository.isPrivate ? 'private' : 'public',
  };
}

const FEATURES = {
  mirror_url: null,
  homepage: null,
  size: 1,
  stargazers_count: 0,
  watchers_count: 0,
  language: null,
  has_issues: true,
  has_projects: true,
  has_downloads: true,
  has_wiki: true,
  has_pages: false,
  has_discussions: false,
  forks_count: 0,
  disabled: false,
  open_issues_count: 0,
  license: null,
  allow_forking: true,
  is_template: false,
  web_commit_signoff_required: false,
  topics: [],
  custom_properties: {},
  forks: 0,
  open_issues: 0,
  watchers: 0,
  default_branch: 'main',
} as const;

/** A repository, in `GET /repos/{owner}/{repo}`. */
export function renderFullRepository(world: WorldContext, repository: Repository): JsonObject {
  const { parentId } = repository;
  const base = { ...renderRepository(world, repository), network_count: 0, subscribers_count: 0 };
  const merging = {
    allow_squash_merge: true,
    allow_merge_commit: true,
    allow_rebase_merge: true,
    allow_auto_merge: true,
  };
  if (parentId === null) return { ...base, ...merging };
  const parent = renderRepository(world, rowOf(world.state.repositories, parentId));
  return { ...base, ...merging, parent, source: parent };
}

/** An installation of the App, in REST and webhooks. */
export function renderInstallation(world: WorldContext, installation: Installation): JsonObject {
  const account = renderUser(world, installation.accountLogin);
  const api = `${world.url}/api/v3`;
  return {
    id: installation.id,
    account,
    repository_selection: 'selected',
    access_tokens_url: `${api}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${api}/installation/repositories`,
    html_url: `${world.url}/settings/installations/${installation.id}`,
    app_id: world.app.id,
    app_slug: world.app.slug,
    target_id: account['id'],
    target_type: account['type'],
    permissions: installation.permissions,
    events: APP_EVENTS,
    created_at: installation.createdAt,
    updated_at: installation.createdAt,
    single_file_name: null,
    suspended_by: installation.suspendedAt === null ? null : account,
    suspended_at: installation.suspendedAt,
  };
}
