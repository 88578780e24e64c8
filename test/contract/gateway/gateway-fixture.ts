import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http, { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModelGateway } from '../../../src/adapters/gateway/create-model-gateway.ts';
import type { GatewayLimits } from '../../../src/adapters/gateway/gateway-limits.ts';
import { createKeyFiles } from '../../../src/adapters/gateway/key-files.ts';
import type { ModelGatewayDeps } from '../../../src/adapters/gateway/session-context.ts';
import { parseSessionId, toPullRequestKey } from '../../../src/core/model/ids.ts';
import type { Dialect } from '../../../src/core/model/model-use.ts';
import type { GatewaySession, ModelEndpoint, ModelGateway, OpenGateway } from '../../../src/ports/model-gateway.ts';
import type { SpendStore } from '../../../src/ports/spend-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { type LogLine, memoryStore, recordingLog } from '../../support/store.ts';

/** The key that no agent, output or log line may ever contain. */
export const KEY = `canary-${randomUUID()}`;
export const MODEL = 'model-1';
export const PRICE = { input: 3, cached: 0.3, written: 3.75, output: 15 };
const REPOSITORY = 100;

export interface GatewayOptions {
  readonly dialect?: Dialect;
  readonly endpoint?: Partial<ModelEndpoint>;
  readonly session?: Partial<GatewaySession>;
  readonly limits?: ModelGatewayDeps['limits'];
  readonly gatewayLimits?: Partial<GatewayLimits>;
  readonly ledger?: Partial<SpendStore>;
}

export interface GatewayFixture {
  readonly gateway: ModelGateway;
  readonly session: OpenGateway;
  readonly endpoint: ModelEndpoint;
  readonly store: Store & SpendStore;
  readonly clock: FakeClock;
  readonly lines: readonly LogLine[];
  readonly folder: string;
  readonly openAnother: (change?: Partial<GatewaySession>) => Promise<OpenGateway>;
  readonly remove: () => Promise<void>;
}

/** A gateway with one open session, for a model at `url`. */
export async function openGateway(url: string, options: GatewayOptions = {}): Promise<GatewayFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'gw-'));
  const keyFile = writeKey(folder, KEY);
  const store = memoryStore();
  const { log, lines } = recordingLog();
  const clock = createFakeClock();
  const gateway = createModelGateway({
    folder: join(folder, 's'),
    ledger: { ...store, ...options.ledger },
    switches: store,
    keys: createKeyFiles(() => undefined),
    limits: options.limits ?? {},
    clock,
    log,
    gatewayLimits: { noteMs: 0, ...options.gatewayLimits },
  });
  const endpoint: ModelEndpoint = {
    name: 'agent-1',
    dialect: options.dialect ?? 'anthropic',
    url,
    keyFile,
    models: [MODEL, 'model-2'],
    prices: { [MODEL]: PRICE },
    maxOutputTokens: 1000,
    ...options.endpoint,
  };
  const openAnother = (change: Partial<GatewaySession> = {}): Promise<OpenGateway> =>
    gateway.open({ ...aSession(endpoint), ...options.session, ...change });
  const remove = async (): Promise<void> => {
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const session = await openAnother();
    return { gateway, session, endpoint, store, clock, lines, folder, openAnother, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A session without budgets of its own, for pull request 7 of repository 100. */
export function aSession(endpoint: ModelEndpoint): GatewaySession {
  return {
    sessionId: parseSessionId('session-1'),
    key: toPullRequestKey(REPOSITORY, 7),
    repositoryId: REPOSITORY,
    installationId: 1,
    endpoint,
    model: MODEL,
    maxMicroUsd: null,
    maxCalls: null,
    maxTokens: null,
  };
}

/** A key file as it must be. */
export function writeKey(folder: string, key: string, mode = 0o600): string {
  const path = join(folder, 'key');
  rmSync(path, { force: true });
  writeFileSync(path, key);
  chmodSync(path, mode);
  return path;
}

export interface AgentRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface AgentResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** Whether the response came to its end. */
  readonly isWhole: boolean;
}

/** Sends a request as an agent with the session's token does. */
export async function call(
  session: Pick<OpenGateway, 'socketPath' | 'token'>,
  request: AgentRequest,
): Promise<AgentResponse> {
  const message = await begin(session, request);
  const chunks: Buffer[] = [];
  message.on('data', (chunk: Buffer) => chunks.push(chunk));
  message.on('error', () => undefined);
  await new Promise((resolve) => message.once('close', resolve));
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    text: Buffer.concat(chunks).toString('utf8'),
    isWhole: message.complete,
  };
}

/** Sends a request and returns with the head of the response, whose body is not read yet. */
export async function begin(
  session: Pick<OpenGateway, 'socketPath' | 'token'>,
  request: AgentRequest,
): Promise<IncomingMessage> {
  const { method = 'POST', path, headers = {}, body, signal } = request;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = http.request({
    socketPath: session.socketPath,
    method,
    path,
    agent: false,
    headers: { authorization: `Bearer ${session.token}`, 'content-type': 'application/json', ...headers },
    ...(signal !== undefined && { signal }),
  });
  sent.on('response', resolve).on('error', reject);
  sent.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body ?? {}));
  return promise;
}

/** Writes bytes to the socket of a session, and returns all that comes back until it closes. */
export async function sendRaw(session: OpenGateway, text: string): Promise<string> {
  const socket = connect(session.socketPath);
  let back = '';
  socket.on('data', (chunk: Buffer) => {
    back += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return back;
}

/** The smallest call in each API that a dialect has. */
export const CALLS = {
  messages: { dialect: 'anthropic', path: '/v1/messages', body: { model: MODEL, max_tokens: 100, messages: [] } },
  responses: { dialect: 'openai', path: '/v1/responses', body: { model: MODEL, input: 'hello' } },
  chat: {
    dialect: 'openai',
    path: '/v1/chat/completions',
    body: { model: MODEL, messages: [{ role: 'user', content: 'hello' }] },
  },
  generate: {
    dialect: 'gemini',
    path: `/v1beta/models/${MODEL}:generateContent`,
    body: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
  },
} as const;

/** The same calls, for a streamed answer. */
export const STREAMS = {
  messages: { ...CALLS.messages, body: { ...CALLS.messages.body, stream: true } },
  responses: { ...CALLS.responses, body: { ...CALLS.responses.body, stream: true } },
  chat: { ...CALLS.chat, body: { ...CALLS.chat.body, stream: true } },
  generate: { ...CALLS.generate, path: `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse` },
} as const;

export const API_NAMES = ['messages', 'responses', 'chat', 'generate'] as const;

export interface Upstream {
  readonly url: string;
  readonly requests: readonly {
    readonly target: string;
    readonly headers: http.IncomingHttpHeaders;
    readonly body: string;
  }[];
  readonly connections: () => number;
  /** Waits for that many requests. */
  readonly until: (requests: number) => Promise<void>;
  readonly clear: () => void;
  readonly answerWith: (answer: Answer) => void;
  readonly close: () => Promise<void>;
}

export type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void;

/** An API that answers as a test says, for what no model does by itself. */
export async function startUpstream(first: Answer): Promise<Upstream> {
  const requests: { target: string; headers: http.IncomingHttpHeaders; body: string }[] = [];
  let answer = first;
  let connections = 0;
  const arrived = new EventEmitter();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      requests.push({ target: request.url ?? '', headers: request.headers, body });
      arrived.emit('request');
      answer(response, request, body);
    });
  });
  server.on('connection', (socket: Socket) => {
    connections += 1;
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the API has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    connections: () => connections,
    until: async (count) => {
      while (requests.length < count) await once(arrived, 'request');
    },
    clear: () => {
      requests.length = 0;
    },
    answerWith: (next) => {
      answer = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A whole answer of Anthropic's Messages that used these tokens. */
export function aMessage(input = 10, output = 5): string {
  return JSON.stringify({ type: 'message', content: [], usage: { input_tokens: input, output_tokens: output } });
}

/** Events of a stream as text. */
export function toEvents(...events: readonly unknown[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}
