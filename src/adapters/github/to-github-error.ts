import { RequestError } from 'octokit';
import { GitHubError } from '../../core/model/errors.ts';
import { findRateLimit, type Headers, type RateLimit } from './rate-limits.ts';

/** One error of a GraphQL response. */
export interface GraphqlError {
  readonly type?: string | null | undefined;
  readonly code?: string | null | undefined;
  readonly message: string;
}

const maxMessageLength = 200;

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
  const { status, response } = error;
  const isPage = isHtml(response.data);
  const said = isPage ? 'an HTML page' : error.message.slice(0, maxMessageLength);
  const message = `${what}: GitHub answered ${status}: ${said}`;
  const signs = { headers: response.headers, codes: [], message: said };
  const limit = status === 403 || status === 429 ? findRateLimit(status, signs, nowMs) : null;
  if (limit !== null) return toLimitError(message, limit);
  // GitHub's API refuses with JSON. A page comes from a proxy, or from servers that are in trouble.
  return isPage ? new GitHubError('UNAVAILABLE', message, { retry: 'now' }) : toStatusError(status, message);
}

/** Converts the errors of a GraphQL response to a `GitHubError`. If there are several, one that passes decides. */
export function toGraphqlError(errors: readonly GraphqlError[], headers: Headers, nowMs: number): GitHubError {
  const told = errors.filter(({ type }) => type !== 'NOT_FOUND');
  for (const error of told) {
    const { message } = error;
    const codes = toCodes(error);
    const limit = findRateLimit(200, { headers, codes, message }, nowMs);
    if (limit !== null) return toLimitError(toText(error), limit);
  }
  const found = [told.find(isTooLarge), told.find(isTransient)].find((error) => error !== undefined);
  const error = found ?? told[0] ?? errors[0] ?? { message: '' };
  const text = toText(error);
  if (isTooLarge(error)) return new GitHubError('TOO_LARGE', text, { retry: 'later' });
  if (isTransient(error)) return new GitHubError('UNAVAILABLE', text, { retry: 'now' });
  if (error.type === 'FORBIDDEN' || error.type === 'INSUFFICIENT_SCOPES')
    return new GitHubError('FORBIDDEN', text, { retry: 'never' });
  return new GitHubError('INVALID', text, { retry: 'never' });
}

/** A query that needs more of GitHub than one may take. Parts of the response are null then. */
function isTooLarge(error: GraphqlError): boolean {
  return toCodes(error).some((code) => /RESOURCE_LIMITS?_EXCEEDED|MAX_NODE_LIMIT_EXCEEDED/i.test(code));
}

/** GitHub answers a query that takes over 10 s, or that fails for a reason of GitHub's, with status 200. */
function isTransient(error: GraphqlError): boolean {
  if (toCodes(error).some((code) => /UNAVAILABLE|INTERNAL|TIMEOUT/i.test(code))) return true;
  return /something went wrong|timeout|timed out|internal (?:server )?error|try again later/i.test(error.message);
}

function toCodes({ type, code }: GraphqlError): readonly string[] {
  return [type ?? '', code ?? ''];
}

function toText({ type, code, message }: GraphqlError): string {
  return `GraphQL: ${type ?? code ?? 'error'}: ${message.slice(0, maxMessageLength)}`;
}

function toLimitError(message: string, { waitSeconds, limited }: RateLimit): GitHubError {
  return new GitHubError('RATE_LIMITED', message, { retry: 'later', retryAfterSeconds: waitSeconds, limited });
}

function toStatusError(status: number, message: string): GitHubError {
  if (status >= 500 || status === 408) return new GitHubError('UNAVAILABLE', message, { retry: 'now' });
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

function isHtml(data: unknown): boolean {
  return typeof data === 'string' && /^\s*<(?:!doctype|html|head|body|\?xml)/i.test(data);
}
