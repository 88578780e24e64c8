import type { IncomingMessage } from 'node:http';
import { ConfigError, toError } from '../../core/model/errors.ts';
import type { UpstreamFault } from '../../core/model/model-use.ts';
import { classifyErrorEvent, classifyStatus } from '../../core/models/classify-fault.ts';
import { toAgentHeaders, toModelHeaders } from '../../core/models/model-headers.ts';
import { parseErrorBody } from '../../core/models/parse-error-body.ts';
import { toRetryAt } from '../../core/models/retry-at.ts';
import { createUsageMeter, type Metered, type UsageMeter } from '../../core/models/usage-meter.ts';
import { type Exchange, refuseRequest, sendError, sendText } from './answer-agent.ts';
import type { UpstreamAnswer } from './model-upstream.ts';
import { type CallEnd, FREE_CALL, type OpenCall, openCall } from './open-call.ts';
import { type PipeEnd, pipeAnswer, readBeginning } from './pipe-answer.ts';
import type { ModelCallRoute, PreparedCall } from './prepare-call.ts';
import type { SessionContext } from './session-context.ts';

const MAX_ERROR_BYTES = 65_536;

type SentCall = Extract<PreparedCall, { readonly kind: 'send' }>;
type Answered = Extract<UpstreamAnswer, { readonly kind: 'answer' }>;

/** Everything about one call that is being made. */
interface Call {
  readonly context: SessionContext;
  readonly exchange: Exchange;
  readonly route: ModelCallRoute;
  readonly key: string;
  readonly open: OpenCall;
  readonly signal: AbortSignal;
}

/** Makes one call: key, switch, budget, then the model. `onSent` fires when its body is no longer needed. */
export async function callModel(
  context: SessionContext,
  exchange: Exchange,
  request: {
    readonly route: ModelCallRoute;
    readonly sent: SentCall;
    readonly signal: AbortSignal;
    readonly onSent: () => void;
  },
): Promise<void> {
  const { route, sent, signal, onSent } = request;
  const { endpoint } = context.session;
  const key = await readKey(context, exchange);
  if (key === null || signal.aborted) return;
  // From here to the call, nothing waits: no other call comes between the checks and the reservation.
  const open = checkAndOpen(context, exchange, { route, sent });
  if (open === null) return;
  const call: Call = { context, exchange, route, key, open, signal };
  const answer = await context.upstream.send({
    endpoint,
    target: route.target,
    headers: toModelHeaders(endpoint.dialect, exchange.request.headers, key),
    body: sent.body,
    silenceMs: context.limits.silenceMs,
    signal,
  });
  onSent();
  if (answer.kind === 'failed') endWithoutAnswer(call, answer);
  else if (answer.status >= 200 && answer.status < 300) await passAnswer(call, answer);
  else await passError(call, answer);
}

async function readKey(context: SessionContext, exchange: Exchange): Promise<string | null> {
  try {
    return await context.keys.read(context.session.endpoint.keyFile);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    context.log.error({ err: error }, 'the key of a model cannot be used');
    refuseRequest(context, exchange, { why: 'misconfigured', detail: 'the key of the model cannot be used' });
    return null;
  }
}

function checkAndOpen(
  context: SessionContext,
  exchange: Exchange,
  { route, sent }: { readonly route: ModelCallRoute; readonly sent: SentCall },
): OpenCall | null {
  if (refuseIfStopped(context, exchange)) return null;
  if (route.isCount) return FREE_CALL;
  try {
    const opened = openCall(context, sent.bound);
    if (opened.kind === 'open') return opened.call;
    refuseRequest(context, exchange, opened.refused);
  } catch (error) {
    // What cannot be written down is not spent.
    context.log.error({ err: toError(error) }, 'a call to a model could not be stored, so it was not made');
    sendError(context, exchange, {
      status: 503,
      code: 'unavailable',
      message: 'Ratchet: the ledger cannot be written',
    });
  }
  return null;
}

/** Refuses a call of a session that may not, or need not, call the model any more. Returns whether it did. */
export function refuseIfStopped(context: SessionContext, exchange: Exchange): boolean {
  const off = context.switches.agentSwitch(context.session.repositoryId);
  if (off !== null) {
    refuseRequest(context, exchange, { why: 'switched_off', detail: 'an operator switched agents off' });
    return true;
  }
  const failures = context.record.failures();
  if (failures < context.limits.maxFailures) return false;
  refuseRequest(context, exchange, { why: 'failing', detail: `the model failed ${failures} times in a row` });
  return true;
}

function endWithoutAnswer(call: Call, { fault, wasSent }: Extract<UpstreamAnswer, { kind: 'failed' }>): void {
  const nothingSeen = createUsageMeter(call.route.api, true).metered();
  call.open.end({ status: null, how: fault, metered: wasSent ? nothingSeen : null, retryAt: null });
  if (fault === null) {
    call.exchange.response.destroy();
    return;
  }
  const what = fault === 'silent' ? 'it sent nothing' : 'the connection failed';
  const status = fault === 'silent' ? 504 : 502;
  sendError(call.context, call.exchange, { status, code: fault, message: `Ratchet: no answer of the model: ${what}` });
}

/** Passes an answer on that reports an error. It is short, so that the key can be looked for in it. */
async function passError(call: Call, { status, message }: Answered): Promise<void> {
  const { context, exchange, key, signal } = call;
  const { dialect } = context.session.endpoint;
  const { silenceMs } = context.limits;
  const text = await readBeginning(message, { maxBytes: MAX_ERROR_BYTES, silenceMs, signal });
  const body = parseErrorBody(text);
  const how = classifyStatus(dialect, status, body?.error ?? null);
  const retryAt = toRetryAt(message.headers, body?.error ?? null, context.clock.now());
  call.open.end({ status, how, metered: null, retryAt });
  const headers = toAgentHeaders(message.headers, key);
  if (status >= 400 && how !== 'auth' && body !== null) {
    sendText(exchange, status, JSON.stringify(body.json).replaceAll(key, '…'), headers);
    return;
  }
  // The API's own words may show a part of the key, or be a page for people.
  const error = { status: status < 400 ? 502 : status, code: how, message: `Ratchet: the model answered ${status}` };
  sendError(context, exchange, error, headers);
}

async function passAnswer(call: Call, answer: Answered): Promise<void> {
  const { context, exchange, route, key, signal } = call;
  const { message, status } = answer;
  const type = message.headers['content-type'] ?? '';
  const isStream = /^text\/event-stream\b/i.test(type);
  const meter = createUsageMeter(route.api, isStream);
  if (!isReadable(message, isStream, type)) {
    message.destroy();
    call.open.end({ status, how: 'unreadable', metered: meter.metered(), retryAt: null });
    const text = 'Ratchet: the answer is not one of a model';
    sendError(context, exchange, { status: 502, code: 'unreadable', message: text });
    return;
  }
  exchange.response.writeHead(status, {
    ...toAgentHeaders(message.headers, key),
    'content-type': isStream ? 'text/event-stream' : 'application/json',
  });
  const { maxAnswerBytes: maxBytes, silenceMs, slowReaderMs } = context.limits;
  const onText = (text: string): void => {
    if (meter.push(text)) call.open.note(meter.metered());
  };
  const end = await pipeAnswer(message, exchange.response, { signal, maxBytes, silenceMs, slowReaderMs, onText });
  call.open.end(toCallEnd(call, { answer, meter, end }));
}

function isReadable(message: IncomingMessage, isStream: boolean, type: string): boolean {
  const encoding = message.headers['content-encoding'] ?? 'identity';
  return encoding === 'identity' && (isStream || /^application\/json\b/i.test(type));
}

function toCallEnd(
  { context }: Call,
  { answer, meter, end }: { readonly answer: Answered; readonly meter: UsageMeter; readonly end: PipeEnd },
): CallEnd {
  const metered = end === 'ended' ? meter.end() : meter.metered();
  const { dialect } = context.session.endpoint;
  const how = metered.error === null ? toHow(metered, end) : classifyErrorEvent(dialect, metered.error);
  const retryAt = metered.error === null ? null : toRetryAt(answer.message.headers, metered.error, context.clock.now());
  return { status: answer.status, how, metered, retryAt };
}

function toHow(metered: Metered, end: PipeEnd): 'ok' | UpstreamFault | null {
  if (metered.isComplete) return 'ok';
  switch (end) {
    case 'ended':
      return metered.isReadable ? 'cut' : 'unreadable';
    case 'cut':
      return 'cut';
    case 'silent':
      return 'silent';
    case 'stopped':
      return null;
  }
}
