import type { JsonObject } from '../json/parse-json-object.ts';
import type { Dialect, TokenUse } from '../model/model-use.ts';
import type { ModelRoute } from './model-route.ts';
import { type MediaCount, type RequestLimits, type RewrittenRequest, refuseModel } from './request-parts.ts';
import { rewriteGenerate } from './rewrite-generate.ts';
import { rewriteMessages } from './rewrite-messages.ts';
import { rewriteChat, rewriteResponses } from './rewrite-openai.ts';

type ModelCallRoute = Extract<ModelRoute, { readonly kind: 'call' }>;

/**
 * The request as it may be sent: only with the session's model, without what leaves the model (hosted tools, files and
 * addresses that the provider reads, stored conversations), and with a limit of its output. Fields that are not known are
 * left out, since any of them could be a new way out.
 */
export function rewriteRequest(route: ModelCallRoute, body: JsonObject, limits: RequestLimits): RewrittenRequest {
  const model = route.model ?? body['model'];
  if (model !== limits.model) return refuseModel(model);
  switch (route.api) {
    case 'messages':
      return rewriteMessages(body, route.isCount, limits);
    case 'responses':
      return rewriteResponses(body, limits);
    case 'chat':
      return rewriteChat(body, limits);
    case 'generate':
      return rewriteGenerate(body, route.isCount, limits);
  }
}

/** What a provider adds to the text of a request: its own words about tools, and the frames of messages. */
const OVERHEAD_TOKENS = 4096;
/** The most tokens of one image: small files may have many pixels. */
const IMAGE_TOKENS: Readonly<Record<Dialect, number>> = { anthropic: 8192, openai: 50_000, gemini: 8192 };
/** The most tokens of one document: 100 pages. */
const DOCUMENT_TOKENS = 300_000;

/** The upper bound of a call's tokens: no token is shorter than a byte. */
export function toReservedTokens(
  dialect: Dialect,
  sent: { readonly bodyBytes: number; readonly outputTokens: number; readonly media: MediaCount },
): TokenUse {
  const media = sent.media.images * IMAGE_TOKENS[dialect] + sent.media.documents * DOCUMENT_TOKENS;
  return { input: sent.bodyBytes + media + OVERHEAD_TOKENS, cached: 0, written: 0, output: sent.outputTokens };
}
