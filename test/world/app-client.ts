import { createSign } from 'node:crypto';
import { isObject, type JsonObject, stringAt } from '../../world/json.ts';
import type { World } from '../../world/start-world.ts';

/** An answer of the world's API. */
export type ApiAnswer = { readonly status: number; readonly headers: Headers; readonly body: unknown };

/** A JWT of the App; `lifetimeSeconds` may be too long on purpose. */
export function appJwt(world: World, lifetimeSeconds = 300): string {
  const now = Math.floor(Date.now() / 1000);
  const encode = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iat: now - 30, exp: now + lifetimeSeconds, iss: String(world.app.id) };
  const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(world.app.privateKey, 'base64url')}`;
}

/** Calls REST: `method path`, path without `/api/v3`. */
export async function rest(world: World, token: string | null, call: string, body?: JsonObject): Promise<ApiAnswer> {
  const [method = 'GET', path = '/'] = call.split(' ');
  const answer = await fetch(`${world.url}/api/v3${path}`, {
    method,
    redirect: 'manual',
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return await toAnswer(answer);
}

async function toAnswer(answer: Response): Promise<ApiAnswer> {
  const text = await answer.text();
  const parsed: unknown = text === '' ? null : JSON.parse(text);
  return { status: answer.status, headers: answer.headers, body: parsed };
}

/** Calls GraphQL. */
export async function graphql(
  world: World,
  token: string,
  query: string,
  variables: JsonObject = {},
): Promise<JsonObject> {
  const answer = await fetch(`${world.url}/api/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  const { body } = await toAnswer(answer);
  return isObject(body) ? body : {};
}

/** A token of an installation; `narrow` is the request body. */
export async function installationToken(
  world: World,
  installationId: number,
  narrow: JsonObject = {},
): Promise<string> {
  const answer = await rest(world, appJwt(world), `POST /app/installations/${installationId}/access_tokens`, narrow);
  return isObject(answer.body) ? (stringAt(answer.body, 'token') ?? '') : '';
}

/** The value at a path of keys and indexes; undefined when there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found: unknown = value;
  for (const key of path) found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined;
  return found;
}
