import { describe, expect, it } from 'vitest';
import type { Dialect, UpstreamFault } from '../../../src/core/model/model-use.ts';
import { classifyErrorEvent, classifyStatus } from '../../../src/core/models/classify-fault.ts';
import { parseErrorBody } from '../../../src/core/models/parse-error-body.ts';

const error = (fields: object): string => JSON.stringify({ error: fields });
const RETRY_INFO = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' }];

describe('classifyStatus', () => {
  it.each<[Dialect, number, string, UpstreamFault]>([
    ['anthropic', 401, error({ type: 'authentication_error', message: 'invalid x-api-key' }), 'auth'],
    ['anthropic', 403, error({ type: 'permission_error' }), 'auth'],
    ['anthropic', 403, '<html>', 'unreadable'],
    ['anthropic', 402, error({ type: 'billing_error' }), 'no_credit'],
    ['anthropic', 402, '', 'no_credit'],
    ['anthropic', 400, error({ message: 'Your credit balance is too low to access the Anthropic API.' }), 'no_credit'],
    ['anthropic', 429, error({ type: 'rate_limit_error' }), 'rate_limited'],
    ['anthropic', 400, error({ message: 'prompt is too long: 210000 tokens > 200000 maximum' }), 'too_long'],
    ['anthropic', 400, error({ message: 'input length and `max_tokens` exceed context limit: 1 + 2 > 2' }), 'too_long'],
    ['anthropic', 413, error({ type: 'request_too_large' }), 'too_long'],
    ['anthropic', 413, '<html>', 'too_long'],
    ['anthropic', 400, error({ type: 'invalid_request_error', message: 'tools: wrong' }), 'bad_request'],
    ['anthropic', 404, error({ type: 'not_found_error' }), 'bad_request'],
    ['anthropic', 500, error({ type: 'api_error' }), 'overloaded'],
    ['anthropic', 529, error({ type: 'overloaded_error' }), 'overloaded'],
    ['anthropic', 408, '', 'overloaded'],
    ['anthropic', 301, '', 'unreadable'],
    ['anthropic', 204, '', 'unreadable'],
    ['openai', 401, error({ code: 'invalid_api_key' }), 'auth'],
    [
      'openai',
      429,
      error({
        type: 'insufficient_quota',
        code: 'insufficient_quota',
        message: 'You exceeded your current quota, please check your plan and billing details.',
      }),
      'no_credit',
    ],
    ['openai', 429, error({ code: 'rate_limit_exceeded', message: 'Rate limit reached' }), 'rate_limited'],
    ['openai', 403, error({ message: 'Insufficient credits' }), 'no_credit'],
    ['openai', 400, error({ code: 'context_length_exceeded' }), 'too_long'],
    ['openai', 400, error({ message: "This model's maximum context length is 200000 tokens." }), 'too_long'],
    ['openai', 400, error({ message: 'Your input exceeds the context window of this model.' }), 'too_long'],
    ['openai', 503, error({ code: 'server_is_overloaded' }), 'overloaded'],
    ['gemini', 400, error({ message: 'API key not valid. Please pass a valid API key.' }), 'auth'],
    ['gemini', 400, error({ details: [{ reason: 'API_KEY_INVALID' }] }), 'auth'],
    ['gemini', 403, error({ status: 'PERMISSION_DENIED' }), 'auth'],
    [
      'gemini',
      429,
      error({ status: 'RESOURCE_EXHAUSTED', message: 'Your prepayment credits are depleted.' }),
      'no_credit',
    ],
    [
      'gemini',
      403,
      error({ status: 'PERMISSION_DENIED', message: 'Billing is disabled for this account' }),
      'no_credit',
    ],
    ['gemini', 403, error({ details: [{ reason: 'BILLING_DISABLED' }] }), 'no_credit'],
    ['gemini', 400, error({ status: 'FAILED_PRECONDITION', message: 'Please enable billing' }), 'no_credit'],
    // Google names billing in its rate limits.
    [
      'gemini',
      429,
      error({
        status: 'RESOURCE_EXHAUSTED',
        message: 'You exceeded your current quota, please check your plan and billing details.',
      }),
      'rate_limited',
    ],
    [
      'gemini',
      429,
      error({ status: 'RESOURCE_EXHAUSTED', message: 'Quota exceeded; see billing', details: RETRY_INFO }),
      'rate_limited',
    ],
    ['openai', 429, error({ message: 'see billing' }), 'rate_limited'],
    [
      'gemini',
      400,
      error({ message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).' }),
      'too_long',
    ],
    ['gemini', 400, error({ status: 'INVALID_ARGUMENT' }), 'bad_request'],
  ])('of %s reads %i %s as %s', (dialect, status, body, fault) => {
    expect(classifyStatus(dialect, status, parseErrorBody(body)?.error ?? null)).toBe(fault);
  });
});

describe('classifyErrorEvent', () => {
  it.each<[Dialect, Record<string, unknown>, UpstreamFault]>([
    ['anthropic', { type: 'overloaded_error' }, 'overloaded'],
    ['anthropic', { type: 'api_error' }, 'overloaded'],
    ['anthropic', { type: 'rate_limit_error' }, 'rate_limited'],
    ['anthropic', { type: 'authentication_error' }, 'auth'],
    ['anthropic', { type: 'permission_error' }, 'auth'],
    ['anthropic', { type: 'billing_error' }, 'no_credit'],
    ['anthropic', { type: 'invalid_request_error', message: 'prompt is too long' }, 'too_long'],
    ['anthropic', { type: 'invalid_request_error' }, 'bad_request'],
    ['openai', { code: 'rate_limit_exceeded' }, 'rate_limited'],
    ['openai', { code: 'insufficient_quota' }, 'no_credit'],
    ['openai', { code: 'invalid_prompt' }, 'bad_request'],
    ['openai', { code: 'context_length_exceeded' }, 'too_long'],
    ['openai', { code: 'server_error' }, 'overloaded'],
    // The text of an error is no word of it.
    ['openai', { message: 'permission to rate_limit' }, 'overloaded'],
    ['openai', { code: null, type: 7 }, 'overloaded'],
    ['openai', { code: 401 }, 'auth'],
    ['openai', { status: 429 }, 'rate_limited'],
    ['openai', { code: 200 }, 'overloaded'],
    ['gemini', { code: 503, status: 'UNAVAILABLE' }, 'overloaded'],
    ['gemini', { code: 429, status: 'RESOURCE_EXHAUSTED' }, 'rate_limited'],
    ['gemini', { status: 'RESOURCE_EXHAUSTED' }, 'rate_limited'],
    ['gemini', { status: 'UNAUTHENTICATED' }, 'auth'],
    ['gemini', { status: 'INVALID_ARGUMENT' }, 'bad_request'],
    ['gemini', { status: 'INTERNAL' }, 'overloaded'],
  ])('of %s reads %j as %s', (dialect, event, fault) => {
    expect(classifyErrorEvent(dialect, event)).toBe(fault);
  });
});

describe('an agent', () => {
  it.each<[Dialect, number, Record<string, unknown>, UpstreamFault]>([
    ['openai', 400, { message: "Invalid value: 'insufficient_quota'.", type: 'invalid_request_error' }, 'bad_request'],
    ['openai', 400, { message: "Invalid value: 'invalid_api_key'.", param: 'insufficient_quota' }, 'bad_request'],
    [
      'anthropic',
      400,
      { type: 'invalid_request_error', message: 'tools.0.name: Your credit balance is too low' },
      'bad_request',
    ],
    ['anthropic', 400, { message: 'system: authentication_error' }, 'bad_request'],
    [
      'gemini',
      400,
      { status: 'INVALID_ARGUMENT', message: 'Invalid value "API key not valid", enable billing' },
      'bad_request',
    ],
    [
      'openai',
      403,
      { message: 'Your input was flagged', metadata: { reasons: ['x'], flagged_input: 'a' } },
      'bad_request',
    ],
  ])('of %s cannot open a circuit with its own words: %i %j', (dialect, status, event, fault) => {
    expect(classifyStatus(dialect, status, event)).toBe(fault);
  });
});

describe('parseErrorBody', () => {
  it.each([
    ['{"error":{"a":1}}', { a: 1 }],
    ['[{"error":{"a":1}}]', { a: 1 }],
    ['{"error":"text"}', { message: 'text' }],
    ['{"object":"error","message":"text"}', { object: 'error', message: 'text' }],
    ['{"error":null}', null],
    ['{"detail":"text"}', null],
    ['{}', null],
    ['[]', null],
    ['"text"', null],
    ['null', null],
    ['<html>', null],
    ['', null],
  ])('finds in %s %j', (text, found) => {
    expect(parseErrorBody(text)?.error ?? null).toEqual(found);
    if (found !== null) expect(parseErrorBody(text)?.json).toEqual(JSON.parse(text));
  });
});
