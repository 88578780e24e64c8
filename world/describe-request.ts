import { authenticate } from './auth/caller.ts';
import { parseGitRequest } from './git/serve-git.ts';
import { costOf } from './graphql/query-cost.ts';
import { type JsonObject, parseJson } from './json.ts';
import type { RequestRecord, WorldContext } from './world-context.ts';

/** Prefix of the REST API, as on GitHub Enterprise Server. */
export const REST_PREFIX = '/api/v3';

/** A request that is not answered yet. It is described first, because its answer may invalidate its token. */
export type AskedRequest = {
  readonly method: string;
  readonly url: URL;
  readonly body: Buffer;
  readonly authorization: string | undefined;
};

/** Operation, caller and cost of a request. A query above GitHub's node limit is a violation. */
export function describeRequest(
  world: WorldContext,
  asked: AskedRequest,
): Pick<RequestRecord, 'kind' | 'operation' | 'points' | 'caller'> {
  const { method, url } = asked;
  const authentication = authenticate(world, asked.authorization);
  const caller = authentication.kind === 'refused' ? 'refused' : authentication.caller.kind;
  if (parseGitRequest(url) !== null) return { kind: 'git', operation: url.pathname, points: 0, caller };
  if (url.pathname === '/api/graphql') return { kind: 'graphql', ...describeQuery(world, asked.body), caller };
  if (!url.pathname.startsWith(`${REST_PREFIX}/`)) return { kind: 'other', operation: url.pathname, points: 0, caller };
  const path = url.pathname.slice(REST_PREFIX.length);
  return { kind: 'rest', operation: operationOf(world, method, path), points: 0, caller };
}

/** The OpenAPI operation, or the raw path if there is none or its encoding is invalid. */
function operationOf(world: WorldContext, method: string, path: string): string {
  try {
    return world.gates.openapi.match(method, path)?.key ?? `${method} ${path}`;
  } catch {
    return `${method} ${path}`;
  }
}

const MAX_NODES = 500_000;

function describeQuery(world: WorldContext, body: Buffer): Pick<RequestRecord, 'operation' | 'points'> {
  const { operation, points, nodes } = costOf(world.gates.graphqlSchema(), parseBody(body));
  if (nodes > MAX_NODES)
    world.violations.push(`graphql: ${operation} may ask for ${nodes} nodes, more than ${MAX_NODES}`);
  return { operation: `graphql ${operation}`, points };
}

function parseBody(body: Buffer): JsonObject {
  try {
    return parseJson(body.toString('utf8'));
  } catch {
    return {};
  }
}
