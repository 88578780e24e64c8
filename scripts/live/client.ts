import { createSign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GitHubAddresses, toGitHubAddresses } from '../../src/adapters/github/github-addresses.ts';
import { permissionsByPurpose, type TokenPurpose } from '../../src/adapters/github/installation-tokens.ts';

/** A response of REST or GraphQL, whatever its status. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Credentials of the App, and where to use them. */
export interface Access {
  readonly appId: string;
  readonly privateKey: string;
  /** Root of the REST API. */
  readonly restUrl: string;
}

/** The App's calls to GitHub. They do not retry and do not throw for a status: what GitHub answers is what is looked at. */
export interface Client {
  readonly addresses: GitHubAddresses;
  readonly asApp: (route: string, body?: object) => Promise<Answer>;
  readonly rest: (token: string, route: string, body?: object) => Promise<Answer>;
  readonly graphql: (token: string, query: string, variables: object) => Promise<Answer>;
  /** A new token of an installation, by the purpose that the product gives it. */
  readonly mint: (installationId: number, purpose: TokenPurpose, repositoryId: number) => Promise<Answer>;
}

const TIMEOUT_MS = 30_000;
/** GitHub allows ten minutes, and clocks differ. */
const JWT_SECONDS = 300;

export function createClient({ appId, privateKey, restUrl }: Access): Client {
  const addresses = toGitHubAddresses(restUrl);
  const rest = (authorization: string, route: string, body?: object): Promise<Answer> => {
    const [method = 'GET', path = '/'] = route.split(' ');
    return call(`${addresses.rest}${path}`, { method, authorization, body });
  };
  const asApp = (route: string, body?: object): Promise<Answer> =>
    rest(`Bearer ${toJwt(appId, privateKey)}`, route, body);
  return {
    addresses,
    asApp,
    rest: (token, route, body) => rest(`token ${token}`, route, body),
    graphql: (token, query, variables) =>
      call(addresses.graphql, { method: 'POST', authorization: `bearer ${token}`, body: { query, variables } }),
    mint: (installationId, purpose, repositoryId) =>
      asApp(`POST /app/installations/${String(installationId)}/access_tokens`, {
        ...(purpose === 'organization' ? { repositories: ['.github'] } : { repository_ids: [repositoryId] }),
        permissions: permissionsByPurpose[purpose],
      }),
  };
}

async function call(
  url: string,
  {
    method,
    authorization,
    body,
  }: { readonly method: string; readonly authorization: string; readonly body?: object | undefined },
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { authorization, accept: 'application/vnd.github+json', 'user-agent': 'ratchet-live-test' },
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

function toJwt(appId: string, privateKey: string): string {
  const now = Math.floor(Date.now() / 1000);
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iat: now - 60, exp: now + JWT_SECONDS, iss: appId };
  const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`;
}

/** The value at a path of keys and indexes; undefined if there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found: unknown = value;
  for (const key of path) found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined;
  return found;
}

/** A text at a path. @throws Error that names the path if there is none. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  if (typeof found === 'string' || typeof found === 'number') return String(found);
  throw new Error(`GitHub's answer has no ${path.join('.')}: ${JSON.stringify(value).slice(0, 300)}`);
}

/** Asks again until `isDone`, and returns the milliseconds that passed; null: the time was over first. */
export async function timeUntil(
  isDone: () => Promise<boolean>,
  limitMs: number,
  everyMs = 500,
): Promise<number | null> {
  const start = performance.now();
  while (performance.now() - start < limitMs) {
    if (await isDone()) return Math.round(performance.now() - start);
    await sleep(everyMs);
  }
  return null;
}
