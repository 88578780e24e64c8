import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { rewriteAnswer, toCrateUrl } from '../../core/registry/rewrite-answer.ts';
import { type Rewrite, type Route, routeRequest } from '../../core/registry/route-request.ts';
import { fetchUpstream, type Upstream, type UpstreamRequest } from './fetch-upstream.ts';
import type { RegistrySession } from './registry-session.ts';

/** Statuses of a registry that the site gets as they are. */
const PASSED_ON = [404, 410, 429];
const ACCEPT = /^[\w/.+*;=, -]{1,500}$/u;
const MEDIA_TYPE = /^[\w/.+;= "-]{1,200}$/u;

/** Answers one request of a package manager. Never throws. */
export async function answerRequest(
  session: RegistrySession,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  session.countRequest();
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(session.limits.deadlineMs)]);
  const { method = '', url: target = '' } = request;
  const refuse = (reason: string): void => {
    session.refuse(`${method} ${target}`, reason);
    endWith(response, 403, reason);
  };
  try {
    const route: Route = hasBody(request)
      ? { kind: 'refused', reason: 'a request may not have a body' }
      : routeRequest(method, target, session.roots);
    if (route.kind === 'refused') refuse(route.reason);
    else if (route.kind === 'answer') endWith(response, 200, route.text);
    else await passOn(session, { route, request, response, refuse }, signal);
  } catch {
    // The site or the registry hung up, or a limit was reached: what was sent must not look complete.
    response.destroy();
  }
}

type Fetched = Extract<Route, { readonly kind: 'fetch' | 'crate' }>;

async function passOn(
  session: RegistrySession,
  given: {
    readonly route: Fetched;
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly refuse: (reason: string) => void;
  },
  signal: AbortSignal,
): Promise<void> {
  const { route, request, response, refuse } = given;
  const { accept = '' } = request.headers;
  const shared = {
    method: request.method === 'HEAD' ? 'HEAD' : 'GET',
    accept: ACCEPT.test(accept) ? accept : null,
  } as const;
  const upstream =
    route.kind === 'fetch'
      ? await fetchUpstream(session, { ...shared, of: route.of, url: route.url }, signal)
      : await fetchCrate(session, route, shared, signal);
  if (upstream.kind === 'refused') {
    refuse(upstream.reason);
    return;
  }
  if (upstream.kind === 'failed') {
    endWith(response, 502, upstream.reason);
    return;
  }
  const { statusCode = 0 } = upstream.message;
  if (statusCode === 200) {
    const rewrite = route.kind === 'fetch' ? route.rewrite : null;
    await sendBody(session, { upstream, response, rewrite, isHead: request.method === 'HEAD' });
    return;
  }
  upstream.message.destroy();
  endWith(response, PASSED_ON.includes(statusCode) ? statusCode : 502, `the registry answers ${String(statusCode)}`);
}

/** Reads the index's `config.json` for each crate: the state of an index would be another thing to keep right. */
async function fetchCrate(
  session: RegistrySession,
  crate: Route & { readonly kind: 'crate' },
  shared: Pick<UpstreamRequest, 'method' | 'accept'>,
  signal: AbortSignal,
): Promise<Upstream> {
  const url = `${session.roots.cargo}config.json`;
  const config = await fetchUpstream(session, { of: 'cargo', url, method: 'GET', accept: null }, signal);
  if (config.kind !== 'answer') return config;
  const text = await readText(session, config.message);
  const found = toCrateUrl(text, crate, session.roots);
  if (found === null) return { kind: 'refused', reason: 'the index names no host of its own for files' };
  return fetchUpstream(session, { ...shared, of: 'cargo', url: found }, signal);
}

async function sendBody(
  session: RegistrySession,
  given: {
    readonly upstream: Extract<Upstream, { readonly kind: 'answer' }>;
    readonly response: ServerResponse;
    readonly rewrite: Rewrite | null;
    readonly isHead: boolean;
  },
): Promise<void> {
  const { upstream, response, rewrite, isHead } = given;
  const { message, url } = upstream;
  const type = message.headers['content-type'] ?? '';
  response.setHeader('content-type', MEDIA_TYPE.test(type) ? type : 'application/octet-stream');
  const length = message.headers['content-length'];
  if (rewrite === null && length !== undefined) response.setHeader('content-length', length);
  if (isHead) {
    message.destroy();
    response.end();
    return;
  }
  if (rewrite === null) {
    await pipeline(message, createMeter(session), response);
    return;
  }
  const text = rewriteAnswer(rewrite, await readText(session, message), { ...session, url });
  if (text === null) endWith(response, 502, 'the registry answers something else');
  else response.end(text);
}

/** Counts what passes, and fails when it is too much. */
function createMeter(session: RegistrySession): Transform {
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      if (session.receive(chunk.length)) done(null, chunk);
      else done(new Error('more bytes than allowed'));
    },
  });
}

/** @throws if the text is too long */
async function readText(session: RegistrySession, message: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of message.pipe(createMeter(session))) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > session.limits.maxDocumentBytes) throw new Error('the document is too long');
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Ends with a text that package managers show. After a refusal the connection is closed, with what may still come on it. */
function endWith(response: ServerResponse, status: number, text: string): void {
  if (status === 403) response.setHeader('connection', 'close');
  const body = status === 200 ? text : JSON.stringify({ error: `ratchet: ${text}` });
  response.writeHead(status, { 'content-type': status === 200 ? 'text/plain' : 'application/json' });
  response.end(body);
}
