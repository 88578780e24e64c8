import type { Dialect } from '../model/model-use.ts';

/** The shape of a model's API: `messages` of Anthropic, `responses` and `chat` of OpenAI, `generate` of Gemini. */
export type ModelApi = 'messages' | 'responses' | 'chat' | 'generate';

/** A request that the gateway knows. */
export type ModelRoute =
  /** Asks whether anybody listens. */
  | { readonly kind: 'alive' }
  /** Asks for the models. */
  | { readonly kind: 'list' }
  | {
      readonly kind: 'call';
      readonly api: ModelApi;
      /** The model that the path names; null: the body names it. */
      readonly model: string | null;
      /** Only counts tokens, which costs nothing. */
      readonly isCount: boolean;
      /** Path and query for the model's API. */
      readonly target: string;
    };

const GEMINI = /^\/v1beta\/models\/([A-Za-z0-9][\w.-]{0,127}):(generateContent|streamGenerateContent|countTokens)$/;
const GEMINI_KEY = /^key=[\w-]{1,256}$/;

const ALIVE: ModelRoute = { kind: 'alive' };
const LIST: ModelRoute = { kind: 'list' };

/**
 * What a request asks for; null: it is no part of the dialect. `target` is compared as it was sent: nothing is decoded or
 * normalised, so a path has exactly one spelling.
 */
export function toModelRoute(dialect: Dialect, method: string, target: string): ModelRoute | null {
  if (method === 'HEAD') return target === '/' ? ALIVE : null;
  const at = target.indexOf('?');
  const path = at === -1 ? target : target.slice(0, at);
  const query = at === -1 ? [] : target.slice(at + 1).split('&');
  switch (dialect) {
    case 'anthropic':
      return toAnthropicRoute(method, path, query);
    case 'openai':
      return query.length > 0 ? null : toOpenaiRoute(method, path);
    case 'gemini':
      return toGeminiRoute(method, path, query);
  }
}

function toAnthropicRoute(method: string, path: string, query: readonly string[]): ModelRoute | null {
  if (query.length > 1 || (query.length === 1 && query[0] !== 'beta=true')) return null;
  if (method === 'GET') return path === '/v1/models' ? LIST : null;
  const isCount = path === '/v1/messages/count_tokens';
  if (method !== 'POST' || (path !== '/v1/messages' && !isCount)) return null;
  return { kind: 'call', api: 'messages', model: null, isCount, target: [path, ...query].join('?') };
}

function toOpenaiRoute(method: string, path: string): ModelRoute | null {
  if (method === 'GET') return path === '/v1/models' ? LIST : null;
  if (method !== 'POST') return null;
  if (path === '/v1/responses') return { kind: 'call', api: 'responses', model: null, isCount: false, target: path };
  return path === '/v1/chat/completions'
    ? { kind: 'call', api: 'chat', model: null, isCount: false, target: path }
    : null;
}

function toGeminiRoute(method: string, path: string, query: readonly string[]): ModelRoute | null {
  // The key of a request may stand in its query. It is the session's token, and goes no further.
  const others = query.filter((part) => !GEMINI_KEY.test(part));
  if (query.length - others.length > 1) return null;
  if (method === 'GET') return path === '/v1beta/models' && others.length === 0 ? LIST : null;
  const [, model, what] = GEMINI.exec(path) ?? [];
  if (method !== 'POST' || model === undefined) return null;
  // Without `alt=sse` a stream is one long JSON list.
  const wanted = what === 'streamGenerateContent' ? 'alt=sse' : '';
  if (others.join('&') !== wanted) return null;
  const target = wanted === '' ? path : `${path}?${wanted}`;
  return { kind: 'call', api: 'generate', model, isCount: what === 'countTokens', target };
}
