import { createHmac, randomUUID } from 'node:crypto';
import type { Log, LogFields } from '../../src/ports/log.ts';
import type { Delivery, IngestOutcome } from '../../src/ports/store.ts';
import { createServer, defaultServerLimits, type ServerLimits } from '../../src/web/server.ts';
import {
  type AcceptedDelivery,
  createWebhookEdge,
  defaultEdgeLimits,
  type EdgeLimits,
  type WebhookEdgeOptions,
} from '../../src/webhooks/webhook-edge.ts';

export const secret = 'the-secret-of-this-test';
export const path = '/api/github/webhooks';

/** One written log line. */
export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

/** A log that remembers its lines. */
export function createMemoryLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const write = (level: string) => (fields: LogFields, message: string) => {
    lines.push({ level, message, fields });
  };
  const log: Log & { readonly lines: LogLine[] } = {
    lines,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => log,
  };
  return log;
}

/** A real HTTP server with the edge, on a free port of this machine. */
export interface RunningEdge {
  readonly url: string;
  readonly port: number;
  readonly ingested: Delivery[];
  readonly accepted: AcceptedDelivery[];
  readonly log: ReturnType<typeof createMemoryLog>;
  readonly close: () => Promise<void>;
}

/** What a test may change. */
export interface EdgeChanges extends Partial<Omit<WebhookEdgeOptions, 'limits' | 'log'>> {
  readonly limits?: Partial<EdgeLimits>;
  readonly serverLimits?: Partial<ServerLimits>;
}

/** Starts the edge with an ingest that knows the ids and bodies it has seen, like the real one. */
export async function startEdge({ limits, serverLimits, ...changes }: EdgeChanges = {}): Promise<RunningEdge> {
  const ingested: Delivery[] = [];
  const accepted: AcceptedDelivery[] = [];
  const log = createMemoryLog();
  const seen = new Set<string>();
  const edge = createWebhookEdge({
    secrets: [secret],
    path,
    own: { appId: 4242, botUserId: 99_000_001 },
    parseCommands: (body) => (body.startsWith('/ratchet enable') ? [{ name: 'enable', args: [] }] : []),
    ingest: async (delivery) => {
      if (seen.has(delivery.id) || seen.has(delivery.bodyHash)) return { kind: 'duplicate' };
      seen.add(delivery.id).add(delivery.bodyHash);
      ingested.push(delivery);
      return delivery.event === null
        ? { kind: 'ignored' }
        : ({ kind: 'accepted', wakes: [], sweeps: [] } satisfies IngestOutcome);
    },
    onAccepted: (delivery) => accepted.push(delivery),
    clock: { now: () => 1_000_000 },
    ...changes,
    log,
    limits: { ...defaultEdgeLimits, ...limits },
  });
  const server = createServer({
    edge,
    readiness: () => ({ isReady: true, checks: [] }),
    log,
    limits: { ...defaultServerLimits, ...serverLimits },
  });
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${String(port)}${path}`;
  return { url, port, ingested, accepted, log, close: () => server.close(0) };
}

/** What to send; everything but the body has a right default. */
export interface Post {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly eventName?: string;
  readonly id?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export function sign(body: string | Uint8Array, key: string = secret): string {
  return `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
}

/** Headers as GitHub sends them; an `undefined` leaves one out. */
export function headersFor({ body, eventName = 'push', id = randomUUID(), key = secret, headers = {} }: Post): Headers {
  const all: Record<string, string | undefined> = {
    'content-type': 'application/json',
    'x-github-event': eventName,
    'x-github-delivery': id,
    'x-hub-signature-256': sign(body, key),
    ...headers,
  };
  const result = new Headers();
  for (const [name, value] of Object.entries(all)) if (value !== undefined) result.set(name, value);
  return result;
}

/** Posts a delivery, right unless told otherwise; resolves with the status and the parsed answer. */
export async function post(
  edge: Pick<RunningEdge, 'url'>,
  options: Post,
): Promise<{ status: number; answer: unknown }> {
  const response = await fetch(edge.url, { method: 'POST', headers: headersFor(options), body: options.body });
  return { status: response.status, answer: await response.json() };
}
