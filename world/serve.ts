import type { IncomingMessage, ServerResponse } from 'node:http';
import { describeRequest, REST_PREFIX } from './describe-request.ts';
import type { RequestFault } from './faults.ts';
import { parseGitRequest, serveGit } from './git/serve-git.ts';
import { executeGraphql } from './graphql/execute.ts';
import { type Json, parseAnyJson } from './json.ts';
import { serveAppPage } from './pages/app-pages.ts';
import { handleRest } from './rest/handle-rest.ts';
import { failure, type Reply } from './rest/route.ts';
import type { WorldContext } from './world-context.ts';

type Answer = {
  readonly route: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/** Answers one HTTP request: git, REST, GraphQL or a job log. Faults apply first. */
export async function serve(world: WorldContext, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(message.url ?? '/', world.url);
  const method = message.method ?? 'GET';
  const body = await readBody(message);
  const fault = world.faults.takeRequestFault({ method, path: url.pathname });
  if (fault?.kind === 'hang') return;
  const asked = describeRequest(world, { method, url, body, authorization: message.headers.authorization });
  const answer = fault === null ? await answerSafely(world, { message, url, body }) : toFaultAnswer(url, fault);
  const { route, status } = answer;
  world.requests.push({ method, path: url.pathname + url.search, route, status, ...asked, atMs: Date.now() });
  response.setHeader('date', new Date(Date.now() + world.faults.clockSkewMs()).toUTCString());
  response.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length });
  response.end(method === 'HEAD' ? undefined : answer.body);
  world.changed();
}

const PAGE = '<!DOCTYPE html>\n<html><head><title>Unicorn! &middot; GitHub</title></head></html>\n';

function toFaultAnswer(url: URL, fault: Exclude<RequestFault, { readonly kind: 'hang' }>): Answer {
  if (fault.kind === 'page') {
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    return { route: url.pathname, status: fault.status, headers, body: Buffer.from(PAGE) };
  }
  return toJsonAnswer(url.pathname, { ...failure(fault.status, fault.message), headers: fault.headers });
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

type Incoming = { readonly message: IncomingMessage; readonly url: URL; readonly body: Buffer };

async function answerSafely(world: WorldContext, incoming: Incoming): Promise<Answer> {
  try {
    return await answer(world, incoming);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    world.violations.push(`the world failed at ${incoming.message.method ?? ''} ${incoming.url.pathname}: ${text}`);
    return toJsonAnswer(incoming.url.pathname, failure(500, 'The world failed'));
  }
}

async function answer(world: WorldContext, incoming: Incoming): Promise<Answer> {
  const { message, url, body } = incoming;
  const gitRequest = parseGitRequest(url);
  if (gitRequest !== null) return { route: url.pathname, ...(await serveGit(world, gitRequest, message, body)) };
  if (url.pathname.startsWith('/_logs/')) return toLogAnswer(world, url);
  const page = serveAppPage(world, incoming);
  if (page !== null) return page;
  const json = parseBody(body);
  if (json === undefined) return toJsonAnswer(url.pathname, failure(400, 'Problems parsing JSON'));
  const { authorization } = message.headers;
  if (url.pathname === '/api/graphql') return toJsonAnswer('graphql', await executeGraphql(world, authorization, json));
  if (!url.pathname.startsWith(`${REST_PREFIX}/`)) {
    world.violations.push(`no route for ${message.method ?? ''} ${url.pathname}`);
    return toJsonAnswer(url.pathname, failure(501, 'The world does not serve this route'));
  }
  const path = url.pathname.slice(REST_PREFIX.length);
  const call = { method: message.method ?? 'GET', path, url, authorization, body: json };
  const { route, reply } = await handleRest(world, call);
  return toJsonAnswer(route, reply);
}

function parseBody(body: Buffer): Json | null | undefined {
  if (body.length === 0) return null;
  try {
    return parseAnyJson(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function toJsonAnswer(route: string, reply: Reply): Answer {
  const body = reply.body === null ? Buffer.alloc(0) : Buffer.from(reply.text ?? JSON.stringify(reply.body));
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-github-media-type': 'github.v3; format=json',
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': '4999',
    'x-ratelimit-used': '1',
    'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 3600),
    'x-ratelimit-resource': route === 'graphql' ? 'graphql' : 'core',
    ...reply.headers,
  };
  return { route, status: reply.status, headers, body };
}

/** Answers the signed download URL that a job log's 302 points to. It needs no token. */
function toLogAnswer(world: WorldContext, url: URL): Answer {
  const id = Number(/\/(?<id>\d+)\.txt$/u.exec(url.pathname)?.groups?.['id']);
  const job = world.state.workflowJobs.get(id);
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  const status = job === undefined ? 404 : 200;
  return { route: 'job log', status, headers, body: Buffer.from(job?.log ?? '') };
}
