import { isJsonObject, type JsonObject } from '../json/parse-json-object.ts';
import type { Dialect, UpstreamFault } from '../model/model-use.ts';

const NO_CREDIT_WORD =
  /^(?:billing_error|billing_hard_limit_reached|billing_not_active|billing_disabled|insufficient_(?:quota|credits?|balance|funds))$/i;
const BAD_KEY_WORD = /^(?:authentication_error|invalid_api_key|api_key_invalid|unauthenticated)$/i;
/** From their beginning: what follows in a message may be the agent's own words. */
const NO_CREDIT_MESSAGE =
  /^(?:your credit balance is too low|your prepayment credits are depleted|insufficient (?:credits?|balance|funds))/i;
const BAD_KEY_MESSAGE = /^api key (?:not valid|expired|not found)/i;
const TOO_LONG =
  /prompt is too long|maximum context length|exceeds? (?:the )?context (?:limit|window|length)|exceeds? the maximum number of tokens|context window/i;
const TOO_LONG_WORD = /^(?:context_length_exceeded|request_too_large)$/i;

const BY_STATUS: Readonly<Record<number, UpstreamFault>> = {
  401: 'auth',
  402: 'no_credit',
  408: 'overloaded',
  413: 'too_long',
};

/** Words of errors that arrive without a status of their own, in the middle of an answer. */
const BY_WORD: readonly (readonly [RegExp, UpstreamFault])[] = [
  [/rate_limit|resource_exhausted|too_many_requests/i, 'rate_limited'],
  [/permission/i, 'auth'],
  [/invalid_request|invalid_argument|not_found|invalid_prompt|failed_precondition/i, 'bad_request'],
];

/**
 * How an answer with an error status failed. `error` is the API's own error; null: the answer has none.
 *
 * Some faults keep the model from everybody until a person acts. An agent must not be able to provoke them, so they are
 * recognised by the error's own words, and not by a text that may repeat the request.
 */
export function classifyStatus(dialect: Dialect, status: number, error: JsonObject | null): UpstreamFault {
  if (status < 400) return 'unreadable';
  if (status >= 500) return 'overloaded';
  return BY_STATUS[status] ?? (error === null ? null : classifyWords(dialect, error)) ?? classifyRest(status, error);
}

function classifyRest(status: number, error: JsonObject | null): UpstreamFault {
  if (status === 429) return 'rate_limited';
  if (status !== 403) return 'bad_request';
  // A firewall before the API may refuse what is in a request.
  if (error === null) return 'unreadable';
  return isModerated(error) ? 'bad_request' : 'auth';
}

/** How an answer failed that began well and then reported an error. */
export function classifyErrorEvent(dialect: Dialect, error: JsonObject): UpstreamFault {
  const status = [error['code'], error['status']].find((value) => typeof value === 'number' && value >= 400);
  if (typeof status === 'number') return classifyStatus(dialect, status, error);
  const known = classifyWords(dialect, error);
  return known ?? BY_WORD.find(([pattern]) => hasWord(error, pattern))?.[1] ?? 'overloaded';
}

function classifyWords(dialect: Dialect, error: JsonObject): UpstreamFault | null {
  const message = typeof error['message'] === 'string' ? error['message'] : '';
  if (hasWord(error, NO_CREDIT_WORD) || NO_CREDIT_MESSAGE.test(message)) return 'no_credit';
  if (dialect === 'gemini' && isGeminiBilling(error, message)) return 'no_credit';
  if (hasWord(error, BAD_KEY_WORD) || BAD_KEY_MESSAGE.test(message)) return 'auth';
  return hasWord(error, TOO_LONG_WORD) || TOO_LONG.test(message) ? 'too_long' : null;
}

/** Google speaks of billing in its rate limits, too; those say when to come back. Invalid arguments are repeated. */
function isGeminiBilling(error: JsonObject, message: string): boolean {
  if (!hasWord(error, /^(?:FAILED_PRECONDITION|PERMISSION_DENIED|RESOURCE_EXHAUSTED)$/)) return false;
  const isRateLimit = detailsOf(error).some((detail) => String(detail['@type']).endsWith('RetryInfo'));
  return /billing/i.test(message) && !isRateLimit && !/check your plan and billing details/i.test(message);
}

/** A router refused the request because of its content. */
function isModerated({ metadata }: JsonObject): boolean {
  return isJsonObject(metadata) && metadata['flagged_input'] !== undefined;
}

function hasWord(error: JsonObject, pattern: RegExp): boolean {
  const reasons = detailsOf(error).map((detail) => detail['reason']);
  const words = [error['type'], error['code'], error['status'], ...reasons];
  return words.some((word) => typeof word === 'string' && pattern.test(word));
}

/** The details of an error of Google. */
export function detailsOf(error: JsonObject): readonly JsonObject[] {
  return Array.isArray(error['details']) ? error['details'].filter(isJsonObject) : [];
}
