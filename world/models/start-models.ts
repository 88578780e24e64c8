import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isObject, type JsonObject, parseAnyJson } from '../json.ts';
import { createWaiting, type Until } from '../until.ts';
import { type Behavior, type BehaviorScope, createBehaviors } from './behavior.ts';
import { createBill, type Spent } from './bill.ts';
import { CHAT } from './dialects/chat.ts';
import { GENERATE } from './dialects/generate.ts';
import { MESSAGES } from './dialects/messages.ts';
import { RESPONSES } from './dialects/responses.ts';
import { FAILURES } from './failures.ts';
import type { ModelApi, ModelCall, TokenCount } from './model-call.ts';
import type { ModelScript } from './scripted-model.ts';
import { sendAnswer, sendJson } from './send-answer.ts';

/** Options of `startModels`; all have defaults. */
export type ModelsOptions = {
  /** The key that is accepted; null: any or none. */
  readonly key?: string | null;
  /** Default: no steps, and a success as the last message. A function chooses by the call. */
  readonly script?: ModelScript | ((call: ModelCall) => ModelScript);
  /** USD per million tokens, by model. */
  readonly prices?: Readonly<Record<string, TokenCount>>;
  /** Tokens of an answer. Default: estimated from the texts, about a quarter of the bytes. */
  readonly toUse?: (call: ModelCall) => TokenCount;
  /** Default: 0, a free port. */
  readonly port?: number;
};

/** A request that arrived, with all that its sender said. */
export type ModelRequest = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** null: not a call to the model. */
  readonly call: ModelCall | null;
};

/** A running model of four APIs. See `README.md`. */
export type Models = {
  /** `http://127.0.0.1:PORT`, the root of all APIs. */
  readonly url: string;
  /** Every request, in the order of their arrival. */
  readonly requests: readonly ModelRequest[];
  /** The requests that were calls to the model with the right key. */
  readonly calls: () => readonly ModelRequest[];
  /** How many requests have no end yet: neither a whole answer nor a client that left. */
  readonly open: () => number;
  /** Calls, tokens and cost by the model's own count. */
  readonly spent: () => Spent;
  /** Changes how calls are answered from now on. */
  readonly behave: (behavior: Behavior, scope?: BehaviorScope) => void;
  readonly setScript: (script: ModelScript | ((call: ModelCall) => ModelScript)) => void;
  readonly setUse: (toUse: ((call: ModelCall) => TokenCount) | null) => void;
  /** Forgets behaviours, requests and the count. */
  readonly reset: () => void;
  /** Waits until the condition is true. Checked after each request. */
  readonly until: Until;
  readonly close: () => Promise<void>;
};

const APIS: readonly (readonly [RegExp, ModelApi])[] = [
  [/\/v1\/messages$/u, MESSAGES],
  [/\/v1\/responses$/u, RESPONSES],
  [/\/v1\/chat\/completions$/u, CHAT],
  [/\/v1(?:alpha|beta)?\/models\/[^/:]+:(?:generateContent|streamGenerateContent)$/u, GENERATE],
];
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Starts a model on 127.0.0.1. The caller closes it. */
export async function startModels(options: ModelsOptions = {}): Promise<Models> {
  const { key = null, prices = {} } = options;
  const bill = createBill(prices);
  const behaviors = createBehaviors();
  const requests: ModelRequest[] = [];
  let script = options.script ?? { steps: [] };
  let toUse = options.toUse ?? null;
  const { until, changed } = createWaiting(() => requests.map(({ method, path }) => `${method} ${path}`).join('\n'));
  let open = 0;
  const isOurs = (request: Pick<ModelRequest, 'headers' | 'path'>): boolean => key === null || readKey(request) === key;

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    open += 1;
    response.once('close', () => {
      open -= 1;
      changed();
    });
    const body = await readBody(message);
    const request = toRequest(message, body ?? '');
    const { call, path, method } = request;
    requests.push(request);
    changed();
    const api = findApi(request);
    if (body === null) response.destroy();
    else if (!isOurs(request)) sendFailure(response, api ?? toFamily(path), 'wrong_key');
    else if (call === null || api === null) serveRest(response, { method, path, bytes: body.length });
    else {
      bill.addCall();
      const chosen = typeof script === 'function' ? script(call) : script;
      const bytes = Buffer.byteLength(body);
      await sendAnswer({ api, call, bytes, response, bill, script: chosen, toUse }, behaviors.take(call));
    }
  }

  const server = await listen(serve, options.port ?? 0);
  return {
    url: server.url,
    requests,
    calls: () => requests.filter((request) => request.call !== null && isOurs(request)),
    open: () => open,
    spent: bill.read,
    behave: (behavior, scope = {}) => {
      behaviors.add(behavior, scope);
    },
    setScript: (next) => {
      script = next;
    },
    setUse: (next) => {
      toUse = next;
    },
    reset: () => {
      behaviors.clear();
      bill.reset();
      requests.length = 0;
    },
    until,
    close: server.close,
  };
}

async function listen(
  serve: (message: IncomingMessage, response: ServerResponse) => Promise<void>,
  port: number,
): Promise<Pick<Models, 'url' | 'close'>> {
  const server = createServer((message, response) => {
    serve(message, response).catch(() => response.destroy());
  });
  // Clients of OpenAI try a WebSocket first.
  server.on('upgrade', (_message, socket) => {
    socket.end('HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The model has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers what is no call to a model: clients count tokens, list models and look whether anybody is there. */
function serveRest(
  response: ServerResponse,
  { method, path, bytes }: Pick<ModelRequest, 'method' | 'path'> & { readonly bytes: number },
): void {
  const [plain = ''] = path.split('?');
  const tokens = Math.ceil(bytes / 4);
  if (method === 'POST' && plain.endsWith('/count_tokens')) sendJson(response, 200, { input_tokens: tokens });
  else if (method === 'POST' && plain.endsWith(':countTokens')) sendJson(response, 200, { totalTokens: tokens });
  else if (method === 'GET' && plain.endsWith('/models'))
    sendJson(response, 200, { object: 'list', data: [], models: [] });
  else if (method === 'HEAD') response.writeHead(200).end();
  else sendJson(response, 404, { error: { type: 'not_found_error', message: 'There is no such path.' } });
}

function sendFailure(response: ServerResponse, api: ModelApi, name: keyof typeof FAILURES): void {
  const { status, body } = api.toError(FAILURES[name]);
  sendJson(response, status, body);
}

/** The API whose errors a path gets that is no call. */
function toFamily(path: string): ModelApi {
  if (path.includes('/messages')) return MESSAGES;
  return path.includes('/models/') ? GENERATE : CHAT;
}

function findApi({ method, path }: Pick<ModelRequest, 'method' | 'path'>): ModelApi | null {
  const [plain = ''] = path.split('?');
  return method === 'POST' ? (APIS.find(([pattern]) => pattern.test(plain))?.[1] ?? null) : null;
}

function toRequest(message: IncomingMessage, body: string): ModelRequest {
  const { method = 'GET', url: path = '/' } = message;
  const headers = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
  const json = parseBody(body);
  const [plain = ''] = path.split('?');
  return {
    method,
    path,
    headers,
    body,
    call: json === null ? null : (findApi({ method, path })?.parse(json, plain) ?? null),
  };
}

function parseBody(body: string): JsonObject | null {
  try {
    const json = parseAnyJson(body);
    return isObject(json) ? json : null;
  } catch {
    return null;
  }
}

/** null: longer than anything that a client sends. */
async function readBody(message: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readKey({ headers, path }: Pick<ModelRequest, 'headers' | 'path'>): string | null {
  const bearer = headers['authorization']?.replace(/^Bearer /u, '');
  const query = new URL(path, 'http://127.0.0.1').searchParams.get('key');
  return headers['x-api-key'] ?? headers['x-goog-api-key'] ?? bearer ?? query;
}
