import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAppRegistrar } from '../adapters/github/create-app-registrar.ts';
import { toGitHubAddresses } from '../adapters/github/github-addresses.ts';
import { createLog } from '../adapters/log/create-log.ts';
import { createLogDestination, type LineStream } from '../adapters/log/create-log-destination.ts';
import { acquireControlPlaneLock } from '../adapters/store/control-plane-lock.ts';
import { parsePrivateKey, type Surroundings } from '../config/environment.ts';
import type { RegisteredApp } from '../core/model/registered-app.ts';
import { isThisMachine } from '../core/setup/judge-hook-url.ts';
import type { SetupPlace } from '../core/setup/setup-view.ts';
import type { SetupAnnouncement } from '../core/setup/setup-words.ts';
import { takeApp } from '../pipeline/setup/take-app.ts';
import { createSetupPages } from '../web/create-setup-pages.ts';
import { createServer } from '../web/server.ts';
import { USER_AGENT } from './app-parts.ts';
import { createLiveSecrets } from './live-secrets.ts';
import { openAppFile } from './open-app-file.ts';
import { prepareDataDir } from './prepare-data-dir.ts';

/** Longest time that the set-up page is open. */
export const SETUP_MINUTES = 15;
/** Longest time of an exchange with GitHub, and of the wait for it at the end. */
const TAKE_MS = 20_000;
/** Longest time for the last answers. */
const CLOSE_MS = 5_000;

export interface SetupInput {
  readonly surroundings: Surroundings;
  /** What the field for the organization holds at first; empty: the person's own account. */
  readonly organization: string;
  /** Whether the server starts to work afterwards. */
  readonly goesOn: boolean;
  readonly logDestination: LineStream;
  readonly fetch: typeof fetch;
  /** Told once the page can be opened. */
  readonly announce: (announcement: Pick<SetupAnnouncement, 'urls' | 'isExposed'>) => void;
  readonly stop: AbortSignal;
  readonly lifetimeMs?: number;
}

/** How a set-up ended. `settings` is GitHub's page with the person's Apps. */
export type SetupEnd =
  | { readonly kind: 'stored'; readonly app: RegisteredApp; readonly path: string }
  | { readonly kind: 'expired'; readonly settings: string }
  | { readonly kind: 'stopped' };

/**
 * Serves the page that registers the App until it is stored, 15 minutes are over, or `stop` fires. It holds the data folder's lock,
 * so nothing else works there meanwhile.
 * @throws ConfigError if the data folder cannot be used.
 */
export async function runSetup(input: SetupInput): Promise<SetupEnd> {
  const { surroundings } = input;
  // Before GitHub makes an App whose key could not be stored.
  const dataDir = await prepareDataDir(surroundings.dataDir);
  const lock = acquireControlPlaneLock(dataDir);
  try {
    return await serveUntilStored(input, dataDir);
  } finally {
    lock.release();
  }
}

async function serveUntilStored(input: SetupInput, dataDir: string): Promise<SetupEnd> {
  const { surroundings, stop, lifetimeMs = SETUP_MINUTES * 60_000 } = input;
  const { host, webhookUrl } = surroundings;
  const clock = { now: () => Date.now() };
  const token = newSecret();
  const log = createLog({
    level: surroundings.logLevel,
    destination: createLogDestination(input.logDestination),
    redact: createLiveSecrets([token]).redact,
  });
  const { promise: stored, resolve } = Promise.withResolvers<RegisteredApp>();
  const appFile = openAppFile(dataDir);
  const place = toSetupPlace(surroundings);
  const registrar = createAppRegistrar({
    ...{ baseUrl: surroundings.githubApiUrl, userAgent: USER_AGENT, clock, fetch: input.fetch },
  });
  const takeDeps = {
    ...{ registrar, appFile, githubApiUrl: surroundings.githubApiUrl },
    isUsableKey: (pem: string) => parsePrivateKey(pem) !== null,
  };
  const taking = new Set<Promise<unknown>>();
  const pages = createSetupPages({
    ...{ token, clock, log, endsAt: clock.now() + lifetimeMs, goesOn: input.goesOn, onStored: resolve },
    ...{ hosts: { host, publicUrl: webhookUrl }, place, newSecret },
    choice: { organization: input.organization, webhookUrl: webhookUrl ?? '' },
    take: (registration) => {
      const taken = takeApp(takeDeps, registration, AbortSignal.timeout(TAKE_MS));
      taking.add(taken);
      return taken;
    },
  });
  const fix = 'Open the link that the terminal shows, and register one.';
  const app = { name: 'app', state: 'fail', detail: 'no GitHub App is registered yet', fix } as const;
  const server = createServer({ edge: pages, readiness: () => ({ isReady: false, checks: [app] }), log });
  const over = new AbortController();
  try {
    const port = await server.listen({ host, port: surroundings.port });
    log.info({ port }, 'waiting for a GitHub App to be registered');
    input.announce(toAnnouncement(surroundings, { port, token }));
    await Promise.race([stored, untilOver(lifetimeMs, AbortSignal.any([stop, over.signal]))]);
  } finally {
    over.abort();
    await server.close(CLOSE_MS);
    // An exchange that has begun is not given up, though its browser may be gone: GitHub would not know its code any longer.
    await Promise.allSettled(taking);
  }
  const kept = await appFile.read();
  if (kept !== null) return { kind: 'stored', app: kept, path: appFile.path };
  return stop.aborted ? { kind: 'stopped' } : { kind: 'expired', settings: `${place.site}/settings/apps` };
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

async function untilOver(lifetimeMs: number, stop: AbortSignal): Promise<void> {
  await sleep(lifetimeMs, undefined, { signal: stop }).catch(() => undefined);
}

/** GitHub and this server, as the settings name them. */
export function toSetupPlace({ githubApiUrl, webhookPath: path }: Surroundings): SetupPlace {
  const { site } = toGitHubAddresses(githubApiUrl);
  const { hostname } = new URL(site);
  return { site, path, githubHostname: hostname, isHosted: /^(?:github\.com|[^.]+\.ghe\.com)$/u.test(hostname) };
}

function toAnnouncement(
  { host, webhookUrl, webhookPath }: Surroundings,
  { port, token }: { readonly port: number; readonly token: string },
): Pick<SetupAnnouncement, 'urls' | 'isExposed'> {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const named = host.includes(':') ? `[${host}]` : host;
  const shown = isEverywhere ? 'localhost' : named;
  const own = URL.parse(webhookUrl ?? '');
  // A forwarder for webhooks alone has another path, and does not lead to the page.
  const isOwn = own?.protocol === 'https:' && (own.pathname === '/' || own.pathname === webhookPath);
  const origins = [`http://${shown}:${String(port)}`, ...(isOwn ? [own.origin] : [])];
  return {
    urls: origins.map((origin) => `${origin}/setup?token=${token}`),
    isExposed: !isEverywhere && !isThisMachine(URL.parse(`http://${shown}`)?.hostname ?? ''),
  };
}
