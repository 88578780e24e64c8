import { randomBytes } from 'node:crypto';
import { permissionOf } from '../auth/permissions.ts';
import { findInstallation, findRepository, rowOf } from '../find.ts';
import { arrayAt, type JsonObject, objectAt, stringsAt } from '../json.ts';
import { renderApp, renderPublicUser, renderUser } from '../render/accounts.ts';
import { renderFullRepository, renderInstallation, renderRepository } from '../render/repositories.ts';
import type { Installation, InstallationToken, Permissions } from '../state.ts';
import type { Delivery } from '../webhooks/delivery-queue.ts';
import {
  countedList,
  created,
  failure,
  list,
  notFound,
  numberParam,
  ok,
  plain,
  type Reply,
  type RestRequest,
  reading,
  textParam,
} from './route.ts';

const TOKEN_LIFETIME_MS = 60 * 60 * 1000;
/** A code is good for an hour. */
const CODE_LIFETIME_MS = 60 * 60 * 1000;
const RATE = { limit: 5000, used: 1, remaining: 4999 } as const;

/** The App, its installations, tokens, deliveries, and users. */
export const APP_ROUTES = [
  plain('GET /app', 'app', ({ world }) => ok(renderApp(world, rowOf(world.state.apps, world.app.id)))),
  plain('POST /app-manifests/{code}/conversions', 'any', convertManifest),
  plain('GET /app/hook/config', 'app', ({ world }) => {
    const url = world.deliveries.url();
    return ok({ content_type: 'json', insecure_ssl: '0', secret: '********', ...(url === null ? {} : { url }) });
  }),
  plain('GET /app/hook/deliveries', 'app', listDeliveries),
  plain('POST /app/hook/deliveries/{delivery_id}/attempts', 'app', (request) => {
    const isKnown = request.world.deliveries.redeliver(toDeliveryId(textParam(request, 'delivery_id')));
    return isKnown ? { status: 202, body: {} } : notFound();
  }),
  plain('GET /app/installations', 'app', async (request) => {
    const { world } = request;
    return await list(request, [...world.state.installations.values()], (row) => renderInstallation(world, row));
  }),
  plain('GET /app/installations/{installation_id}', 'app', (request) => {
    const row = request.world.state.installations.get(numberParam(request, 'installation_id'));
    return row === undefined ? notFound() : ok(renderInstallation(request.world, row));
  }),
  plain('POST /app/installations/{installation_id}/access_tokens', 'app', createToken),
  plain('GET /repos/{owner}/{repo}/installation', 'app', (request) => {
    const { world } = request;
    const name = `${textParam(request, 'owner')}/${textParam(request, 'repo')}`;
    const repository = findRepository(world.state, name);
    const installation = repository === null ? null : findInstallation(world.state, repository.id);
    return installation === null ? notFound() : ok(renderInstallation(world, installation));
  }),
  plain('GET /installation/repositories', 'installation', async (request) => {
    const { world, caller } = request;
    const ids = caller.kind === 'installation' ? [...caller.token.repositoryIds] : [];
    const rows = ids.map((id) => rowOf(world.state.repositories, id));
    return await countedList(request, 'repositories', rows, (row) => renderRepository(world, row));
  }),
  plain('DELETE /installation/token', 'installation', ({ world, caller }) => {
    if (caller.kind === 'installation') world.state.tokens.delete(caller.token.token);
    return { status: 204, body: null };
  }),
  plain('GET /rate_limit', 'any', () => {
    const rate = { ...RATE, reset: Math.floor(Date.now() / 1000) + 3600 };
    return ok({ rate, resources: { core: rate, search: rate, graphql: rate } });
  }),
  plain('GET /user', 'any', ({ world, caller }) => {
    if (caller.kind === 'anonymous') return failure(401, 'Requires authentication');
    if (caller.kind !== 'user') return failure(403, 'Resource not accessible by integration');
    return ok(renderPublicUser(world, caller.login));
  }),
  plain('GET /users/{username}', 'any', (request) => {
    const account = request.world.state.accounts.get(textParam(request, 'username').toLowerCase());
    return account === undefined ? notFound() : ok(renderPublicUser(request.world, account.login));
  }),
  reading('GET /repos/{owner}/{repo}', 'metadata', ({ world }, repository) =>
    ok(renderFullRepository(world, repository)),
  ),
  reading('GET /repos/{owner}/{repo}/collaborators/{username}/permission', 'metadata', (request, repository) => {
    const { world } = request;
    const account = world.state.accounts.get(textParam(request, 'username').toLowerCase());
    if (account === undefined) return notFound();
    const level = permissionOf(repository, account.login);
    const user = { ...renderUser(world, account.login), role_name: level };
    // GitHub's legacy field has no triage and no maintain.
    const legacy = { triage: 'read', maintain: 'write' } as const;
    const permission = level === 'triage' || level === 'maintain' ? legacy[level] : level;
    return ok({ permission, role_name: level, user });
  }),
] as const;

/** The code is used up by the first answer, whether it arrives or not. */
function convertManifest(request: RestRequest): Reply {
  const { world } = request;
  const code = textParam(request, 'code');
  const row = world.state.manifestCodes.get(code);
  if (row === undefined || row.isUsed || row.createdAtMs + CODE_LIFETIME_MS <= Date.now()) return notFound();
  world.state.manifestCodes.set(code, { ...row, isUsed: true });
  const { id, privateKey: pem, webhookSecret } = row.app;
  return created({
    ...renderApp(world, rowOf(world.state.apps, id)),
    ...{ pem, webhook_secret: webhookSecret, client_secret: randomBytes(20).toString('hex') },
  });
}

function createToken(request: RestRequest): Reply {
  const { world, body } = request;
  const installation = world.state.installations.get(numberParam(request, 'installation_id'));
  if (installation === undefined) return notFound();
  if (installation.suspendedAt !== null) return failure(403, 'This installation has been suspended');
  const repositoryIds = wantedRepositories(request, installation);
  if (repositoryIds === null) {
    return failure(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  }
  const permissions = wantedPermissions(body, installation);
  if (permissions === null) return failure(422, 'The permissions requested are not granted to this installation.');
  const mintedAtMs = Date.now();
  const expiresAtMs = mintedAtMs + TOKEN_LIFETIME_MS;
  const token = `ghs_${randomBytes(27).toString('base64url').replaceAll(/[-_]/gu, 'x')}`;
  const row: InstallationToken = {
    kind: 'installation',
    token,
    installationId: installation.id,
    repositoryIds,
    permissions,
    mintedAtMs,
    expiresAtMs,
  };
  world.state.tokens.set(token, row);
  const isNarrowed = 'repositories' in body || 'repository_ids' in body;
  const repositories = [...repositoryIds].map((id) => renderRepository(world, rowOf(world.state.repositories, id)));
  return created({
    token,
    expires_at: new Date(expiresAtMs + world.faults.clockSkewMs()).toISOString().replace(/\.\d+Z$/u, 'Z'),
    permissions,
    repository_selection: 'selected',
    ...(isNarrowed ? { repositories } : {}),
  });
}

/** The repositories that a token is requested for; null if one is outside the installation. */
function wantedRepositories({ world, body }: RestRequest, installation: Installation): ReadonlySet<number> | null {
  const names = stringsAt(body, 'repositories').map((name) => {
    return findRepository(world.state, `${installation.accountLogin}/${name}`)?.id ?? -1;
  });
  const ids = [...names, ...arrayAt(body, 'repository_ids').map(Number)];
  if (ids.length === 0) return installation.repositoryIds;
  return ids.every((id) => installation.repositoryIds.has(id)) ? new Set(ids) : null;
}

/** The permissions that a token is requested with; null if they exceed the installation's. */
function wantedPermissions(body: JsonObject, installation: Installation): Permissions | null {
  if (!('permissions' in body)) return installation.permissions;
  const wanted: Record<string, 'read' | 'write'> = { metadata: 'read' };
  for (const [name, level] of Object.entries(objectAt(body, 'permissions'))) {
    const granted = installation.permissions[name];
    if (granted === undefined || (level === 'write' && granted === 'read')) return null;
    wanted[name] = level === 'write' ? 'write' : 'read';
  }
  return wanted;
}

/** GitHub's ids of deliveries are beyond 2^53 since 2026. The world's are small numbers behind this one. */
const FIRST_DELIVERY_ID = 3_804_000_000_000_000_000n;

function toDeliveryId(shown: string): number {
  return /^\d+$/u.test(shown) ? Number(BigInt(shown) - FIRST_DELIVERY_ID) : Number.NaN;
}

/** Newest first. The cursor is the id of the last delivery that was listed. What is still to be sent is not listed. */
function listDeliveries(request: RestRequest): Reply {
  const { query, url, world } = request;
  const perPage = Math.min(Number(query.get('per_page') ?? 30), 100);
  const cursor = query.get('cursor');
  const before = cursor === null ? Number.POSITIVE_INFINITY : toDeliveryId(cursor.replace(/^v1_/u, ''));
  if (Number.isNaN(before)) return failure(422, 'Invalid cursor');
  const rows = world.deliveries.records
    .filter((record) => record.id < before && hasEnded(record) && hasOutcome(record, query.get('status')))
    .toReversed();
  const shown = rows.slice(0, perPage);
  const last = shown.at(-1);
  const next = new URL(url);
  next.searchParams.set('cursor', `v1_${String(FIRST_DELIVERY_ID + BigInt(last?.id ?? 0))}`);
  const body = shown.map((record) => renderDelivery(record));
  const text = JSON.stringify(body).replaceAll(
    /"id":(\d+),"guid"/gu,
    (_, id: string) => `"id":${String(FIRST_DELIVERY_ID + BigInt(id))},"guid"`,
  );
  return {
    status: 200,
    body,
    text,
    ...(rows.length > perPage ? { headers: { link: `<${next.href}>; rel="next"` } } : {}),
  };
}

function hasEnded({ outcome }: Delivery): boolean {
  return outcome === 'sent' || outcome === 'failed' || outcome === 'dropped';
}

/** GitHub judges by the status code alone, so a delivery without an answer is neither. */
function hasOutcome({ status }: Delivery, wanted: string | null): boolean {
  const code = status ?? 0;
  if (wanted === 'success') return code >= 200 && code < 400;
  return wanted === null || (code >= 400 && code < 600);
}

function renderDelivery(delivery: Delivery): JsonObject {
  const repository = objectAt(delivery.payload, 'repository');
  const installation = objectAt(delivery.payload, 'installation');
  return {
    id: delivery.id,
    guid: delivery.guid,
    delivered_at: delivery.deliveredAt,
    redelivery: delivery.isRedelivery,
    duration: delivery.durationMs / 1000,
    status: renderDeliveryStatus(delivery.status),
    status_code: delivery.status ?? 0,
    event: delivery.event,
    action: delivery.action,
    installation_id: installation['id'] ?? null,
    repository_id: repository['id'] ?? null,
    throttled_at: null,
  };
}

function renderDeliveryStatus(status: number | null): string {
  if (status === null) return 'failed to connect to host';
  return status < 400 ? 'OK' : 'Invalid HTTP Response';
}
