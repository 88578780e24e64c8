import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Json } from '../json.ts';
import type { Behavior } from './behavior.ts';
import type { Bill } from './bill.ts';
import { FAILURES } from './failures.ts';
import type { ModelAnswer, ModelApi, ModelCall, ModelStep, ServerEvent, TokenCount } from './model-call.ts';
import { decideEndlessStep, decideStep, type ModelScript } from './scripted-model.ts';

/** A call that has to be answered. */
export type OpenCall = {
  readonly api: ModelApi;
  readonly call: ModelCall;
  readonly bytes: number;
  readonly response: ServerResponse;
  readonly bill: Bill;
  readonly script: ModelScript;
  /** The tokens of an answer; null: estimated from the texts. */
  readonly toUse: ((call: ModelCall) => TokenCount) | null;
};

const BYTES_PER_TOKEN = 4;
const CACHED_SHARE = 5;
const PAGE = '<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>\n';
const SSE = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' } as const;

/** Answers a call as its behaviour says. */
export async function sendAnswer(open: OpenCall, behavior: Behavior): Promise<void> {
  const { api, response } = open;
  switch (behavior.kind) {
    case 'fail': {
      const { status, body } = api.toError(FAILURES[behavior.as]);
      sendJson(response, status, body, behavior.headers);
      return;
    }
    case 'hang':
      open.bill.charge(open.call.model, toInput(toUse(open, '')));
      return;
    case 'html':
      response.writeHead(behavior.status ?? 200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
      return;
    case 'broken_json':
      sendBroken(open);
      return;
    default:
      return answer(open, behavior);
  }
}

function sendBroken({ call, response }: OpenCall): void {
  if (call.isStream) response.writeHead(200, SSE).end('data: {"id":"1","ch\n\n');
  else response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1","ch');
}

type Answering = Extract<Behavior, { readonly kind: 'ok' | 'endless' | 'slow' | 'cut' | 'stall' | 'error_in_stream' }>;

async function answer(open: OpenCall, behavior: Answering): Promise<void> {
  const { call, bill } = open;
  const step = chooseStep(open, behavior);
  const text = step.kind === 'tool' ? JSON.stringify(step.args) : step.text;
  const use = toUse(open, text);
  // A provider charges input when it starts, and output as it is made.
  bill.charge(call.model, toInput(use));
  const made = { step, pieces: [text], use, number: call.results };
  if (call.isStream) await sendStream(open, behavior, made);
  else sendWhole(open, behavior, made);
}

function chooseStep({ call, script }: OpenCall, { kind }: Answering): ModelStep {
  if (kind === 'slow') return { kind: 'text', text: '' };
  return kind === 'endless' ? decideEndlessStep(call) : decideStep(call, script);
}

function sendWhole({ api, call, response, bill }: OpenCall, behavior: Answering, made: ModelAnswer): void {
  const text = JSON.stringify(api.toJson(call, made));
  if (behavior.kind === 'cut' || behavior.kind === 'stall' || behavior.kind === 'error_in_stream') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.write(text.slice(0, text.length / 2), () => {
      if (behavior.kind !== 'stall') response.destroy();
    });
    return;
  }
  bill.charge(call.model, { output: made.use.output });
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
}

async function sendStream(open: OpenCall, behavior: Answering, made: ModelAnswer): Promise<void> {
  const { api, call, response, bill } = open;
  const { start, piece, end } = api.toEvents(call, made);
  response.writeHead(200, SSE);
  for (const event of start) await send(response, event);
  switch (behavior.kind) {
    case 'cut':
      await send(response, piece('{"'));
      response.destroy();
      return;
    case 'stall':
      await send(response, piece('{"'));
      return;
    case 'error_in_stream':
      await send(response, api.toErrorEvent(FAILURES[behavior.as]));
      response.end();
      return;
    case 'slow':
      if (!(await sendSlowly(open, behavior, piece))) return;
      break;
    case 'ok':
    case 'endless':
      for (const text of made.pieces) await send(response, piece(text));
      bill.charge(call.model, { output: made.use.output });
  }
  for (const event of end) await send(response, event);
  response.end();
}

/** Returns whether the reader stayed to the end. Each piece is charged as it is sent. */
async function sendSlowly(
  { call, response, bill }: OpenCall,
  { events, bytes, everyMs }: Behavior & { readonly kind: 'slow' },
  piece: (text: string) => ServerEvent,
): Promise<boolean> {
  const event = piece('.'.repeat(bytes));
  const startedAt = performance.now();
  for (let sent = 0; sent < events; sent += 1) {
    if (response.destroyed) return false;
    await send(response, event);
    bill.charge(call.model, { output: Math.ceil(bytes / BYTES_PER_TOKEN) });
    const early = startedAt + (sent + 1) * everyMs - performance.now();
    if (early > 0) await wait(early);
  }
  return true;
}

/** Waits for a slow reader. */
async function send(response: ServerResponse, { event, data }: ServerEvent): Promise<void> {
  const name = event === null ? '' : `event: ${event}\n`;
  const text = data === '[DONE]' ? data : JSON.stringify(data);
  if (response.write(`${name}data: ${text}\n\n`) || response.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function toUse({ call, bytes, toUse }: OpenCall, text: string): TokenCount {
  if (toUse !== null) return toUse(call);
  const all = Math.ceil(bytes / BYTES_PER_TOKEN);
  const cached = Math.floor(all / CACHED_SHARE);
  const output = Math.min(Math.ceil(text.length / BYTES_PER_TOKEN), call.maxOutput ?? Infinity);
  return { input: all - cached, cached, written: 0, output: Math.max(output, 1) };
}

function toInput({ input, cached, written }: TokenCount): Partial<TokenCount> {
  return { input, cached, written };
}
