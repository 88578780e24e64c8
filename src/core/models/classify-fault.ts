import { isJsonObject, type JsonObject } from '../json/parse-json-object.ts';
import type { Dialect, UpstreamFault } from '../model/model-use.ts';

const NO_CREDIT =
  /credit balance is too low|insufficient_quota|billing_(?:error|hard_limit|not_active)|insufficient[ _](?:credits?|balance|funds)|credits? (?:is|are) depleted|billing_disabled/i;
const TOO_LONG =
  /prompt is too long|context_length_exceeded|maximum context length|exceeds? (?:the )?context (?:limit|window|length)|exceeds? the maximum number of tokens|request_too_large|context window/i;
const BAD_KEY = /api_key_invalid|api key (?:not valid|expired|not found)|invalid_api_key|authentication_error/i;

/** Words of errors that arrive without a status of their own, in the middle of an answer. */
const BY_WORD: readonly (readonly [RegExp, UpstreamFault])[] = [
  [/rate_limit|resource_exhausted|too_many_requests/i, 'rate_limited'],
  [/permission|unauthenticated|unauthorized/i, 'auth'],
  [/invalid_request|invalid_argument|not_found|invalid_prompt|failed_precondition/i, 'bad_request'],
];

/** How an answer with an error status failed. `body` is its text, or the beginning of it. */
export function classifyStatus(dialect: Dialect, status: number, body: string): UpstreamFault {
  if (status < 400) return 'unreadable';
  if (status >= 500 || status === 408) return 'overloaded';
  if (status === 402 || isOutOfCredit(dialect, body)) return 'no_credit';
  if (status === 401 || BAD_KEY.test(body)) return 'auth';
  if (status === 429) return 'rate_limited';
  if (status === 413 || TOO_LONG.test(body)) return 'too_long';
  return status === 403 ? 'auth' : 'bad_request';
}

/** How an answer failed that began well and then reported an error. */
export function classifyErrorEvent(dialect: Dialect, error: JsonObject): UpstreamFault {
  const status = [error['code'], error['status']].find((value) => typeof value === 'number' && value >= 400);
  const text = JSON.stringify(error);
  if (typeof status === 'number') return classifyStatus(dialect, status, text);
  if (isOutOfCredit(dialect, text)) return 'no_credit';
  if (BAD_KEY.test(text)) return 'auth';
  if (TOO_LONG.test(text)) return 'too_long';
  const words = ['type', 'code', 'status'].map((name) => error[name]).filter((word) => typeof word === 'string');
  return BY_WORD.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1] ?? 'overloaded';
}

/** Gemini speaks of billing in its rate limits, too; those say when to come back. */
function isOutOfCredit(dialect: Dialect, text: string): boolean {
  if (NO_CREDIT.test(text)) return true;
  return dialect === 'gemini' && /billing/i.test(text) && !/RetryInfo|check your plan and billing details/i.test(text);
}

/** The error object of a body, in all dialects; null: there is none. */
export function findErrorObject(body: unknown): JsonObject | null {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (!isJsonObject(first)) return null;
  return isJsonObject(first['error']) ? first['error'] : null;
}
