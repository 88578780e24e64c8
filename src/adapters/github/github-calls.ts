import type { Octokit } from 'octokit';
import { GitHubError } from '../../core/model/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { RequestGate, Sleep } from './request-gate.ts';
import { toGitHubError } from './to-github-error.ts';

/** A token that can be thrown away when GitHub refuses it. */
export interface TokenSource {
  readonly get: (signal: AbortSignal) => Promise<string>;
  readonly forget: () => void;
}

/** One call of the REST or GraphQL API. */
export interface Call {
  /** Route template, such as `GET /repos/{owner}/{repo}`; it names the call in errors and logs. */
  readonly route: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly installationId: number;
  readonly kind: 'read' | 'write';
  /** Only such a call is repeated when nobody knows whether it took effect (F13). */
  readonly isIdempotent: boolean;
  /** null: as the App itself, by its JWT. */
  readonly token: TokenSource | null;
  readonly signal: AbortSignal;
  /** Ask for the body as a stream and do not follow redirects. */
  readonly isRaw?: boolean;
  /** Finds the failure in a response that came with a good status, as GraphQL's do. */
  readonly judge?: (response: CallResponse) => GitHubError | null;
}

/** A successful response; `data` was parsed from JSON, or is a stream for a raw call. */
export interface CallResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: unknown;
}

/** Makes a call within its deadline. @throws GitHubError; or the reason of the caller's signal. */
export type MakeCall = (call: Call) => Promise<CallResponse>;

/** Bounds of a call. */
export interface CallLimits {
  /** One request. */
  readonly requestMs: number;
  /** The call with all its repetitions and waits. */
  readonly callMs: number;
  readonly maxAttempts: number;
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
  readonly maxInlineWaitMs: number;
}

/** What calls are made with. */
export interface CallDeps {
  /** Without credentials: each call brings its token. */
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
 * The way out to GitHub. Repeats what may be repeated with capped, jittered waits; mints once anew after a 401 (F16);
 * closes the window of an installation that GitHub asked to wait (F14). Octokit's own retry plugin is off: it would repeat
 * a POST whose first try may have worked.
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
        // A write is never replayed at another address (F29); a read follows a renamed repository.
        ...(call.isRaw === true || call.kind === 'write' ? { redirect: 'manual' } : {}),
        ...(call.isRaw === true ? { parseSuccessResponseBody: false } : {}),
      },
    });
    return judgeResponse(call, response, requestSignal) ?? response;
  } catch (error) {
    return toGitHubError(error, call.route, deps.clock.now());
  }
}

/** What is wrong with a response that came with a good status; null when it is whole and good. */
function judgeResponse(call: Call, response: CallResponse, requestSignal: AbortSignal): GitHubError | null {
  if (call.isRaw === true) return null;
  if (response.status >= 300) {
    return new GitHubError('NOT_FOUND', `${call.route}: the repository has moved`, { retry: 'never' });
  }
  // Octokit gives what came of a body that broke off as text, and none of these answers is text.
  if (requestSignal.aborted || (typeof response.data === 'string' && response.status !== 204)) {
    return new GitHubError('UNAVAILABLE', `${call.route}: the response broke off`, { retry: 'now' });
  }
  return call.judge?.(response) ?? null;
}

function mayRepeat(call: Call, error: GitHubError, limits: CallLimits): boolean {
  // A refused request had no effect, so it may be repeated whatever it is; the gate does the waiting.
  if (error.code === 'RATE_LIMITED') return (error.retryAfterSeconds ?? 60) * 1000 <= limits.maxInlineWaitMs;
  return call.isIdempotent && error.retry === 'now';
}

/** Exponential, capped, with full jitter. */
export function toBackoffMs(attempt: number, deps: Pick<CallDeps, 'limits' | 'random'>): number {
  const ceilingMs = Math.min(deps.limits.backoffCapMs, deps.limits.backoffBaseMs * 2 ** (attempt - 1));
  return Math.floor(ceilingMs * deps.random());
}
