/** Headers of a response, with names in lower case. */
export type Headers = Readonly<Record<string, string | number | undefined>>;

/** How long GitHub asks to wait, and for which of its APIs. */
export interface RateLimit {
  readonly waitSeconds: number;
  readonly limited: 'graphql' | 'all';
}

/** What a response says about limits. */
export interface LimitSigns {
  readonly headers: Headers;
  /** Type and code of GraphQL errors, such as `RATE_LIMIT` and `graphql_rate_limit`. */
  readonly codes: readonly string[];
  readonly message: string;
}

/** If a limit names no wait: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
const defaultWaitSeconds = 60;
/** The window of the primary limit is an hour. */
const maxWaitSeconds = 3600;

const LIMIT_CODE = /rate.?limit/i;
/** English prose: a branch or an account that is quoted in a message has no blank in its name. */
const LIMIT_MESSAGE = /\brate limit|abuse detection|submitted too quickly|too many requests/i;
const SECONDARY_MESSAGE = /secondary rate|abuse detection|submitted too quickly/i;
/** The last request of a window may be refused for a reason of its own. */
const PERMISSION_MESSAGE = /not accessible by integration|has been suspended|must have admin/i;

/**
 * Recognises a rate limit in a refusal with status 403 or 429, or with the errors of a GraphQL response; null if it is
 * none. GitHub reports limits by status, headers, message, type or code, and not always by the same ones: its GraphQL
 * limit comes with status 200, often with requests remaining.
 */
export function findRateLimit(status: number, signs: LimitSigns, nowMs: number): RateLimit | null {
  const { headers, message } = signs;
  if (status !== 429 && !isNamed(signs) && !(status === 403 && isHinted(signs, nowMs))) return null;
  const isSecondary = SECONDARY_MESSAGE.test(message);
  const retrySeconds = toRetrySeconds(headers, nowMs);
  // With requests remaining, the headers of a secondary limit are about another limit.
  const resetSeconds = isSecondary && !isUsedUp(headers) ? null : toResetSeconds(headers, nowMs);
  const isGraphql = !isSecondary && headers['x-ratelimit-resource'] === 'graphql';
  return { waitSeconds: retrySeconds ?? resetSeconds ?? defaultWaitSeconds, limited: isGraphql ? 'graphql' : 'all' };
}

function isNamed({ codes, message }: LimitSigns): boolean {
  return LIMIT_MESSAGE.test(message) || codes.some((code) => LIMIT_CODE.test(code));
}

function isHinted({ headers, message }: LimitSigns, nowMs: number): boolean {
  if (PERMISSION_MESSAGE.test(message)) return false;
  return isUsedUp(headers) || toRetrySeconds(headers, nowMs) !== null;
}

function isUsedUp(headers: Headers): boolean {
  return String(headers['x-ratelimit-remaining']) === '0';
}

/** `Retry-After` in seconds or as a date; null if it is absent or neither. */
function toRetrySeconds(headers: Headers, nowMs: number): number | null {
  const text = String(headers['retry-after'] ?? '').trim();
  if (/^\d+(\.\d+)?$/.test(text)) return clampSeconds(Number(text));
  const at = /^[A-Za-z]{3},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : clampSeconds((at - toServerTime(headers, nowMs)) / 1000);
}

/** Until the window of the primary limit ends; null if GitHub names no end, or one that is over. */
function toResetSeconds(headers: Headers, nowMs: number): number | null {
  const resetAt = Number(headers['x-ratelimit-reset'] ?? Number.NaN) * 1000;
  const seconds = (resetAt - toServerTime(headers, nowMs)) / 1000 + 1;
  return seconds > 1 ? clampSeconds(seconds) : null;
}

/** GitHub's own time, since the clock of this machine may be wrong. */
function toServerTime(headers: Headers, nowMs: number): number {
  const date = Date.parse(String(headers['date'] ?? ''));
  return Number.isNaN(date) ? nowMs : date;
}

function clampSeconds(seconds: number): number {
  return Math.min(Math.max(Math.ceil(seconds), 1), maxWaitSeconds);
}
