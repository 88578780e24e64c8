import { z } from 'zod';
import type { AppFacts, HookFacts, InstallationFacts } from '../../core/model/app-facts.ts';
import { GitHubError } from '../../core/model/errors.ts';
import type { EpochMs } from '../../core/model/ids.ts';
import type { AppReader } from '../../ports/app-reader.ts';
import { readSentDeliveries } from './app-deliveries.ts';
import { createAppCalls, type GitHubOptions } from './create-github.ts';
import type { MakeCall } from './github-calls.ts';
import { parseResponse } from './parse-response.ts';

const PAGE_SIZE = 100;
/** More installations are not looked at. */
const MAX_PAGES = 10;

const Permissions = z.record(z.string(), z.string());
const AppResponse = z.object({ slug: z.string().min(1), permissions: Permissions, events: z.array(z.string()) });
const InstallationsResponse = z.array(
  z.object({
    // An enterprise has a slug and no login.
    account: z.object({ login: z.string().optional(), slug: z.string().optional() }).nullable(),
    suspended_at: z.string().nullish(),
    permissions: Permissions,
  }),
);
const HookResponse = z.object({
  url: z.string().nullish(),
  content_type: z.string().nullish(),
  secret: z.string().nullish(),
  insecure_ssl: z.union([z.string(), z.number()]).nullish(),
});

/** Connects to GitHub's API as the App itself. */
export function createAppReader(options: GitHubOptions): AppReader {
  const { makeCall, fetch: fetchNow, rest } = createAppCalls(options);
  return {
    readApp: (signal) => readApp(makeCall, signal),
    readInstallations: (signal) => readInstallations(makeCall, signal),
    readHook: (signal) => readHook(makeCall, signal),
    readDeliveries: async (signal) => (await readSentDeliveries(makeCall, null, signal)).deliveries,
    readTime: (signal) => readTime(fetchNow, { rest, userAgent: options.userAgent }, signal),
  };
}

async function readAsApp(
  makeCall: MakeCall,
  request: { readonly route: string; readonly parameters?: Readonly<Record<string, number>> },
  signal: AbortSignal,
): Promise<unknown> {
  const { route, parameters = {} } = request;
  const asApp = { installationId: 0, token: null, kind: 'read', isIdempotent: true } as const;
  return (await makeCall({ ...asApp, route, parameters, signal })).data;
}

async function readApp(makeCall: MakeCall, signal: AbortSignal): Promise<AppFacts> {
  return parseResponse(AppResponse, await readAsApp(makeCall, { route: 'GET /app' }, signal), 'app');
}

async function readInstallations(makeCall: MakeCall, signal: AbortSignal): Promise<readonly InstallationFacts[]> {
  const all: InstallationFacts[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const request = { route: 'GET /app/installations', parameters: { per_page: PAGE_SIZE, page } };
    const rows = parseResponse(InstallationsResponse, await readAsApp(makeCall, request, signal), 'installations');
    all.push(...rows.map(toInstallation));
    if (rows.length < PAGE_SIZE) break;
  }
  return all;
}

function toInstallation(row: z.infer<typeof InstallationsResponse>[number]): InstallationFacts {
  return {
    account: row.account?.login ?? row.account?.slug ?? 'an account that was deleted',
    isSuspended: (row.suspended_at ?? null) !== null,
    permissions: row.permissions,
  };
}

async function readHook(makeCall: MakeCall, signal: AbortSignal): Promise<HookFacts> {
  const data = await readAsApp(makeCall, { route: 'GET /app/hook/config' }, signal);
  const hook = parseResponse(HookResponse, data, 'webhook');
  return {
    url: hook.url ?? null,
    contentType: hook.content_type ?? null,
    hasSecret: (hook.secret ?? '') !== '',
    verifiesTls: String(hook.insecure_ssl ?? '0') === '0',
  };
}

/** Every answer of GitHub has its time, a refusal included. */
async function readTime(
  fetchNow: typeof fetch,
  { rest, userAgent }: { readonly rest: string; readonly userAgent: string },
  signal: AbortSignal,
): Promise<EpochMs | null> {
  try {
    const response = await fetchNow(`${rest}/rate_limit`, { signal, headers: { 'user-agent': userAgent } });
    await response.body?.cancel();
    const time = Date.parse(response.headers.get('date') ?? '');
    return Number.isNaN(time) ? null : time;
  } catch (error) {
    throw new GitHubError('UNAVAILABLE', 'GitHub could not be reached', { retry: 'later', cause: error });
  }
}
