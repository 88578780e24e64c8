import type { ModelFailure } from './model-call.ts';

/** The failures that the model can be made to answer with. */
export type FailureName =
  | 'wrong_key'
  | '401'
  | '403'
  | '402'
  | 'no_credit'
  | '429'
  | '500'
  | '529'
  | 'too_long'
  | 'bad_request';

/** Statuses and bodies as the three providers document them, or as their users report them. */
export const FAILURES: Readonly<Record<FailureName, ModelFailure>> = {
  // Gemini answers an unknown key with 400.
  wrong_key: {
    anthropic: { http: 401, type: 'authentication_error', message: 'invalid x-api-key' },
    openai: {
      ...{ http: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
      message: 'Incorrect API key provided.',
    },
    gemini: {
      ...{ http: 400, status: 'INVALID_ARGUMENT', reason: 'API_KEY_INVALID' },
      message: 'API key not valid. Please pass a valid API key.',
    },
  },
  '401': same(401, 'authentication_error', 'invalid_api_key', 'UNAUTHENTICATED', 'The key is not valid.'),
  '402': same(402, 'billing_error', 'billing_not_active', 'FAILED_PRECONDITION', 'Your account is not active.'),
  '403': same(403, 'permission_error', 'permission_denied', 'PERMISSION_DENIED', 'You may not use this model.'),
  no_credit: {
    anthropic: {
      ...{ http: 400, type: 'invalid_request_error' },
      message: 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.',
    },
    openai: {
      ...{ http: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
      message: 'You exceeded your current quota, please check your plan and billing details.',
    },
    gemini: { http: 429, status: 'RESOURCE_EXHAUSTED', message: 'Your prepayment credits are depleted.' },
  },
  '429': {
    anthropic: { http: 429, type: 'rate_limit_error', message: 'This request would exceed your rate limit.' },
    openai: { http: 429, type: 'requests', code: 'rate_limit_exceeded', message: 'Rate limit reached.' },
    gemini: { http: 429, status: 'RESOURCE_EXHAUSTED', message: 'Resource has been exhausted.' },
  },
  '500': same(500, 'api_error', 'server_error', 'INTERNAL', 'Internal server error'),
  '529': {
    anthropic: { http: 529, type: 'overloaded_error', message: 'Overloaded' },
    openai: { http: 503, type: 'server_error', code: 'server_is_overloaded', message: 'The engine is overloaded.' },
    gemini: { http: 503, status: 'UNAVAILABLE', message: 'The model is overloaded. Please try again later.' },
  },
  too_long: {
    anthropic: {
      ...{ http: 400, type: 'invalid_request_error' },
      message: 'prompt is too long: 210000 tokens > 200000 maximum',
    },
    openai: {
      ...{ http: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
      message:
        "This model's maximum context length is 200000 tokens. However, your messages resulted in 210000 tokens.",
    },
    gemini: {
      ...{ http: 400, status: 'INVALID_ARGUMENT' },
      message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    },
  },
  bad_request: same(400, 'invalid_request_error', 'invalid_value', 'INVALID_ARGUMENT', 'The request is not valid.'),
};

/** A failure with one status and text everywhere, and its name at Anthropic, OpenAI and Google. */
function same(http: number, type: string, code: string, ...[status, message]: readonly [string, string]): ModelFailure {
  return {
    anthropic: { http, type, message },
    openai: { http, type, code, message },
    gemini: { http, status, message },
  };
}
