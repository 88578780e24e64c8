import type { Octokit } from 'octokit';
import { GitHubError } from '../../core/model/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { RequestGate, Sleep } from './request-gate.ts';
import { toGitHubError } from './to-github-error.ts';

/** Supplies a token, and drops it if GitHub rejects it. */
export interface TokenSource {
  readonly get: (signal: AbortSignal) => Promise<string>;
  readonly forget: () => void;
}

/** One call of the REST or GraphQL API. */
export interface Call {
  /** Route template, such as `GET /repos/{owner}/{repo}`. Errors and logs name it. */
  readonly route: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly installationId: number;
  readonly kind: 'read' | 'write';
  /** Whether the call may be repeated if its effect is unknown (F13). */
  readonly isIdempotent: boolean;
  /** Null to authenticate as the App, by JWT. */
  readonly token: TokenSource | null;
  readonly signal: AbortSignal;
  /** Returns the body as a stream and does not follow redirects. */
  readonly isRaw?: boolean;
  /** Finds an error in a response with a success status, as in GraphQL. */
  readonly judge?: (response: CallResponse) => GitHubError | null;
}

/** A successful response. `data` is parsed JSON, or a stream for a raw call. */
export interface CallResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: unknown;
}

/** Makes a call within its deadline. @throws GitHubError, or the reason of the caller's signal. */
export type MakeCall = (call: Call) => Promise<CallResponse>;

/** Limits of a call. */
export interface CallLimits {
  /** One request. */
  readonly requestMs: number;
  /** The whole call with its retries and waits. */
  readonly callMs: number;
  readonly maxAttempts: number;
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
  readonly maxInlineWaitMs: number;
}

/** Dependencies of `createMakeCall`. */
export interface CallDeps {
  /** Without credentials: each call passes its own token. */
  readonly octokit: Octokit;
  /** Signs with the App's key. */
  readonly appOctokit: Pick<Octokit, 'request'>;
  readonly gate: RequestGate;
  readonly sleep: Sleep;
  readonly random: () => number;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: CallLimits;
}

/**
 * Makes all calls to GitHub. Retries repeatable calls with capped, jittered backoff, gets one new token after a 401
 * (F16), and blocks an installation while GitHub asks it to wait (F14). Octokit's own retry plugin is off: it would
 * repeat a POST whose first attempt may have worked.
 */
export function createMakeCall(deps: CallDeps): MakeCall {
  const { gate, sleep, clock, limits, log } = deps;

  async function attemptUntilDone(call: Call, signal: AbortSignal): Promise<CallResponse> {
    let mayRemint = call.token !== null;
    for (let attempt = 1; ; attempt += 1) {
      await gate.pass(call.installationId, call.kind, signal);
      const result = await sendOnce(deps, call, signal);
      if (!(result instanceof GitHubError)) return result;
      if (signal.aborted) throw result;
      if (result.code === 'UNAUTHORIZED' && mayRemint) {
        mayRemint = false;
        call.token?.forget();
        continue;
      }
      if (result.code === 'RATE_LIMITED') gate.close(call.installationId, result.retryAfterSeconds ?? 60);
      if (attempt >= limits.maxAttempts || !mayRepeat(call, result, limits)) throw result;
      log.debug({ call: call.route, attempt, code: result.code }, 'GitHub call is repeated');
      if (result.code !== 'RATE_LIMITED') await sleep(toBackoffMs(attempt, deps), signal);
    }
  }

  return async (call) => {
    call.signal.throwIfAborted();
    const deadline = AbortSignal.timeout(limits.callMs);
    try {
      return await attemptUntilDone(call, AbortSignal.any([call.signal, deadline]));
    } catch (error) {
      call.signal.throwIfAborted();
      if (!deadline.aborted) throw toGitHubError(error, call.route, clock.now());
      const message = `${call.route}: not done within ${limits.callMs} ms`;
      throw new GitHubError('UNAVAILABLE', message, { retry: 'later', cause: error });
    }
  };
}

async function sendOnce(deps: CallDeps, call: Call, signal: AbortSignal): Promise<CallResponse | GitHubError> {
  const requestSignal = AbortSignal.any([signal, AbortSignal.timeout(deps.limits.requestMs)]);
  try {
    const token = call.token === null ? null : await call.token.get(signal);
    const octokit = token === null ? deps.appOctokit : deps.octokit;
    const response: CallResponse = await octokit.request(call.route, {
      ...call.parameters,
      ...(token === null ? {} : { headers: { authorization: `token ${token}` } }),
      request: {
        signal: requestSignal,
        // Writes do not follow redirects (F29). Reads follow a renamed repository.
        ...(call.isRaw === true || call.kind === 'write' ? { redirect: 'manual' } : {}),
        ...(call.isRaw === true ? { parseSuccessResponseBody: false } : {}),
      },
    });
    return judgeResponse(call, response, requestSignal) ?? response;
  } catch (error) {
    return toGitHubError(error, call.route, deps.clock.now());
  }
}

/** Finds the error in a response with a success status; null if there is none. */
function judgeResponse(call: Call, response: CallResponse, requestSignal: AbortSignal): GitHubError | null {
  if (call.isRaw === true) return null;
  if (response.status >= 300) {
    return new GitHubError('NOT_FOUND', `${call.route}: the repository has moved`, { retry: 'never' });
  }
  // Octokit returns a truncated body as text. None of the expected responses is text.
  if (requestSignal.aborted || (typeof response.data === 'string' && response.status !== 204)) {
    return new GitHubError('UNAVAILABLE', `${call.route}: the response broke off`, { retry: 'now' });
  }
  return call.judge?.(response) ?? null;
}

function mayRepeat(call: Call, error: GitHubError, limits: CallLimits): boolean {
  // A rate-limited request had no effect, so any call may be repeated. The gate does the waiting.
  if (error.code === 'RATE_LIMITED') return (error.retryAfterSeconds ?? 60) * 1000 <= limits.maxInlineWaitMs;
  return call.isIdempotent && error.retry === 'now';
}

/** Returns the wait before the next attempt: exponential, capped, with full jitter. */
export function toBackoffMs(attempt: number, deps: Pick<CallDeps, 'limits' | 'random'>): number {
  const ceilingMs = Math.min(deps.limits.backoffCapMs, deps.limits.backoffBaseMs * 2 ** (attempt - 1));
  return Math.floor(ceilingMs * deps.random());
}
