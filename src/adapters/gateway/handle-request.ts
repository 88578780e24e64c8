import { createHash, timingSafeEqual } from 'node:crypto';
import { toError } from '../../core/model/errors.ts';
import { toModelList } from '../../core/models/error-body.ts';
import { findCredentials } from '../../core/models/model-headers.ts';
import { toModelRoute } from '../../core/models/model-route.ts';
import { type Exchange, refuseRequest, sendError, sendText } from './answer-agent.ts';
import { callModel, refuseIfStopped } from './call-model.ts';
import { type ModelCallRoute, prepareCall } from './prepare-call.ts';
import { readRequestBody } from './read-request-body.ts';
import type { SessionContext } from './session-context.ts';

/** Answers one request of the session's agent. Never rejects. */
export async function handleRequest(context: SessionContext, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  response.on('error', () => response.destroy());
  try {
    await answer(context, exchange, request.url ?? '');
  } catch (error) {
    context.log.error({ err: toError(error) }, 'the gateway failed at a request');
    sendError(context, exchange, { status: 500, code: 'internal', message: 'Ratchet: the gateway failed' });
  }
}

async function answer(context: SessionContext, exchange: Exchange, target: string): Promise<void> {
  const { session } = context;
  const { dialect } = session.endpoint;
  const route = toModelRoute(dialect, exchange.request.method ?? '', target);
  if (route?.kind === 'alive') {
    sendText(exchange, 200, '');
    return;
  }
  if (!findCredentials(exchange.request.headers, target).some((given) => isEqual(given, context.token))) {
    refuseRequest(context, exchange, { why: 'wrong_token', detail: 'this is not the token of the session' });
    return;
  }
  if (route === null) {
    refuseRequest(context, exchange, { why: 'not_a_model_call', detail: 'this is no call to a model' });
    return;
  }
  if (route.kind === 'list') sendText(exchange, 200, JSON.stringify(toModelList(dialect, session.model)));
  else await answerCall(context, exchange, route);
}

/** In constant time, whatever the lengths. */
function isEqual(left: string, right: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(left), hash(right));
}

async function answerCall(context: SessionContext, exchange: Exchange, route: ModelCallRoute): Promise<void> {
  const { openCalls, limits } = context;
  if (refuseIfStopped(context, exchange)) return;
  if (openCalls.size >= limits.maxOpenCalls) {
    const error = { status: 429, code: 'too_many_calls', message: 'Ratchet: too many calls are open' };
    sendError(context, exchange, error, { 'retry-after': '1' });
    return;
  }
  const stop = new AbortController();
  openCalls.add(stop);
  const deadline = setTimeout(() => stop.abort(), limits.callMs);
  const onClosed = (): void => stop.abort();
  exchange.response.once('close', onClosed);
  try {
    await readAndCall(context, exchange, { route, signal: stop.signal });
  } finally {
    exchange.response.off('close', onClosed);
    clearTimeout(deadline);
    openCalls.delete(stop);
  }
}

async function readAndCall(
  context: SessionContext,
  exchange: Exchange,
  { route, signal }: { readonly route: ModelCallRoute; readonly signal: AbortSignal },
): Promise<void> {
  const read = await readRequestBody(exchange.request, context.limits.maxBodyBytes, context.memory);
  if (read.kind === 'gone') return;
  if (read.kind === 'too_large') {
    refuseRequest(context, exchange, { why: 'too_large', detail: 'the request is too large' });
    return;
  }
  let isFree = false;
  const onSent = (): void => {
    if (!isFree) read.free();
    isFree = true;
  };
  try {
    const prepared = prepareCall(context, route, exchange.request, read.bytes);
    if (prepared.kind === 'refused') {
      refuseRequest(context, exchange, prepared.refused);
      return;
    }
    noteDropped(context, prepared.dropped);
    await callModel(context, exchange, { route, sent: prepared, signal, onSent });
  } finally {
    onSent();
  }
}

/** Somebody may miss what these fields ask for. */
function noteDropped({ log }: SessionContext, dropped: readonly string[]): void {
  if (dropped.length === 0) return;
  const fields = dropped.map((name) => name.slice(0, 40)).slice(0, 20);
  log.debug({ fields: fields.join(', ') }, 'fields of a call to a model are not known, and were left out');
}
