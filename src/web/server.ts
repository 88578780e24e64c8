import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Log } from '../ports/log.ts';
import { createConnectionGuard } from './connection-guard.ts';
import { isAuthorized } from './is-authorized.ts';
import { sendJson } from './send-response.ts';

/** Whether the process can do its work, part by part. The texts are for the operator, without secrets. */
export interface Readiness {
  readonly isReady: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly state: 'ok' | 'warn' | 'fail';
    readonly detail: string;
    readonly fix: string;
  }[];
}

/** What only operators may see: the details of `/readyz`, and `/metrics`. */
export interface OperatorPages {
  /** A bearer token that shows them; null: no token does. `'all'`: whoever reaches the port may see them. */
  readonly access: { readonly token: string | null } | 'all';
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Limits of the HTTP server. */
export interface ServerLimits {
  readonly headersTimeoutMs: number;
  /** Longest time for a whole request to arrive. GitHub gives up after 10 s. */
  readonly requestTimeoutMs: number;
  readonly timeoutCheckMs: number;
  readonly maxConnections: number;
  /** Connections without a request that is being served. Far below `maxConnections`, so that a new one always fits. */
  readonly maxIdleConnections: number;
  readonly readinessTimeoutMs: number;
}

/** Limits that suit GitHub. */
export const defaultServerLimits: ServerLimits = {
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 9_000,
  timeoutCheckMs: 1_000,
  maxConnections: 2_000,
  maxIdleConnections: 1_000,
  readinessTimeoutMs: 2_000,
};

const idleSweepMs = 50;

/** Handles a request. Resolves with false if the path is not one of its own. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** A server that listens once and closes once. */
export interface WebServer {
  /** Resolves with the port. Rejects if the address is in use. */
  readonly listen: (address: { readonly host: string; readonly port: number }) => Promise<number>;
  /** Accepts no new connections, lets requests finish within `graceMs`, then closes them. Idempotent. */
  readonly close: (graceMs: number) => Promise<void>;
}

/**
 * The HTTP server of the process: the webhook edge, the admin API if configured, `/healthz` (the process is alive), `/readyz` (it can
 * work), `/metrics`, `/ping`, and 404 for everything else. Probot's own server is not used because its
 * setup pages write configuration without authentication.
 */
export function createServer(options: {
  /** The webhook edge; absent on the port for operators. */
  readonly edge?: RequestHandler;
  /** Handles further paths. */
  readonly admin?: RequestHandler;
  readonly readiness: () => Readiness | Promise<Readiness>;
  /** Absent: nobody sees them. */
  readonly operators?: OperatorPages;
  readonly log: Log;
  readonly limits?: ServerLimits;
}): WebServer {
  const limits = options.limits ?? defaultServerLimits;
  const guard = createConnectionGuard(limits.maxIdleConnections);
  const server = createHttpServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckMs,
    },
    (request, response) => {
      guard.busy(request.socket);
      serve(request, response)
        .catch((error: unknown) => {
          options.log.error({ err: error instanceof Error ? error : new Error('not an error') }, 'request failed');
          if (response.headersSent) response.destroy();
          else sendJson(response, 500, { outcome: 'failed' });
        })
        .finally(() => guard.idle(request.socket));
    },
  );
  server.on('connection', guard.open);
  server.maxConnections = limits.maxConnections;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if ((await options.edge?.(request, response)) === true) return;
    if ((await options.admin?.(request, response)) === true) return;
    const path = request.method === 'GET' || request.method === 'HEAD' ? request.url?.split('?', 1)[0] : null;
    if (path === '/healthz') sendJson(response, 200, { status: 'ok' });
    else if (path === '/readyz') await answerReadiness(request, response);
    else if (path === '/metrics') await answerMetrics(options.operators, request, response);
    else if (path === '/ping') response.writeHead(200, { 'content-type': 'text/plain' }).end('PONG');
    else sendJson(response, 404, { outcome: 'not_found' });
  }

  /** Anybody may know whether it is ready, so that a load balancer needs no token. */
  async function answerReadiness(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { isReady, checks } = await withTimeout(options.readiness, limits.readinessTimeoutMs);
    const status = isReady ? 'ready' : 'not ready';
    const isShown = toAccess(request, options.operators?.access) === 'granted';
    sendJson(response, isReady ? 200 : 503, isShown ? { status, checks } : { status });
  }

  return {
    listen: ({ host, port }) => listen(server, host, port),
    close: (graceMs) => close(server, graceMs),
  };
}

async function answerMetrics(
  operators: OperatorPages | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const access = toAccess(request, operators?.access);
  if (operators === undefined || access === 'none') sendJson(response, 404, { outcome: 'not_found' });
  else if (access === 'refused') {
    response.setHeader('www-authenticate', 'Bearer');
    sendJson(response, 401, { outcome: 'refused', code: 'TOKEN_WRONG' });
  } else {
    const { contentType, text } = await operators.metrics();
    response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text);
  }
}

/** Where a request comes from is no proof: behind a proxy everybody comes from this machine. */
function toAccess(
  request: IncomingMessage,
  access: OperatorPages['access'] = { token: null },
): 'granted' | 'refused' | 'none' {
  if (access === 'all') return 'granted';
  if (access.token === null) return 'none';
  return isAuthorized(request, access.token) ? 'granted' : 'refused';
}

async function withTimeout(readiness: () => Readiness | Promise<Readiness>, timeoutMs: number): Promise<Readiness> {
  const { promise, resolve } = Promise.withResolvers<Readiness>();
  const timer = setTimeout(resolve, timeoutMs, toUnknown('the check took too long'));
  try {
    return await Promise.race([readiness(), promise]);
  } catch {
    return toUnknown('the check failed');
  } finally {
    clearTimeout(timer);
  }
}

function toUnknown(detail: string): Readiness {
  const fix = 'Look at the log.';
  return { isReady: false, checks: [{ name: 'readiness', state: 'fail', detail, fix }] };
}

/** @throws if the address is in use. */
async function listen(server: Server, host: string, port: number): Promise<number> {
  await once(server.listen(port, host), 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

async function close(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = once(server.close(), 'close');
  // Node keeps connections that become idle later alive for seconds, so they are closed repeatedly until all are gone.
  const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
