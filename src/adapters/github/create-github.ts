import { setTimeout as sleepFor } from 'node:timers/promises';
import { App, Octokit } from 'octokit';
import { z } from 'zod';
import { GitHubError } from '../../core/model/errors.ts';
import type { Permission, RepositoryRef } from '../../core/model/pull-request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GitHub, GitToken } from '../../ports/github.ts';
import type { Log } from '../../ports/log.ts';
import type { GitHubRequest } from '../../ports/metrics.ts';
import { readSentDeliveries, redeliver } from './app-deliveries.ts';
import { createCheckRun, readAllAnnotations, readAnnotations, updateCheckRun } from './check-runs.ts';
import { readChecksAt } from './checks-at.ts';
import { addReaction, editComment, ensureComment, upsertComment } from './comments.ts';
import { createReadCommitIdentity } from './commit-identity.ts';
import { createOrganizationReader } from './create-organization-reader.ts';
import { toGitHubAddresses } from './github-addresses.ts';
import { API_VERSION, type CallLimits, createMakeCall, type MakeCall, toBackoffMs } from './github-calls.ts';
import { createInstallationTokens } from './installation-tokens.ts';
import { readMergeBase } from './merge-base.ts';
import { parseResponse } from './parse-response.ts';
import { disableAutoMerge, updateBranch } from './pull-request-writes.ts';
import { readBlobs } from './read-blobs.ts';
import { readChangedFiles } from './read-changed-files.ts';
import { readConfigFiles, touchesPolicyFile } from './read-config-files.ts';
import { type JobLogDeps, readJobLog } from './read-job-log.ts';
import { type PullRequestReader, readPullRequest, readPullRequests } from './read-pull-request.ts';
import { readPushes } from './read-pushes.ts';
import { type LiveReads, rememberReads } from './remember-reads.ts';
import { createRepositoryCalls, type RepositoryCalls } from './repository-calls.ts';
import { createRequestGate, type Pacing, type Sleep } from './request-gate.ts';
import { postReview, resolveThread } from './reviews.ts';
import { rerunFailedJobs } from './workflow-runs.ts';

/** Limits and pacing of the adapter. */
export interface GitHubLimits extends CallLimits, Pacing {
  readonly logTimeoutMs: number;
  readonly maxLogDownloadBytes: number;
}

/** Limits for github.com. Writes are one second apart. A call waits at most 10 s for a rate limit. */
export const defaultGitHubLimits: GitHubLimits = {
  requestMs: 15_000,
  callMs: 60_000,
  maxTries: 4,
  youngTokenMs: 10_000,
  backoffBaseMs: 500,
  backoffCapMs: 8_000,
  maxInlineWaitMs: 10_000,
  writeSpacingMs: 1_000,
  logTimeoutMs: 120_000,
  maxLogDownloadBytes: 512 * 1024 * 1024,
};

/** Options of `createGitHub`. `sleep`, `random` and `fetch` are replaced in tests. */
export interface GitHubOptions {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  /** Root of the REST API. */
  readonly baseUrl: string;
  readonly userAgent: string;
  /** E-mail address of our commits. Absent or null: that of the App's bot account. */
  readonly commitEmail?: string | null;
  readonly log: Log;
  readonly clock: Clock;
  readonly limits?: Partial<GitHubLimits>;
  readonly fetch?: typeof fetch;
  readonly sleep?: Sleep;
  readonly random?: () => number;
  /** Called with each request that was answered or failed. */
  readonly onRequest?: (request: GitHubRequest) => void;
}

/** Calls to GitHub's APIs, paced and repeated as `limits` say. */
export function createAppCalls(options: GitHubOptions): {
  readonly makeCall: MakeCall;
  readonly octokit: Octokit;
  readonly rest: string;
  readonly fetch: typeof fetch;
  readonly limits: GitHubLimits;
  readonly sleep: Sleep;
  readonly random: () => number;
} {
  const { clock, log, onRequest = () => undefined, random = Math.random, sleep = sleepUnlessAborted } = options;
  const limits: GitHubLimits = { ...defaultGitHubLimits, ...options.limits };
  const { rest } = toGitHubAddresses(options.baseUrl);
  const fetchNow: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init));
  const { octokit, appOctokit } = createOctokits(options, { rest, fetch: fetchNow });
  const gate = createRequestGate(clock, sleep, limits);
  const makeCall = createMakeCall({ octokit, appOctokit, gate, sleep, random, clock, log, limits, onRequest });
  return { makeCall, octokit, rest, fetch: fetchNow, limits, sleep, random };
}

/** Connects to GitHub's APIs as one App. */
export function createGitHub(options: GitHubOptions): GitHub {
  const { appId, clock, log, userAgent } = options;
  const addresses = toGitHubAddresses(options.baseUrl);
  const { makeCall, octokit, fetch: fetchNow, limits, sleep, random } = createAppCalls(options);
  const tokens = createInstallationTokens(makeCall, clock);
  const calls = createRepositoryCalls({ makeCall, tokens, clock }, addresses.graphql);
  const readApp = createReadApp(makeCall);
  const readSlug: GitHub['readSlug'] = async (signal) => (await readApp(signal)).slug;
  const reader = { calls, readOrganization: createOrganizationReader(calls, clock) };
  const logDeps = {
    calls,
    fetch: fetchNow,
    userAgent,
    timeoutMs: limits.logTimeoutMs,
    maxDownloadBytes: limits.maxLogDownloadBytes,
  };
  const waitWith = (signal: AbortSignal) => (tries: number) => sleep(toBackoffMs(tries, { limits, random }), signal);

  return {
    appId,
    readApp,
    readSlug,
    readSentDeliveries: (cursor, signal) => readSentDeliveries(makeCall, cursor, signal),
    redeliver: (id, signal) => redeliver(makeCall, id, signal),
    readCommitIdentity: createReadCommitIdentity(calls, readSlug, {
      email: options.commitEmail ?? null,
      noreplyHost: addresses.noreplyHost,
    }),
    ...rememberReads(createLiveReads(reader, logDeps), clock),
    readConfigFiles: (ref, signal) => readConfigFiles(reader, ref, signal),
    touchesPolicyFile: (ref, signal) => touchesPolicyFile(calls, ref, signal),
    readChangedFiles: (ref, signal) => readChangedFiles(calls, ref, signal),
    readPushes: (repository, branch, signal) => readPushes(calls, { repository, branch }, signal),
    readBlobs: (repository, refs, signal) => readBlobs(calls, { repository, refs }, signal),
    readAnnotations: (repository, check, limit, signal) => readAnnotations(calls, { repository, check, limit }, signal),
    rerunFailedJobs: (repository, workflowRunId, signal) =>
      rerunFailedJobs(calls, { repository, workflowRunId }, signal),
    createCheckRun: (repository, content, signal, isFirst = false) =>
      createCheckRun({ calls, appId, waitBefore: waitWith(signal) }, { repository, content, isFirst }, signal),
    updateCheckRun: (repository, checkRunId, content, signal) =>
      updateCheckRun(calls, { repository, checkRunId, content }, signal),
    addReaction: (repository, { kind, id }, reaction, signal) =>
      addReaction(calls, { repository, kind, id, reaction }, signal),
    ensureComment: (ref, marker, body, signal) =>
      ensureComment({ calls, appId, readSlug, waitBefore: waitWith(signal) }, ref, { marker, body }, signal),
    upsertComment: (ref, marker, body, signal) =>
      upsertComment({ calls, appId, readSlug, waitBefore: waitWith(signal) }, ref, { marker, body }, signal),
    editComment: (ref, marker, body, signal) =>
      editComment({ calls, appId, readSlug, waitBefore: waitWith(signal) }, ref, { marker, body }, signal),
    updateBranch: (ref, headSha, signal) => updateBranch(calls, ref, headSha, signal),
    disableAutoMerge: (ref, signal) => disableAutoMerge(calls, ref, signal),
    postReview: (ref, review, signal) => postReview({ calls, waitBefore: waitWith(signal) }, ref, review, signal),
    resolveThread: (repository, threadId, signal) => resolveThread(calls, { repository, threadId }, signal),
    mintGitToken: (repository, purpose, signal) => tokens.mint(repository, `git_${purpose}`, signal),
    revokeGitToken: (token, signal) => revokeGitToken(octokit, log, token, signal),
    gitUrl: addresses.git,
    commitUrl: addresses.commit,
    fileUrl: addresses.file,
  };
}

/** The reads that `rememberReads` caches. */
function createLiveReads(reader: PullRequestReader, log: JobLogDeps & { readonly calls: RepositoryCalls }): LiveReads {
  const { calls } = log;
  return {
    readPullRequest: (ref, signal) => readPullRequest(reader, ref, signal),
    readPullRequests: (repository, numbers, signal) => readPullRequests(reader, { repository, numbers }, signal),
    readPermission: (repository, login, signal) => readPermission(calls, repository, login, signal),
    readAllAnnotations: (repository, checks, limit, signal) =>
      readAllAnnotations(calls, { repository, checks, limit }, signal),
    readJobLog: (repository, check, want, signal) => readJobLog(log, { repository, check, ...want }, signal),
    readMergeBase: (repository, base, head, signal) => readMergeBase(calls, { repository, base, head }, signal),
    readChecksAt: (repository, sha, signal) => readChecksAt(calls, { repository, sha }, signal),
  };
}

/** Neither uses octokit's retries and throttling: this adapter has its own, see `github-calls.ts` and `request-gate.ts`. */
function createOctokits(
  { appId, privateKey, userAgent, log }: GitHubOptions,
  server: { readonly rest: string; readonly fetch: typeof fetch },
): { readonly octokit: Octokit; readonly appOctokit: Pick<Octokit, 'request'> } {
  const quietLog = {
    debug: () => undefined,
    info: () => undefined,
    warn: (message: string) => log.warn({ text: message.slice(0, 300) }, 'octokit warned'),
    error: (message: string) => log.warn({ text: message.slice(0, 300) }, 'octokit failed'),
  };
  const defaults = {
    baseUrl: server.rest,
    userAgent,
    log: quietLog,
    request: { fetch: server.fetch, log: quietLog },
    retry: { enabled: false },
    throttle: { enabled: false },
  };
  const app = new App({ appId, privateKey, Octokit: Octokit.defaults(defaults), log: quietLog });
  return { octokit: new Octokit(defaults), appOctokit: app.octokit };
}

/** An account has a login; an enterprise, which may own an App too, has none. */
const AppResponse = z.object({
  slug: z.string().min(1),
  owner: z.object({ login: z.string().min(1).nullish() }).nullish(),
});

/** Reads the App once. */
function createReadApp(makeCall: MakeCall): GitHub['readApp'] {
  let app: Awaited<ReturnType<GitHub['readApp']>> | null = null;
  return async (signal) => {
    if (app !== null) return app;
    const call = { route: 'GET /app', parameters: {}, installationId: 0, kind: 'read', isIdempotent: true } as const;
    const response = await makeCall({ ...call, token: null, signal });
    const { slug, owner } = parseResponse(AppResponse, response.data, 'app');
    app = { slug, owner: owner?.login ?? null };
    return app;
  };
}

const PermissionResponse = z.object({
  permission: z.string(),
  user: z.object({ id: z.number().int() }).nullable(),
});

/** GitHub maps custom roles, `maintain` and `triage` to the four values. Older servers may return the last two. */
const permissions: ReadonlyMap<string, Permission> = new Map([
  ['admin', 'admin'],
  ['maintain', 'write'],
  ['write', 'write'],
  ['triage', 'read'],
  ['read', 'read'],
]);

async function readPermission(
  calls: RepositoryCalls,
  repository: RepositoryRef,
  login: string,
  signal: AbortSignal,
): Promise<{ readonly userId: number; readonly permission: Permission }> {
  const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
  try {
    const response = await calls.call({ repository, route, parameters: { username: login }, access: 'read', signal });
    const { permission, user } = parseResponse(PermissionResponse, response.data, 'permission');
    return { userId: user?.id ?? 0, permission: user === null ? 'none' : (permissions.get(permission) ?? 'none') };
  } catch (error) {
    // The account does not exist or is not visible to the App. It has no permission, and id 0 matches nobody.
    if (error instanceof GitHubError && error.code === 'NOT_FOUND') return { userId: 0, permission: 'none' };
    throw error;
  }
}

async function revokeGitToken(octokit: Octokit, log: Log, { token }: GitToken, signal: AbortSignal): Promise<void> {
  try {
    await octokit.request('DELETE /installation/token', {
      headers: { 'x-github-api-version': API_VERSION, authorization: `token ${token}` },
      request: { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) },
    });
  } catch {
    log.debug({}, 'token was not revoked; it expires by itself');
  }
}

async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleepFor(ms, undefined, { signal });
}
