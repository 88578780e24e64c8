import { RequestError } from 'octokit';
import { GitHubError } from '../../core/model/errors.ts';

/** If a secondary rate limit names no wait: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
const defaultWaitSeconds = 60;
const maxWaitSeconds = 3600;
const maxMessageLength = 200;

type Headers = Readonly<Record<string, string | number | undefined>>;

/**
 * Converts an error of octokit to a `GitHubError`. `what` names the call by its route template, which contains no user
 * data. The error keeps no request and so no token. Transport failures keep their cause.
 */
export function toGitHubError(error: unknown, what: string, nowMs: number): GitHubError {
  if (error instanceof GitHubError) return error;
  if (!(error instanceof RequestError) || error.response === undefined) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return new GitHubError('UNAVAILABLE', `${what}: GitHub could not be reached`, { retry: 'now', cause });
  }
  const { status } = error;
  const message = `${what}: GitHub answered ${status}: ${error.message.slice(0, maxMessageLength)}`;
  const retryAfterSeconds = toWaitSeconds(status, error.message, error.response.headers, nowMs);
  if (retryAfterSeconds !== null)
    return new GitHubError('RATE_LIMITED', message, { retry: 'later', retryAfterSeconds });
  return toStatusError(status, message);
}

/** Converts the errors of a GraphQL response to a `GitHubError`. The first error other than NOT_FOUND decides. */
export function toGraphqlError(
  errors: readonly { readonly type?: string | undefined; readonly message: string }[],
  headers: Headers,
  nowMs: number,
): GitHubError {
  const { type, message } = errors.find((error) => error.type !== 'NOT_FOUND') ?? errors[0] ?? { message: '' };
  const text = `GraphQL: ${type ?? 'error'}: ${message.slice(0, maxMessageLength)}`;
  if (type === 'RATE_LIMITED') {
    const retryAfterSeconds = toResetSeconds(headers, nowMs) ?? defaultWaitSeconds;
    return new GitHubError('RATE_LIMITED', text, { retry: 'later', retryAfterSeconds });
  }
  // GraphQL reports the secondary limit on content creation as a validation error.
  if (/submitted too quickly|secondary rate/i.test(message)) {
    return new GitHubError('RATE_LIMITED', text, { retry: 'later', retryAfterSeconds: defaultWaitSeconds });
  }
  if (type === 'FORBIDDEN' || type === 'INSUFFICIENT_SCOPES')
    return new GitHubError('FORBIDDEN', text, { retry: 'never' });
  // GitHub answers a query that takes over 10 s like this, with status 200.
  if (/something went wrong|timeout|timed out/i.test(message))
    return new GitHubError('UNAVAILABLE', text, { retry: 'now' });
  return new GitHubError('INVALID', text, { retry: 'never' });
}

function toStatusError(status: number, message: string): GitHubError {
  if (status >= 500) return new GitHubError('UNAVAILABLE', message, { retry: 'now' });
  switch (status) {
    case 401:
      return new GitHubError('UNAUTHORIZED', message, { retry: 'later' });
    case 403:
    case 451:
      return new GitHubError('FORBIDDEN', message, { retry: 'never' });
    case 404:
    case 410:
      return new GitHubError('NOT_FOUND', message, { retry: 'never' });
    case 400:
    case 422:
      return new GitHubError('INVALID', message, { retry: 'never' });
    default:
      return new GitHubError('UNEXPECTED', message, { retry: 'later' });
  }
}

/** Seconds to wait for a primary or secondary rate limit; null if the error is neither. */
function toWaitSeconds(status: number, message: string, headers: Headers, nowMs: number): number | null {
  if (status !== 403 && status !== 429) return null;
  const retryAfter = Number(headers['retry-after']);
  if (Number.isFinite(retryAfter) && headers['retry-after'] !== undefined) return clampSeconds(retryAfter);
  if (String(headers['x-ratelimit-remaining']) === '0') return toResetSeconds(headers, nowMs) ?? defaultWaitSeconds;
  return status === 429 || /secondary rate|abuse detection/i.test(message) ? defaultWaitSeconds : null;
}

function toResetSeconds(headers: Headers, nowMs: number): number | null {
  const resetAt = Number(headers['x-ratelimit-reset']) * 1000;
  return Number.isFinite(resetAt) ? clampSeconds((resetAt - nowMs) / 1000 + 1) : null;
}

function clampSeconds(seconds: number): number {
  return Math.min(Math.max(Math.ceil(seconds), 1), maxWaitSeconds);
}
