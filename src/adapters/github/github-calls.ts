import type { Octokit } from 'octokit';
import { GitHubError, InvariantError } from '../../core/model/errors.ts';
import type { EpochMs } from '../../core/model/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GitToken } from '../../ports/github.ts';
import type { Log } from '../../ports/log.ts';
import type { GitHubRequest } from '../../ports/metrics.ts';
import type { RequestGate, Sleep } from './request-gate.ts';
import { toGitHubError } from './to-github-error.ts';

/** Supplies a token, and drops it if GitHub rejects it. */
export interface TokenSource {
  readonly get: (signal: AbortSignal) => Promise<Pick<GitToken, 'token' | 'mintedAt'>>;
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
  readonly maxTries: number;
  /** A token is not known to all of GitHub at once. While it is younger than this, a refusal is doubted. */
  readonly youngTokenMs: number;
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
  /** Called with each request that was answered or failed. */
  readonly onRequest?: (request: GitHubRequest) => void;
}

/** The version of the REST API that the responses are parsed as. */
export const API_VERSION = '2022-11-28';
/** Waits before a refusal of a young token is believed. */
const YOUNG_TOKEN_WAITS_MS = [1_000, 2_000, 4_000] as const;
/** A renamed repository needs one, an owner that was renamed too needs another. */
const MAX_REDIRECTS = 3;
const REFUSALS: ReadonlySet<GitHubError['code']> = new Set(['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND']);

/**
 * Makes all calls to GitHub. Retries repeatable calls with capped, jittered backoff, asks again with a token that is
 * too young to be known everywhere, gets one new token after a 401 (F16), and blocks an installation while GitHub asks
 * it to wait (F14). Octokit's own retry plugin is off: it would repeat a POST whose first try may have worked.
 */
export function createMakeCall(deps: CallDeps): MakeCall {
  const { gate, sleep, clock, limits, log } = deps;

  /** Sends a request, again while its token is young and refused. */
  async function sendUntilBelieved(call: Call, signal: AbortSignal): Promise<CallResponse | GitHubError> {
    const { installationId, kind, route } = call;
    const request = { installationId, kind, api: route.endsWith('/graphql') ? 'graphql' : 'rest' } as const;
    for (const doubtMs of [...YOUNG_TOKEN_WAITS_MS, null]) {
      await gate.pass(request, signal);
      const { result, mintedAt } = await sendOnce(deps, call, signal);
      deps.onRequest?.(toObserved(call, result));
      if (!(result instanceof GitHubError) || doubtMs === null || signal.aborted) return result;
      if (!isDoubtful(result, mintedAt, deps)) return result;
      log.debug({ call: route, code: result.code }, 'GitHub call is repeated with its young token');
      await sleep(doubtMs, signal);
    }
    throw new InvariantError('the last try has no wait');
  }

  async function tryUntilDone(call: Call, signal: AbortSignal): Promise<CallResponse> {
    let mayRemint = call.token !== null;
    for (let tries = 1; ; ) {
      const result = await sendUntilBelieved(call, signal);
      if (!(result instanceof GitHubError)) return result;
      if (signal.aborted) throw result;
      if (result.code === 'UNAUTHORIZED' && mayRemint) {
        mayRemint = false;
        call.token?.forget();
        continue;
      }
      if (result.code === 'RATE_LIMITED')
        gate.close(call.installationId, result.retryAfterSeconds ?? 60, result.limited);
      if (tries >= limits.maxTries || !mayRepeat(call, result, limits)) throw result;
      log.debug({ call: call.route, tries, code: result.code }, 'GitHub call is repeated');
      if (result.code !== 'RATE_LIMITED') await sleep(toBackoffMs(tries, deps), signal);
      tries += 1;
    }
  }

  return async (call) => {
    call.signal.throwIfAborted();
    const deadline = AbortSignal.timeout(limits.callMs);
    try {
      return await tryUntilDone(call, AbortSignal.any([call.signal, deadline]));
    } catch (error) {
      call.signal.throwIfAborted();
      if (!deadline.aborted) throw toGitHubError(error, call.route, clock.now());
      const message = `${call.route}: not done within ${limits.callMs} ms`;
      throw new GitHubError('UNAVAILABLE', message, { retry: 'later', cause: error });
    }
  };
}

function toObserved({ route, token, installationId }: Call, result: CallResponse | GitHubError): GitHubRequest {
  const own = route.endsWith('/graphql') ? 'graphql' : 'rest';
  const api = token === null ? 'app' : own;
  if (result instanceof GitHubError) {
    return { api, installationId, result: result.code, remaining: result.code === 'RATE_LIMITED' ? 0 : null };
  }
  const remaining = Number(result.headers['x-ratelimit-remaining'] ?? Number.NaN);
  return { api, installationId, result: 'ok', remaining: Number.isFinite(remaining) ? remaining : null };
}

function isDoubtful(
  error: GitHubError,
  mintedAt: EpochMs | null,
  { clock, limits }: Pick<CallDeps, 'clock' | 'limits'>,
): boolean {
  return mintedAt !== null && REFUSALS.has(error.code) && clock.now() - mintedAt < limits.youngTokenMs;
}

interface Sent {
  readonly result: CallResponse | GitHubError;
  /** When the token of the request was made; null without a token. */
  readonly mintedAt: EpochMs | null;
}

async function sendOnce(deps: CallDeps, call: Call, signal: AbortSignal): Promise<Sent> {
  const requestSignal = AbortSignal.any([signal, AbortSignal.timeout(deps.limits.requestMs)]);
  let mintedAt: EpochMs | null = null;
  try {
    const minted = (await call.token?.get(signal)) ?? null;
    mintedAt = minted?.mintedAt ?? null;
    const response = await sendAndFollow(deps, call, { token: minted?.token ?? null, signal: requestSignal });
    return { result: judgeResponse(call, response, requestSignal) ?? response, mintedAt };
  } catch (error) {
    return { result: toGitHubError(error, call.route, deps.clock.now()), mintedAt };
  }
}

/**
 * Sends a request. Reads follow a renamed repository, a few times and on the same server; writes follow nothing (F29).
 * `fetch` itself would follow twenty redirects on each try.
 */
async function sendAndFollow(
  { octokit, appOctokit }: CallDeps,
  call: Call,
  { token, signal }: { readonly token: string | null; readonly signal: AbortSignal },
): Promise<CallResponse> {
  const options = {
    headers: {
      'x-github-api-version': API_VERSION,
      ...(token === null ? {} : { authorization: `token ${token}` }),
    },
    request: {
      signal,
      redirect: 'manual',
      ...(call.isRaw === true ? { parseSuccessResponseBody: false } : {}),
    },
  } as const;
  const first = await (token === null ? appOctokit : octokit).request(call.route, { ...call.parameters, ...options });
  const mayFollow = token !== null && call.isRaw !== true && call.route.startsWith('GET ');
  let response: CallResponse & { readonly url: string } = first;
  for (let hops = 0; mayFollow && hops < MAX_REDIRECTS; hops += 1) {
    const target = toTarget(response);
    if (target === null) break;
    response = await octokit.request(`GET ${target}`, options);
  }
  return response;
}

/** The address on the same server that a response leads to; null if there is none. */
function toTarget({ status, headers, url }: CallResponse & { readonly url: string }): string | null {
  const location = String(headers['location'] ?? '');
  if (status < 300 || location === '' || !URL.canParse(location, url)) return null;
  const target = new URL(location, url);
  return target.origin === new URL(url).origin ? target.href : null;
}

/** Finds the error in a response with a success status; null if there is none. */
function judgeResponse(call: Call, response: CallResponse, requestSignal: AbortSignal): GitHubError | null {
  if (call.isRaw === true) return null;
  if (response.status >= 300) {
    if (call.kind === 'write')
      return new GitHubError('NOT_FOUND', `${call.route}: the repository has moved`, { retry: 'never' });
    return new GitHubError('UNEXPECTED', `${call.route}: redirected to nowhere`, { retry: 'later' });
  }
  // Octokit returns what is not JSON, and a truncated body, as text or bytes. No expected response is either.
  const { data } = response;
  const isJson = typeof data !== 'string' && !(data instanceof ArrayBuffer);
  if (requestSignal.aborted || (!isJson && response.status !== 204)) {
    return new GitHubError('UNAVAILABLE', `${call.route}: the response is not JSON, or broke off`, { retry: 'now' });
  }
  return call.judge?.(response) ?? null;
}

function mayRepeat(call: Call, error: GitHubError, limits: CallLimits): boolean {
  // A rate-limited request had no effect, so any call may be repeated. The gate does the waiting.
  if (error.code === 'RATE_LIMITED') return (error.retryAfterSeconds ?? 60) * 1000 <= limits.maxInlineWaitMs;
  return call.isIdempotent && error.retry === 'now';
}

/** Returns the wait before the next try: exponential, capped, with full jitter. */
export function toBackoffMs(tries: number, deps: Pick<CallDeps, 'limits' | 'random'>): number {
  const ceilingMs = Math.min(deps.limits.backoffCapMs, deps.limits.backoffBaseMs * 2 ** (tries - 1));
  return Math.floor(ceilingMs * deps.random());
}
