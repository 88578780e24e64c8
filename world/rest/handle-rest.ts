import { accessTo, authenticate, type Caller } from '../auth/caller.ts';
import { findRepository } from '../find.ts';
import { isObject, type Json } from '../json.ts';
import type { MatchedOperation } from '../schemas/openapi-gate.ts';
import type { Repository } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { failure, notFound, type Reply, type RepositoryNeed, type Route } from './route.ts';
import { ROUTES } from './routes.ts';

/** A parsed REST request. `path` is without `/api/v3`. */
export type RestCall = {
  readonly method: string;
  readonly path: string;
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly body: Json | null;
};

/** The answer, and the operation that gave it. */
export type RestAnswer = { readonly route: string; readonly reply: Reply };

const BY_KEY: ReadonlyMap<string, Route> = new Map(ROUTES.map((route) => [route.key, route]));

/** Answers a REST request. Requests and answers that violate GitHub's OpenAPI description become violations. */
export async function handleRest(world: WorldContext, call: RestCall): Promise<RestAnswer> {
  const matched = world.gates.openapi.match(call.method, call.path);
  const route = matched === null ? undefined : BY_KEY.get(matched.key);
  if (matched === null || route === undefined) {
    world.violations.push(`no route for ${call.method} ${call.path}`);
    return { route: call.path, reply: failure(501, 'The world does not serve this route') };
  }
  const reply = await answer(world, call, matched, route);
  world.violations.push(...world.gates.openapi.checkAnswer(matched.key, reply.status, reply.body));
  return { route: matched.key, reply };
}

async function answer(world: WorldContext, call: RestCall, matched: MatchedOperation, route: Route): Promise<Reply> {
  const authentication = authenticate(world, call.authorization);
  if (authentication.kind === 'refused') return failure(authentication.status, authentication.message);
  const { caller } = authentication;
  const { owner, repo } = matched.params;
  const repository = owner === undefined ? null : findRepository(world.state, `${owner}/${repo ?? ''}`);
  const refused = refusalOf(caller, route, repository);
  if (refused !== null) return refused;
  const problems = world.gates.openapi.checkRequest(matched.key, { query: call.url.searchParams, body: call.body });
  if (problems.length > 0) {
    world.violations.push(...problems);
    return failure(422, `Invalid request.\n\n${problems.join('\n')}`);
  }
  const body = isObject(call.body) ? call.body : {};
  const request = { world, caller, params: matched.params, query: call.url.searchParams, body, url: call.url };
  if (route.kind === 'plain') return await route.answer(request);
  return repository === null ? notFound() : await route.answer(request, repository);
}

function refusalOf(caller: Caller, route: Route, repository: Repository | null): Reply | null {
  if (route.kind === 'repository') return repositoryRefusal(caller, route.need, repository);
  if (route.access === 'app')
    return caller.kind === 'app' ? null : failure(401, 'A JSON web token could not be decoded');
  if (route.access === 'any' || caller.kind === 'installation') return null;
  return failure(403, 'Resource not accessible by integration');
}

function repositoryRefusal(caller: Caller, need: RepositoryNeed, repository: Repository | null): Reply | null {
  if (repository === null) return notFound();
  const access = accessTo(caller, repository, need);
  if (access === 'hidden') return notFound();
  if (access === 'denied') return failure(403, 'Resource not accessible by integration');
  if (caller.kind === 'user' && need.isAppOnly === true) return failure(403, 'You must authenticate via a GitHub App.');
  const isReadOnly = repository.isArchived && need.level === 'write';
  return isReadOnly ? failure(403, 'Repository was archived so is read-only.') : null;
}
