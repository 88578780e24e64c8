import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createSessionFiles } from '../adapters/files/create-session-files.ts';
import { checkGit } from '../adapters/git/check-git.ts';
import { createGit, DEFAULT_GIT_PATH, type GitOptions } from '../adapters/git/create-git.ts';
import { DEFAULT_GIT_LIMITS } from '../adapters/git/git-limits.ts';
import { createAppReader } from '../adapters/github/create-app-reader.ts';
import { createGitHub } from '../adapters/github/create-github.ts';
import { createLog } from '../adapters/log/create-log.ts';
import { createLogContext, type LogContext } from '../adapters/log/create-log-context.ts';
import { createLogDestination, type LineStream } from '../adapters/log/create-log-destination.ts';
import { createMachine } from '../adapters/machine/create-machine.ts';
import { createMetrics } from '../adapters/metrics/create-metrics.ts';
import { createEmbeddedTransport } from '../adapters/queue/create-embedded-transport.ts';
import { createFallbackTransport } from '../adapters/queue/create-fallback-transport.ts';
import { createQueue, type QueueOptions } from '../adapters/queue/create-queue.ts';
import { clearLeftSites } from '../adapters/sites/clear-left-sites.ts';
import { createTestJudge } from '../adapters/source/create-test-judge.ts';
import { acquireControlPlaneLock } from '../adapters/store/control-plane-lock.ts';
import { createStore } from '../adapters/store/create-store.ts';
import type { Environment } from '../config/environment.ts';
import { parseCommands } from '../core/commands/parse-commands.ts';
import type { EngineSource } from '../core/engines/engine-source.ts';
import { EVALUATE_QUEUE, FIXUP_QUEUE, QUALITY_QUEUE, SWEEP_QUEUE } from '../core/model/queues.ts';
import type { OperatorPolicy } from '../core/policy/operator-policy.ts';
import { CATALOGUE } from '../engines/catalogue.ts';
import type { Deps } from '../pipeline/deps.ts';
import { createRunSide } from '../pipeline/engines/create-run-side.ts';
import { evaluatePullRequest } from '../pipeline/evaluate/evaluate-pull-request.ts';
import { createOldHeadRuns } from '../pipeline/fixup/old-head-runs.ts';
import { runFixup } from '../pipeline/fixup/run-fixup.ts';
import { runQuality } from '../pipeline/quality/run-quality.ts';
import { createRunRegistry } from '../pipeline/run/run-registry.ts';
import { startHousekeeping } from '../pipeline/upkeep/housekeeping.ts';
import { reconcileDeliveries } from '../pipeline/upkeep/reconcile-deliveries.ts';
import { repeat } from '../pipeline/upkeep/repeat.ts';
import { createBaseSweep } from '../pipeline/upkeep/sweep-base.ts';
import type { Clock } from '../ports/clock.ts';
import type { GitHub } from '../ports/github.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Queue, Transport } from '../ports/queue.ts';
import { createServer, type Readiness, type WebServer } from '../web/server.ts';
import { type AppSlug, createAppSlug } from '../webhooks/app-slug.ts';
import { createGroupCommit } from '../webhooks/group-commit.ts';
import { createProbotApp } from '../webhooks/probot-app.ts';
import { isUsedEventName } from '../webhooks/to-event.ts';
import { createWebhookEdge } from '../webhooks/webhook-edge.ts';
import { DEFAULT_UID_BASE, ENGINES_AT_ONCE, toLiveSecrets, USER_AGENT } from './app-parts.ts';
import { DATABASE_NAME } from './compose-backup.ts';
import { toGitWay, useProxy } from './connect-outbound.ts';
import { countSessions } from './count-sessions.ts';
import { createAdmin } from './create-admin.ts';
import { createAppGateway } from './create-app-gateway.ts';
import { type AppSitesInput, createAppSites } from './create-app-sites.ts';
import { DIAGNOSIS_LIMITS, diagnoseStart } from './diagnose-start.ts';
import { createLiveSecrets, type LiveSecrets } from './live-secrets.ts';
import { createPullRequestNames, type PullRequestNames } from './name-pull-requests.ts';
import { prepareDataDir } from './prepare-data-dir.ts';
import { watchReadiness } from './watch-readiness.ts';

export interface AppInput extends AppSitesInput {
  readonly environment: Environment;
  /** Private key of the App, PEM. */
  readonly privateKey: string;
  readonly operatorPolicy: OperatorPolicy;
  readonly logDestination: LineStream;
  readonly migrationsDir: string;
  /** The program of the thread that judges changes to tests. */
  readonly testJudgeProgram: string;
  /** Of this program. */
  readonly version: string;
}

/** The running App. */
export interface App {
  readonly port: number;
  /** Accepts no new work, waits for running work or returns it to the queue, and closes everything. Idempotent. */
  readonly stop: (why?: string) => Promise<void>;
}

const LEASE_MS = 60_000;
const RETRY_BACKOFF_MS = { initial: 1_000, max: 300_000 } as const;
/** Many events about one pull request cause one look every three seconds. A single event is handled at once. */
const LOOK_REST_MS = { initial: 250, max: 3_000 } as const;
/**
 * Containers are killed ten seconds after they were asked to stop. Requests and runs have this long, at the same time; then runs are
 * aborted, and have a while to end their programs, store their end and say so. `main` ends the process a little later whatever happens.
 */
const WEB_GRACE_MS = 1_500;
const RUN_GRACE_MS = 1_000;
const ABORT_WAIT_MS = 5_000;
/** For each part of a connection to Redis, which may be gone. */
const REDIS_CLOSE_MS = 400;
/** Longest time until a lost delivery is looked for; never later than the timed look at a pull request. */
const RECONCILE_MS = 300_000;
const RECONCILE_TIMEOUT_MS = 600_000;
const EXAMINE_MS = 5_000;
const LOOPBACK = '127.0.0.1';
const SWEEP_CONCURRENCY = 2;
const QUALITY_CONCURRENCY = 1;
/** Wires the parts together and starts them. The only place that assigns adapters to ports. */
export async function startApp(input: AppInput): Promise<App> {
  const { environment } = input;
  const base = createBase(input);
  const { log } = base;
  log.info({ version: input.version }, 'starting');
  const closers: (() => unknown)[] = [];
  const stop = once(async (why) => {
    log.info({ why }, 'stopping');
    for (const close of closers.toReversed()) await close();
    log.info({}, 'stopped');
  });
  try {
    useProxy(environment);
    const dataDir = await prepareDataDir(environment.dataDir);
    closers.push(acquireControlPlaneLock(dataDir).release);
    await clearLeftSites({ dataDir, newId: base.newId });
    const opened = createStore({ path: join(dataDir, DATABASE_NAME), migrationsDir: input.migrationsDir, log });
    closers.push(opened.close);
    base.names.lookIn(opened);
    const metrics = createMetrics({ store: opened, clock: base.clock, version: input.version });
    const store = countSessions(opened, metrics);
    const settled = store.settleOpenCalls(base.clock.now());
    if (settled > 0)
      log.warn({ calls: settled }, 'calls to models were open when the last process ended: charged as reserved');
    const runs = store.settleOpenRuns(base.clock.now());
    if (runs > 0) log.warn({ runs }, 'agents were at work when the last process ended: their whole time is charged');
    const gateway = await createAppGateway(input, { ...base, dataDir, store });
    closers.push(() => gateway?.close());
    const transportOf = await chooseTransport(environment, log);
    const queues = createQueues(environment, { ...base, store, transportOf });
    closers.push(queues.stop);
    const github = createAppGitHub(input, { ...base, metrics });
    const appSlug = createAppSlug(github, log);
    closers.push(appSlug.stop);
    const deps = await createDeps(input, { ...base, dataDir, store, queues, gateway, github, appSlug });
    await appSlug.start();
    const readiness = watchAppReadiness(input, deps, dataDir);
    closers.push(readiness.stop);
    const web = await createWeb(input, deps, { queues, appSlug, metrics, readiness: readiness.read });
    closers.push(() => Promise.all([web.close(WEB_GRACE_MS), queues.stop()]));
    // Listen before the queues start: if the port is taken, no fixup must have been launched.
    const ports = await web.listen();
    await startQueues(queues, deps, { context: base.context, source: environment.engineSource });
    closers.push(diagnoseStart(input, { ...base, redact: base.secrets.redact, store, dataDir }).stop);
    closers.push(startHousekeeping(deps).stop, startReconciler(deps).stop, startExaminer(deps).stop);
    log.info(
      {
        version: input.version,
        ...ports,
        app: appSlug.current(),
        queue: environment.redisUrl === null ? 'embedded' : 'bullmq',
      },
      'listening',
    );
    return { port: ports.port, stop };
  } catch (error) {
    await stop('the start failed');
    throw error;
  }
}

/** Dependencies of every part. */
interface Base {
  readonly log: Log;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly secrets: LiveSecrets;
  readonly context: LogContext;
  readonly names: PullRequestNames;
}

function createBase(input: AppInput): Base {
  const secrets = createLiveSecrets(toLiveSecrets(input.environment, input.privateKey));
  const context = createLogContext();
  const names = createPullRequestNames();
  return {
    context,
    names,
    clock: { now: () => Date.now() },
    newId: () => randomBytes(15).toString('hex'),
    secrets,
    log: createLog({
      level: input.environment.logLevel,
      destination: createLogDestination(input.logDestination),
      redact: secrets.redact,
      describe: (fields) => {
        const about = { ...context.current(), ...fields };
        return { ...about, ...names.of(about) };
      },
    }),
  };
}

/** Runs `work` on the first call. Later calls return the same promise. */
function once(work: (why: string | undefined) => Promise<void>): (why?: string) => Promise<void> {
  let running: Promise<void> | null = null;
  return (why) => (running ??= work(why));
}

async function createDeps(
  input: AppInput,
  parts: Base &
    Pick<Deps, 'gateway' | 'github' | 'store'> & {
      readonly dataDir: string;
      readonly queues: Queues;
      readonly appSlug: AppSlug;
    },
): Promise<Deps> {
  const { environment, isRoot } = input;
  const { dataDir, log, clock, newId, secrets, store, queues, gateway, github, appSlug } = parts;
  log.info({ git: await checkGit(DEFAULT_GIT_PATH) }, 'git found');
  const uidBase = environment.sandboxUidBase ?? DEFAULT_UID_BASE;
  const slotGid = isRoot ? uidBase : null;
  const env = await toGitWay(environment, dataDir);
  const git = createGit({ dataDir, log, clock, newId, slotGid, env, ...toGitSettings(environment) });
  const { agents, mergeTool, sites, registries } = await createAppSites(input, {
    trees: git,
    dataDir,
    log,
    newId,
    uidBase,
    slotGid,
    enginesAtOnce: ENGINES_AT_ONCE,
  });
  return {
    agents,
    mergeTool,
    testJudge: createTestJudge({ program: input.testJudgeProgram, log }),
    registries,
    clock,
    evaluateQueue: queues.evaluate,
    files: createSessionFiles({ dataDir }),
    fixupQueue: queues.fixup,
    gateway,
    git,
    github,
    log,
    newDeadline: (ms) => AbortSignal.timeout(ms),
    newId,
    qualityQueue: queues.quality,
    redact: secrets.redact,
    redactLong: secrets.redactLong,
    oldHeadRuns: createOldHeadRuns(),
    running: createRunRegistry(),
    settings: {
      recheckMs: environment.recheckSeconds * 1000,
      liveSecrets: secrets.all,
      signsOff: environment.signsOff,
      operatorPolicy: input.operatorPolicy,
      spend: {
        list: () => ({ entries: environment.agentRepositories, appOwner: appSlug.owner() }),
        limits: environment.spendLimits,
      },
      userSessionIdleMs: environment.userSessionIdleSeconds * 1000,
    },
    sites,
    store,
  };
}

function createAppGitHub(
  { environment, privateKey }: AppInput,
  { log, clock, metrics }: Base & { readonly metrics: Metrics },
): GitHub {
  const { appId, githubApiUrl: baseUrl, commitEmail } = environment;
  const onRequest = metrics.countRequest;
  return createGitHub({ appId, privateKey, baseUrl, commitEmail, userAgent: USER_AGENT, log, clock, onRequest });
}

/** Git uses plain HTTP only with a GitHub on this machine; `parseEnvironment` refuses any other. */
function toGitSettings(environment: Environment): Pick<GitOptions, 'limits' | 'transports'> {
  const url = new URL(environment.githubApiUrl);
  return {
    limits: {
      ...DEFAULT_GIT_LIMITS,
      maxRepositoryBytes: environment.maxRepositoryBytes,
      maxMirrorBytes: environment.maxMirrorBytes,
      fetchTimeoutMs: environment.gitTimeoutSeconds * 1000,
    },
    transports: { allowFile: false, plainHttpHosts: url.protocol === 'http:' ? [url.host] : [] },
  };
}

interface Queues {
  readonly evaluate: Queue;
  readonly fixup: Queue;
  readonly sweep: Queue;
  readonly quality: Queue;
  readonly stop: () => Promise<void>;
}

type TransportOf = (queueName: string) => Transport;

/** BullMQ is loaded only with Redis, because it takes a seventh of the start time. */
async function chooseTransport({ redisUrl }: Environment, log: Log): Promise<TransportOf> {
  if (redisUrl === null) return () => createEmbeddedTransport();
  const { createBullmqTransport } = await import('../adapters/queue/create-bullmq-transport.ts');
  const shared = { redisUrl, prefix: 'ratchet', log, closeTimeoutMs: REDIS_CLOSE_MS };
  return (queueName) =>
    createFallbackTransport(createBullmqTransport({ ...shared, queueName }), createEmbeddedTransport());
}

function createQueues(
  environment: Environment,
  { transportOf, ...shared }: Pick<QueueOptions, 'store' | 'clock' | 'log'> & { readonly transportOf: TransportOf },
): Queues {
  const limits = { leaseMs: LEASE_MS, retryBackoffMs: RETRY_BACKOFF_MS, abortWaitMs: ABORT_WAIT_MS };
  const create = (
    name: string,
    concurrency: number,
    rest: Pick<QueueOptions, 'restMs'> = {},
  ): { readonly queue: Queue; readonly transport: Transport } => {
    const transport = transportOf(name);
    return { transport, queue: createQueue({ ...shared, ...limits, name, transport, concurrency, ...rest }) };
  };
  const evaluate = create(EVALUATE_QUEUE, environment.evaluateConcurrency, { restMs: LOOK_REST_MS });
  const fixup = create(FIXUP_QUEUE, environment.fixupConcurrency);
  const sweep = create(SWEEP_QUEUE, SWEEP_CONCURRENCY);
  const quality = create(QUALITY_QUEUE, QUALITY_CONCURRENCY);
  const all = [quality, fixup, sweep, evaluate];
  return {
    evaluate: evaluate.queue,
    fixup: fixup.queue,
    sweep: sweep.queue,
    quality: quality.queue,
    async stop() {
      await Promise.all(all.map(({ queue }) => queue.stop(RUN_GRACE_MS)));
      await Promise.all(all.map(({ transport }) => transport.close()));
    },
  };
}

/** What runs for a key runs in the context of its pull request. */
async function startQueues(
  queues: Queues,
  deps: Deps,
  { context, source }: { readonly context: LogContext; readonly source: EngineSource },
): Promise<void> {
  await queues.evaluate.start((key, lease) => context.run({ key }, () => evaluatePullRequest(deps, key, lease)));
  await queues.fixup.start((key, lease) => context.run({ sessionId: key }, () => runFixup(deps, key, lease)));
  await queues.sweep.start(createBaseSweep(deps));
  const maxTimeoutSeconds = deps.settings.operatorPolicy.ceilings.engines?.timeoutSeconds ?? null;
  const ofEngines = { catalogue: CATALOGUE, source, concurrency: ENGINES_AT_ONCE, maxTimeoutSeconds };
  const runSide = createRunSide({ ...deps, ...ofEngines });
  await queues.quality.start((key, lease) => context.run({ key }, () => runQuality({ ...deps, runSide }, key, lease)));
}

function startReconciler(deps: Deps): { readonly stop: () => void } {
  const intervalMs = Math.min(deps.settings.recheckMs, RECONCILE_MS);
  return repeat(deps.log, {
    everyMs: intervalMs,
    timeoutMs: RECONCILE_TIMEOUT_MS,
    failed: 'reconciling deliveries failed',
    work: (signal) => reconcileDeliveries(deps, { intervalMs, isUsed: isUsedEventName }, signal),
  });
}

/** A lost database is found though nobody asks for readiness. The store says so once and stores nothing from then on. */
function startExaminer({ store, log }: Deps): { readonly stop: () => void } {
  const work = async (): Promise<void> => {
    await store.examine();
  };
  return repeat(log, { everyMs: EXAMINE_MS, timeoutMs: EXAMINE_MS, failed: 'database could not be examined', work });
}

function watchAppReadiness(
  { environment, privateKey }: AppInput,
  deps: Deps,
  dataDir: string,
): ReturnType<typeof watchReadiness> {
  const { appId, githubApiUrl: baseUrl, redisUrl } = environment;
  const { log, clock, redact } = deps;
  const app = createAppReader({
    ...{ appId, privateKey, baseUrl, userAgent: USER_AGENT, log, clock, limits: DIAGNOSIS_LIMITS },
  });
  const machine = createMachine({ uid: null, fetch, userAgent: USER_AGENT });
  return watchReadiness({ ...deps, app, machine, redact }, { dataDir, redisUrl });
}

/** The server for GitHub, and one that only this machine reaches, if the operator wants it. */
async function createWeb(
  { environment, privateKey }: AppInput,
  deps: Deps,
  parts: {
    readonly queues: Queues;
    readonly appSlug: AppSlug;
    readonly metrics: Metrics;
    readonly readiness: () => Promise<Readiness>;
  },
): Promise<{
  readonly listen: () => Promise<{ readonly port: number; readonly metricsPort?: number }>;
  readonly close: WebServer['close'];
}> {
  const { queues, appSlug, metrics, readiness } = parts;
  const { store, log, clock } = deps;
  const probot = await createProbotApp({
    appId: environment.appId,
    privateKey,
    secret: environment.webhookSecrets[0],
    baseUrl: environment.githubApiUrl,
    announce: queues.evaluate.announce,
    log,
  });
  const edge = createWebhookEdge({
    secrets: environment.webhookSecrets,
    path: environment.webhookPath,
    own: { appId: environment.appId, botUserId: null },
    parseCommands: (body) => parseCommands(body, { slug: appSlug.current() }),
    ingest: createGroupCommit(store),
    onAnswered: metrics.countDelivery,
    onAccepted: (accepted) => {
      probot.receive(accepted);
      if (accepted.sweeps.length > 0) void queues.sweep.announce(accepted.sweeps);
    },
    log,
    clock,
  });
  const { host, port, metricsPort, adminToken: token } = environment;
  const pages = { readiness, log };
  const main = createServer({
    ...{ ...pages, edge, admin: createAdmin(environment, deps) },
    operators: { access: { token }, metrics: metrics.render },
  });
  const local = createServer({ ...pages, operators: { access: 'all', metrics: metrics.render } });
  return {
    listen: async () => ({
      port: await main.listen({ host, port }),
      ...(metricsPort === null ? {} : { metricsPort: await local.listen({ host: LOOPBACK, port: metricsPort }) }),
    }),
    close: async (graceMs) => {
      await Promise.all([main.close(graceMs), local.close(graceMs)]);
    },
  };
}
