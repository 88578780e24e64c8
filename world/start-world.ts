import { generateKeyPair } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Calls, createCalls } from './calls.ts';
import { createCiQueue } from './ci/ci-queue.ts';
import { ACTIONS_APP_ID, ACTIONS_LOGIN } from './ci/workflow-rows.ts';
import { type CheckControl, createCheckControl } from './control/check-control.ts';
import { type CodeControl, createCodeControl } from './control/code-control.ts';
import { type ConversationControl, createConversationControl } from './control/conversation-control.ts';
import { createInstallationControl, type InstallationControl } from './control/installation-control.ts';
import { createPeopleControl, ensureAccount, type PeopleControl } from './control/people-control.ts';
import { createProtectionControl, type ProtectionControl } from './control/protection-control.ts';
import { createPullControl, type PullControl } from './control/pull-control.ts';
import { createReaders, type Readers } from './control/readers.ts';
import { createFaults } from './faults.ts';
import { createGates, type Gates } from './gates.ts';
import { createTemplate } from './git/repository.ts';
import { type Models, type ModelsOptions, startModels } from './models/start-models.ts';
import { serve } from './serve.ts';
import { createState } from './state.ts';
import { createWaiting, type UntilOptions } from './until.ts';
import { createDeliveryQueue, type Delivery } from './webhooks/delivery-queue.ts';
import type { AppIdentity, PushRecord, RequestRecord, WorldContext } from './world-context.ts';

/** Options of a world; all have defaults. */
export type WorldOptions = {
  readonly appId?: number;
  readonly appSlug?: string;
  readonly webhookSecret?: string;
  /** PKCS#1 PEM; default: a new key. */
  readonly privateKey?: string;
  readonly webhookUrl?: string;
  /** Default: 0, a free port. */
  readonly port?: number;
  /** Shared by the worlds of a process, because compiling GitHub's schemas takes longer than everything else. */
  readonly gates?: Gates;
};

/** A running local GitHub. See `README.md` for what it is and is not. */
export type World = PeopleControl &
  CodeControl &
  InstallationControl &
  PullControl &
  ProtectionControl &
  ConversationControl &
  CheckControl &
  Readers & {
    /** `http://127.0.0.1:PORT`; REST is under `/api/v3`, GraphQL at `/api/graphql`. */
    readonly url: string;
    readonly app: AppIdentity;
    /** The App's own account, e.g. `ratchet-bot[bot]`. */
    readonly botUser: { readonly id: number; readonly login: string };
    readonly faults: WorldContext['faults'];
    /** Everything that violates GitHub's own schemas, and requests without a route. Tests expect none. */
    readonly violations: readonly string[];
    readonly deliveries: readonly Delivery[];
    readonly pushes: readonly PushRecord[];
    readonly requests: readonly RequestRecord[];
    /** The App's calls by operation. Requests that got no answer are not counted. */
    readonly calls: Calls;
    /** Sets the webhook URL; null stops webhooks. */
    readonly setWebhookUrl: (url: string | null) => void;
    /** Sends a recorded delivery again with the same GUID; false if there is no such delivery. */
    readonly redeliver: (id: number) => boolean;
    /** Starts a model that agents can call, until the world is closed. See `models/`. */
    readonly startModels: (options?: ModelsOptions) => Promise<Models>;
    /** Waits until the condition is true; checked after every change. Rejects after a timeout. */
    readonly until: (predicate: () => boolean | Promise<boolean>, options: UntilOptions) => Promise<void>;
    /** Resolves when CI is idle and every delivery was sent. */
    readonly settled: () => Promise<void>;
    /** Stops everything and removes the world's folder. */
    readonly close: () => Promise<void>;
  };

const FIRST_ID = 1_700_000_000;
const ID_STEP = 13;
const HISTORY = 8;

async function createPrivateKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return `http://127.0.0.1:${address.port}`;
}

function createIds(): () => number {
  let last = FIRST_ID;
  return () => {
    last += ID_STEP;
    return last;
  };
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/u, 'Z');
}

function describe(world: Pick<WorldContext, 'violations' | 'requests' | 'deliveries'>): string {
  const requests = world.requests
    .slice(-HISTORY)
    .map(({ method, path: target, status }) => `  ${method} ${target} ${status}`);
  const deliveries = world.deliveries.records
    .slice(-HISTORY)
    .map(({ event, action, outcome, status }) => `  ${event} ${action ?? ''} ${outcome} ${status ?? ''}`);
  const violations = world.violations.map((text) => `  ${text}`);
  return ['violations:', ...violations, 'last requests:', ...requests, 'last deliveries:', ...deliveries].join('\n');
}

/** Creates the parts of a world and connects them. The server does not handle requests yet. */
async function createContext(
  options: WorldOptions,
  url: string,
): Promise<{ world: WorldContext; until: World['until'] }> {
  const [root, privateKey] = await Promise.all([
    mkdtemp(path.join(tmpdir(), 'github-world-')),
    options.privateKey ?? createPrivateKey(),
  ]);
  await mkdir(path.join(root, 'repositories'));
  const app: AppIdentity = {
    id: options.appId ?? 4_200_001,
    slug: options.appSlug ?? 'ratchet-bot',
    privateKey,
    webhookSecret: options.webhookSecret ?? 'a secret of the local world',
  };
  const state = createState();
  const violations: string[] = [];
  const requests: RequestRecord[] = [];
  const waiting = createWaiting(() => describe({ violations, requests, deliveries }));
  const { changed, until } = waiting;
  const faults = createFaults({
    onCiResumed: () => {
      ci.wake();
    },
    expireTokens: () => {
      for (const [key, token] of state.tokens) if (token.kind === 'installation') state.tokens.delete(key);
    },
  });
  const ci = createCiQueue({
    isPaused: faults.isCiPaused,
    onError: (error) => {
      violations.push(`CI failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    },
  });
  const nextId = createIds();
  const deliveries = createDeliveryQueue({ appId: app.id, secret: app.webhookSecret, faults, nextId, now, changed });
  const parts = { state, faults, deliveries, ci, violations, requests, pushes: [], nextId, now, changed };
  return { world: { url, root, app, ...parts, gates: options.gates ?? createGates() }, until };
}

/** Creates the accounts and apps that exist on every GitHub. */
function createResidents(world: WorldContext): World['botUser'] {
  const { app, state } = world;
  const login = ensureAccount(world, `${app.slug}[bot]`);
  ensureAccount(world, ACTIONS_LOGIN);
  const owner = { name: app.slug, ownerLogin: ensureAccount(world, app.slug), createdAt: world.now() };
  state.apps.set(app.id, { ...owner, id: app.id, slug: app.slug });
  const actions = { id: ACTIONS_APP_ID, slug: 'github-actions', name: 'GitHub Actions' };
  state.apps.set(actions.id, { ...actions, ownerLogin: ensureAccount(world, 'github'), createdAt: world.now() });
  return { id: state.accounts.get(login.toLowerCase())?.id ?? 0, login };
}

/** Starts a local GitHub on 127.0.0.1. The caller closes it. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const server = createServer();
  const url = await listen(server, options.port ?? 0);
  const { world, until } = await createContext(options, url);
  server.on('request', (message, response) => {
    serve(world, message, response).catch(() => response.destroy());
  });
  const template = path.join(world.root, 'template.git');
  await createTemplate(template);
  world.deliveries.setUrl(options.webhookUrl ?? null);
  const models: Models[] = [];
  return {
    ...createPeopleControl(world),
    ...createCodeControl(world, template),
    ...createInstallationControl(world),
    ...createPullControl(world),
    ...createProtectionControl(world),
    ...createConversationControl(world),
    ...createCheckControl(world),
    ...createReaders(world),
    url,
    app: world.app,
    botUser: createResidents(world),
    faults: world.faults,
    violations: world.violations,
    deliveries: world.deliveries.records,
    pushes: world.pushes,
    requests: world.requests,
    calls: createCalls(world.requests),
    setWebhookUrl: world.deliveries.setUrl,
    redeliver: world.deliveries.redeliver,
    startModels: async (given) => {
      const started = await startModels(given);
      models.push(started);
      return started;
    },
    until,
    settled: async () => {
      await world.ci.settled();
      await world.deliveries.settled();
    },
    close: async () => {
      world.deliveries.close();
      await world.ci.close();
      await Promise.all(models.map((model) => model.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all([...world.state.repositories.values()].map(({ git }) => git.objects.close()));
      await rm(world.root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
