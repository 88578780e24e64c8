import type { IncomingMessage } from 'node:http';
import { isDeeperThan } from '../../core/json/is-deeper-than.ts';
import { type JsonObject, parseJsonObject } from '../../core/json/parse-json-object.ts';
import type { TokenUse } from '../../core/model/model-use.ts';
import type { ModelRoute } from '../../core/models/model-route.ts';
import { rewriteRequest, toReservedTokens } from '../../core/models/rewrite-request.ts';
import { decodeText } from '../../core/text/decode-text.ts';
import type { GatewayRefused } from './answer-agent.ts';
import type { SessionContext } from './session-context.ts';

export type ModelCallRoute = Extract<ModelRoute, { readonly kind: 'call' }>;

export type PreparedCall =
  | {
      readonly kind: 'send';
      readonly body: string;
      /** Upper bound of its tokens. */
      readonly bound: TokenUse;
      /** Fields that were left out. Untrusted. */
      readonly dropped: readonly string[];
    }
  | { readonly kind: 'refused'; readonly refused: GatewayRefused };

/** Checks a body, and makes the text that is sent in its place. What was checked is what is sent. */
export function prepareCall(
  { session, limits }: SessionContext,
  route: ModelCallRoute,
  { headers }: Pick<IncomingMessage, 'headers'>,
  bytes: Uint8Array,
): PreparedCall {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return malformed('the request is compressed');
  const given = parseBody(bytes, limits.maxBodyDepth);
  if (given === null) return malformed('the request is not a JSON object, or nests too deep');
  const { model, endpoint } = session;
  const rewritten = rewriteRequest(route, given, { model, maxOutputTokens: endpoint.maxOutputTokens });
  if (rewritten.kind === 'refused') return { kind: 'refused', refused: rewritten };
  const body = JSON.stringify(rewritten.body);
  const sent = { ...rewritten, bodyBytes: Buffer.byteLength(body) };
  return { kind: 'send', body, bound: toReservedTokens(endpoint.dialect, sent), dropped: rewritten.dropped };
}

function parseBody(bytes: Uint8Array, maxDepth: number): JsonObject | null {
  if (isDeeperThan(bytes, maxDepth)) return null;
  const text = decodeText(bytes);
  return text === null ? null : parseJsonObject(text);
}

function malformed(detail: string): PreparedCall {
  return { kind: 'refused', refused: { why: 'malformed', detail } };
}
