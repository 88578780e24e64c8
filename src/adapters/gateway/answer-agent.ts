import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BudgetScope, GatewayRefusal } from '../../core/model/model-use.ts';
import { toErrorBody } from '../../core/models/error-body.ts';
import type { SessionContext } from './session-context.ts';

/** A request of the agent, and the response to it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What an agent that still sends gets to read the refusal. */
const LINGER_MS = 2000;

export interface GatewayRefused {
  readonly why: GatewayRefusal;
  readonly detail: string;
  readonly scope?: BudgetScope;
}

/** Refuses a request, and records that. */
export function refuseRequest(context: SessionContext, exchange: Exchange, refused: GatewayRefused): void {
  const { why, detail, scope = null } = refused;
  context.record.refuse(why, scope, detail);
  context.log.info({ why, scope, detail: detail.slice(0, 300) }, 'the gateway refused a call to a model');
  sendError(context, exchange, { status: STATUS[why], code: why, message: `Ratchet: ${detail}` });
}

/** Every agent that is known ends at once on 402. With 429, some try again for ever. */
const STATUS: Readonly<Record<GatewayRefusal, number>> = {
  budget_usd: 402,
  budget_calls: 402,
  budget_tokens: 402,
  switched_off: 402,
  failing: 402,
  misconfigured: 402,
  model_not_allowed: 403,
  hosted_tool: 403,
  not_a_model_call: 404,
  wrong_token: 401,
  too_large: 413,
  malformed: 400,
};

/** Answers with an error in the form of the session's dialect. */
export function sendError(
  context: SessionContext,
  exchange: Exchange,
  error: { readonly status: number; readonly code: string; readonly message: string },
  headers: Readonly<Record<string, string>> = {},
): void {
  sendText(exchange, error.status, JSON.stringify(toErrorBody(context.session.endpoint.dialect, error)), headers);
}

/** Answers with a JSON text. Ends the connection if the agent is still sending. */
export function sendText(
  { request, response }: Exchange,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const isRead = request.complete;
  response.writeHead(status, {
    ...headers,
    ...(!isRead && { connection: 'close' }),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
  });
  response.end(request.method === 'HEAD' ? '' : text);
  if (isRead) return;
  // What still arrives is dropped for a moment: a connection that is closed at once may take the answer with it.
  request.resume();
  const linger = setTimeout(() => request.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(linger));
}
