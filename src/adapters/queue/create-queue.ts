import { InvariantError } from '../../core/model/errors.ts';
import type { Queue, RunKey, Transport } from '../../ports/queue.ts';
import { createAnnouncer } from './create-announcer.ts';
import { createDueScanner } from './create-due-scanner.ts';
import { createKeyRest, type RestMs } from './create-key-rest.ts';
import { createKeyServer, type KeyServer } from './create-key-server.ts';
import { createRetryBackoff, type RetryBackoffMs } from './create-retry-backoff.ts';
import type { QueueContext } from './queue-context.ts';
import { createUnrefTimer, type NewTimer } from './timer.ts';

/** Options of `createQueue`. */
export interface QueueOptions extends Pick<QueueContext, 'store' | 'clock' | 'log'> {
  /** Name of the queue in the rows of `store`. */
  readonly name: string;
  readonly transport: Transport;
  /** Most runs at a time. */
  readonly concurrency: number;
  /** Length of a lease. Leases are renewed every third of it. */
  readonly leaseMs: number;
  readonly retryBackoffMs: RetryBackoffMs;
  /** How long a key rests between two runs, so that not every event of a storm causes a run. Default: no rest. */
  readonly restMs?: RestMs;
  /** Longest time until a key that the transport lost is announced again; default 5,000. */
  readonly safetyScanMs?: number;
  /** Most keys that one scan announces; default 256. */
  readonly scanBatchSize?: number;
  /** How long `stop` waits for runs after aborting them; default 30,000. */
  readonly abortWaitMs?: number;
  /** Default: unref'd timers of the event loop. */
  readonly newTimer?: NewTimer;
  /** Only for jitter. Default: `Math.random`. */
  readonly random?: () => number;
}

const NO_REST: RestMs = { initial: 0, max: 0 };

/**
 * The queue over the rows of `store`: claim → run → finish → announce again if the key became dirty meanwhile. The
 * transport only carries hints. The scan of the rows finds the keys it loses, and the claim rejects the keys it
 * repeats.
 */
export function createQueue(options: QueueOptions): Queue {
  const { name, store, transport, clock, leaseMs } = options;
  const log = options.log.child({ queue: name });
  const newTimer = options.newTimer ?? createUnrefTimer;
  const shared = { store, queue: name, clock, newTimer, log };
  const announceAll = createAnnouncer(transport, log);
  let server: KeyServer | null = null;
  let stopping: Promise<void> | null = null;
  const announce = async (keys: readonly string[]): Promise<void> => {
    if (stopping === null) await announceAll(keys);
  };
  const safetyScanMs = options.safetyScanMs ?? 5_000;
  const scanner = createDueScanner({ ...shared, announce, safetyScanMs, batchSize: options.scanBatchSize ?? 256 });

  async function onEnded(key: string, isDue: boolean): Promise<void> {
    if (isDue) await announce([key]);
    scanner.noteRunEnded();
  }

  async function start(run: RunKey): Promise<void> {
    if (server !== null || stopping !== null) throw new InvariantError(`queue ${name} was started before`);
    const backoff = createRetryBackoff(options.retryBackoffMs, options.random ?? Math.random);
    const rest = createKeyRest({ restMs: options.restMs ?? NO_REST, newTimer, announce });
    server = createKeyServer({ ...shared, run, leaseMs, backoff, rest, onEnded });
    const freed = store.freeLeases(name);
    if (freed > 0) log.info({ freed }, 'runs that an earlier process left are taken up again');
    await transport.consume(server.serve, options.concurrency);
    await scanner.start();
  }

  async function stopServing(graceMs: number): Promise<void> {
    scanner.stop();
    await server?.stop(graceMs, options.abortWaitMs ?? 30_000);
    await transport.close();
  }

  return {
    wake: async (key, notBefore) => {
      const isDelayed = notBefore !== undefined && notBefore > clock.now();
      store.markWakeup(name, key, isDelayed ? notBefore : null);
      if (isDelayed) scanner.rearm();
      else await announce([key]);
    },
    announce,
    start,
    stop: (graceMs) => (stopping ??= stopServing(graceMs)),
  };
}
