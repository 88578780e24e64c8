import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSetup, type SetupEnd, type SetupInput } from '../../src/compose/run-setup.ts';
import { parseSurroundings } from '../../src/config/environment.ts';
import { startWorld, type World } from '../../world/start-world.ts';
import { type Browser, createBrowser, type Shown } from './browser.ts';
import { SHARED_BY_WORLDS } from './shared-world.ts';

/** A set-up that runs against a local GitHub, in a data folder of its own. */
export interface SetUp {
  readonly world: World;
  readonly dataDir: string;
  /** Address with the token, as the terminal shows it. */
  readonly link: string;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly urls: readonly string[];
  readonly log: () => string;
  readonly ended: Promise<SetupEnd>;
  readonly stop: () => void;
  /** A browser of somebody who is signed in on GitHub. */
  readonly browser: Browser;
}

/** What a test may say of a set-up. */
export interface SetUpOptions {
  readonly organization?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly lifetimeMs?: number;
  readonly fetch?: SetupInput['fetch'];
}

export const OPERATOR = 'acme';
export const HOOK = 'http://127.0.0.1:9/api/github/webhooks';

/** Starts a set-up; it ends with the test. */
export async function startSetUp(
  onTestFinished: (close: () => Promise<void>) => void,
  { organization = '', variables = {}, lifetimeMs, fetch: fetchNow = fetch }: SetUpOptions = {},
): Promise<SetUp> {
  const world = await startWorld(SHARED_BY_WORLDS);
  const dataDir = await mkdtemp(join(tmpdir(), 'ratchet-set-up-'));
  const stopping = new AbortController();
  const announced = Promise.withResolvers<readonly string[]>();
  let log = '';
  const surroundings = parseSurroundings(
    {
      ...{ HOST: '127.0.0.1', PORT: '0', GHE_HOST: new URL(world.url).host, GHE_PROTOCOL: 'http', LOG_LEVEL: 'debug' },
      ...{ RATCHET_DATA_DIR: dataDir, RATCHET_WEBHOOK_URL: HOOK, ...variables },
    },
    { needsAgent: false },
  );
  const ended = runSetup({
    ...{ surroundings, organization, goesOn: true, fetch: fetchNow, stop: stopping.signal },
    announce: ({ urls }) => announced.resolve(urls),
    logDestination: {
      write: (line) => {
        log += line;
      },
    },
    ...(lifetimeMs === undefined ? {} : { lifetimeMs }),
  });
  ended.catch(announced.reject);
  onTestFinished(async () => {
    stopping.abort();
    await ended.catch(() => undefined);
    await world.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const urls = await announced.promise;
  const [link = ''] = urls;
  return {
    ...{ world, dataDir, link, urls, ended, log: () => log, origin: new URL(link).origin },
    stop: () => stopping.abort(),
    browser: createSignedIn(world),
  };
}

/** A browser of somebody who is signed in on GitHub. */
export function createSignedIn(world: World): Browser {
  const browser = createBrowser();
  browser.setCookie('127.0.0.1', 'user_session', world.userToken(OPERATOR));
  return browser;
}

/** Goes from the form to the address that GitHub sends the browser back to, and does not open it. */
export async function walkToGitHub(
  { world, browser, link }: Pick<SetUp, 'world' | 'browser' | 'link'>,
  form?: Shown,
): Promise<URL> {
  const shown = form ?? (await browser.open(link));
  const onGitHub = await browser.send(shown, 1);
  const values = { name: `Ratchet ${String(world.requests.length)}` };
  return new URL((await browser.send(onGitHub, 0, values, { follows: false })).headers['location'] ?? '');
}

/** How often GitHub was asked for the key of an App. */
export function countExchanges(world: World): number {
  return world.requests.filter(({ route }) => route === 'POST /app-manifests/{code}/conversions').length;
}
