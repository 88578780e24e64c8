import { pingRedis } from '../adapters/queue/ping-redis.ts';
import { checkDisk, checkSandbox } from '../core/doctor/check-machine.ts';
import { checkGitHub, checkQueues, checkRedis, checkWritable, notYet } from '../core/doctor/check-service.ts';
import type { DoctorCheck } from '../core/doctor/doctor-check.ts';
import { GitHubError, toError } from '../core/model/errors.ts';
import { repeat } from '../pipeline/upkeep/repeat.ts';
import type { AppReader } from '../ports/app-reader.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Machine } from '../ports/machine.ts';
import type { Sites } from '../ports/site.ts';
import type { Store } from '../ports/store.ts';
import type { Readiness } from '../web/server.ts';

/** What the watch looks at. */
export interface WatchDeps {
  readonly store: Pick<Store, 'examine' | 'freeLeases' | 'onceWritable' | 'figures'>;
  readonly machine: Pick<Machine, 'readDisk'>;
  readonly app: Pick<AppReader, 'readApp'>;
  readonly sites: Pick<Sites, 'probe'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: (text: string) => string;
}

const EXAMINE_MS = 30_000;
const EXAMINE_TIMEOUT_MS = 60_000;
/** Starting a sandbox takes a second of the machine. */
const PROBE_MS = 300_000;
/** No queue has this name. */
const READINESS_QUEUE = 'none';
const WRITE_WAIT_MS = 1_500;

/**
 * Watches what the service depends on. GitHub, Redis and the sandbox are looked at by time, so that whoever asks causes nothing;
 * database, queue and disk when somebody asks. Only what lasts until a person acts makes the service not ready.
 */
export function watchReadiness(
  deps: WatchDeps,
  { dataDir, redisUrl }: { readonly dataDir: string; readonly redisUrl: string | null },
): { readonly read: () => Promise<Readiness>; readonly stop: () => void } {
  const seen = new Map<string, DoctorCheck>();
  const note = (check: DoctorCheck): void => void seen.set(check.name, check);
  const watched = ['sandbox', 'github', ...(redisUrl === null ? [] : ['redis'])];
  const services = repeat(deps.log, {
    ...{ everyMs: EXAMINE_MS, timeoutMs: EXAMINE_TIMEOUT_MS, failed: 'services could not be examined' },
    work: async (signal) => {
      note(await askGitHub(deps, signal));
      if (redisUrl !== null) note(await askRedis(redisUrl, signal));
    },
  });
  const sandbox = repeat(deps.log, {
    ...{ everyMs: PROBE_MS, timeoutMs: EXAMINE_TIMEOUT_MS, failed: 'the sandbox could not be examined' },
    work: async (signal) => note(checkSandbox(await deps.sites.probe(signal))),
  });
  return {
    read: async () => {
      const checks = [
        checkWritable(await findWriteProblem(deps)),
        await readQueues(deps),
        await readDisk(deps, dataDir),
        ...watched.map((name) => seen.get(name) ?? notYet(name)),
      ].map((check) => ({ ...check, detail: deps.redact(check.detail) }));
      return { isReady: checks.every(({ state }) => state !== 'fail'), checks };
    },
    stop: () => {
      services.stop();
      sandbox.stop();
    },
  };
}

async function findWriteProblem({ store }: Pick<WatchDeps, 'store'>): Promise<string | null> {
  const loss = await store.examine();
  if (loss !== null) return loss;
  try {
    // A write that changes nothing.
    await store.onceWritable(() => store.freeLeases(READINESS_QUEUE), WRITE_WAIT_MS);
    return null;
  } catch {
    return 'the database cannot be written';
  }
}

async function readQueues({ store, clock }: Pick<WatchDeps, 'store' | 'clock'>): Promise<DoctorCheck> {
  try {
    return checkQueues(store.figures(clock.now()).queues, clock.now());
  } catch {
    return { ...notYet('queue'), state: 'fail', detail: 'the database cannot be read' };
  }
}

async function readDisk({ machine }: Pick<WatchDeps, 'machine'>, dataDir: string): Promise<DoctorCheck> {
  try {
    return checkDisk(await machine.readDisk(dataDir));
  } catch (error) {
    return { ...notYet('disk'), state: 'fail', detail: toError(error).message };
  }
}

async function askGitHub({ app }: Pick<WatchDeps, 'app'>, signal: AbortSignal): Promise<DoctorCheck> {
  try {
    return checkGitHub(await app.readApp(signal));
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    return checkGitHub(error);
  }
}

async function askRedis(redisUrl: string, signal: AbortSignal): Promise<DoctorCheck> {
  return pingRedis(redisUrl, signal).then(
    () => checkRedis(null),
    (error: unknown) => checkRedis(toError(error).message),
  );
}
