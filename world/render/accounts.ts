import { accountOf } from '../find.ts';
import type { JsonObject } from '../json.ts';
import type { App } from '../state.ts';
import type { WorldContext } from '../world-context.ts';

/** A user or bot, in REST and webhooks. */
export function renderUser(world: WorldContext, login: string): JsonObject {
  const account = accountOf(world.state, login);
  const api = `${world.url}/api/v3/users/${encodeURIComponent(account.login)}`;
  return {
    login: account.login,
    id: account.id,
    node_id: `${account.kind === 'Bot' ? 'BOT' : 'U'}_${account.id}`,
    avatar_url: `${world.url}/avatars/u/${account.id}`,
    gravatar_id: '',
    url: api,
    html_url: `${world.url}/${account.login.replace('[bot]', '')}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: account.kind,
    user_view_type: 'public',
    site_admin: false,
  };
}

/** A user, in `GET /users/{username}`. */
export function renderPublicUser(world: WorldContext, login: string): JsonObject {
  return {
    ...renderUser(world, login),
    name: login,
    company: null,
    blog: '',
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: '2020-01-01T00:00:00Z',
    updated_at: '2020-01-01T00:00:00Z',
  };
}

/** A GitHub App, in check runs and `GET /app`. */
export function renderApp(world: WorldContext, app: App): JsonObject {
  const installations = world.state.installations;
  return {
    id: app.id,
    slug: app.slug,
    client_id: `Iv23li${app.id}`,
    node_id: `A_${app.id}`,
    owner: renderUser(world, app.ownerLogin),
    name: app.name,
    description: null,
    external_url: world.url,
    html_url: `${world.url}/apps/${app.slug}`,
    created_at: app.createdAt,
    updated_at: app.createdAt,
    ...(app.access ?? (app.id === world.app.id ? OUR_ACCESS : OTHER_ACCESS)),
    installations_count: app.id === world.app.id ? installations.size : 0,
  };
}

/** An event the App subscribes to. */
export type AppEvent = (typeof APP_EVENTS)[number];

/** The permissions that the App requests at registration. */
export const APP_PERMISSIONS = {
  actions: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  metadata: 'read',
  pull_requests: 'write',
  statuses: 'write',
} as const;

/** The webhook events the App subscribes to. */
export const APP_EVENTS = [
  'check_run',
  'check_suite',
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_review_thread',
  'push',
  'status',
  'workflow_job',
  'workflow_run',
] as const;

const OUR_ACCESS = { permissions: APP_PERMISSIONS, events: APP_EVENTS };
const OTHER_ACCESS = { permissions: { checks: 'write', metadata: 'read' }, events: [] };
