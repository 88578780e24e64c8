import type { JsonObject } from '../json/parse-json-object.ts';
import type { Dialect } from '../model/model-use.ts';

/** The names of an error status in the dialects. */
const NAMES: Readonly<Record<number, { readonly anthropic: string; readonly gemini: string }>> = {
  400: { anthropic: 'invalid_request_error', gemini: 'INVALID_ARGUMENT' },
  401: { anthropic: 'authentication_error', gemini: 'UNAUTHENTICATED' },
  402: { anthropic: 'billing_error', gemini: 'FAILED_PRECONDITION' },
  403: { anthropic: 'permission_error', gemini: 'PERMISSION_DENIED' },
  404: { anthropic: 'not_found_error', gemini: 'NOT_FOUND' },
  413: { anthropic: 'request_too_large', gemini: 'INVALID_ARGUMENT' },
  429: { anthropic: 'rate_limit_error', gemini: 'RESOURCE_EXHAUSTED' },
};
const OTHER = { anthropic: 'api_error', gemini: 'INTERNAL' };

/** An error in the dialect's own form, so that its clients understand it. */
export function toErrorBody(
  dialect: Dialect,
  error: { readonly status: number; readonly code: string; readonly message: string },
): JsonObject {
  const { status, code, message } = error;
  const { anthropic: type, gemini: name } = NAMES[status] ?? OTHER;
  switch (dialect) {
    case 'anthropic':
      return { type: 'error', error: { type, message } };
    case 'openai':
      return { error: { message, type, param: null, code } };
    case 'gemini':
      return { error: { code: status, message, status: name } };
  }
}

/** The models as the dialect lists them: the session's model alone. */
export function toModelList(dialect: Dialect, model: string): JsonObject {
  switch (dialect) {
    case 'anthropic': {
      const only = { type: 'model', id: model, display_name: model, created_at: '1970-01-01T00:00:00Z' };
      return { data: [only], has_more: false, first_id: model, last_id: model };
    }
    case 'openai':
      return { object: 'list', data: [{ id: model, object: 'model', created: 0, owned_by: 'operator' }] };
    case 'gemini': {
      const methods = ['generateContent', 'countTokens'];
      return { models: [{ name: `models/${model}`, displayName: model, supportedGenerationMethods: methods }] };
    }
  }
}
