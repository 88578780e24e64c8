import { randomUUID } from 'node:crypto';
import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { Log } from '../../ports/log.ts';
import type { Transport } from '../../ports/queue.ts';
import { createOutageLog, type OutageLog } from './create-outage-log.ts';
import { settlesWithin } from './timer.ts';

/** Where announced keys travel. */
export interface BullmqTransportOptions {
  readonly redisUrl: string;
  /** Must not contain `:`. */
  readonly queueName: string;
  /** Prefix of all keys in Redis. */
  readonly prefix: string;
  readonly log: Log;
  /** How long one announcement may take; default 1,000. */
  readonly announceTimeoutMs?: number;
  /** How long each part of `close` may take; default 2,000. */
  readonly closeTimeoutMs?: number;
}

/** Redis could not take an announcement; the key stays in the database. */
export class AnnounceError extends Error {
  readonly code = 'ANNOUNCE_FAILED';
}

/** A job whose lock was not renewed for this long goes to a worker again. BullMQ renews at half of it. */
const lockMs = 15_000;
const stalledCheckMs = 5_000;
/** Pause before the worker asks for jobs again after a lost connection. */
const runRetryMs = 1_000;

/**
 * Carries keys through BullMQ as immediate jobs: one active and at most one waiting per key (`keepLastIfActive`). The
 * rows hold delays and retries. Deduplication ids are unique to this process, so a job that a killed process left
 * active cannot block its key. Every wait for Redis has a timeout, and nothing fails because Redis is down.
 */
export function createBullmqTransport(options: BullmqTransportOptions): Transport {
  const { queueName, prefix } = options;
  const announceTimeoutMs = options.announceTimeoutMs ?? 1_000;
  const closeTimeoutMs = options.closeTimeoutMs ?? 2_000;
  const outage = createOutageLog(options.log.child({ transport: queueName }), {
    start: 'Redis fails, the queue goes on without it',
    end: 'Redis works again',
  });
  const processId = randomUUID();
  const producer = connect(options.redisUrl, { keepsCommands: false });
  producer.on('error', outage.noteFailure);
  producer.on('ready', outage.noteSuccess);
  const queue = createJobQueue(queueName, prefix, producer);
  queue.on('error', outage.noteFailure);
  const isProducerReady = createReadinessCheck(producer, announceTimeoutMs);
  let consumption: Consumption | null = null;

  async function announce(key: string): Promise<void> {
    if (!(await isProducerReady())) throw new AnnounceError('Redis is not connected');
    // BullMQ joins its own names with `:`.
    const id = `${processId}.${encodeURIComponent(key)}`;
    const added = queue.add('wake', { key }, { deduplication: { id, keepLastIfActive: true } });
    if (await settlesWithin(added, announceTimeoutMs)) {
      await added;
      return;
    }
    // The reconnect drops unanswered commands. Otherwise they would pile up.
    producer.disconnect(true);
    throw new AnnounceError('Redis did not answer in time');
  }

  return {
    announce,
    consume: async (onKey, concurrency) => {
      const connection = connect(options.redisUrl, { keepsCommands: true });
      consumption = {
        connection,
        worker: createKeyWorker({ queueName, prefix, connection, concurrency, onKey, outage }),
      };
    },
    close: async () => {
      if (consumption !== null) await closeConsumption(consumption, closeTimeoutMs);
      await settlesWithin(queue.close(), closeTimeoutMs);
      producer.disconnect();
    },
  };
}

interface Consumption {
  readonly connection: Redis;
  readonly worker: Worker;
}

/** `keepsCommands`: commands sent while Redis is away wait for the connection. Otherwise they fail. */
function connect(redisUrl: string, { keepsCommands }: { readonly keepsCommands: boolean }): Redis {
  return new Redis(redisUrl, {
    // BullMQ requires this for a worker's connection.
    maxRetriesPerRequest: null,
    connectTimeout: 5_000,
    retryStrategy: (times) => Math.min(50 * 2 ** times, 2_000),
    enableOfflineQueue: keepsCommands,
    autoResendUnfulfilledCommands: keepsCommands,
  });
}

function createJobQueue(queueName: string, prefix: string, connection: Redis): Queue {
  return new Queue(queueName, {
    connection,
    prefix,
    // With the version check, a Redis that is down at the start would break the queue for good.
    ...{ skipVersionCheck: true, skipWaitingForReady: true, skipMetasUpdate: true },
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
    streams: { events: { maxLen: 100 } },
  });
}

interface KeyWorkerOptions extends Pick<BullmqTransportOptions, 'queueName' | 'prefix'> {
  readonly connection: Redis;
  readonly concurrency: number;
  readonly onKey: (key: string) => Promise<void>;
  readonly outage: OutageLog;
}

function createKeyWorker({ queueName, prefix, connection, concurrency, onKey, outage }: KeyWorkerOptions): Worker {
  const serveJob = async (job: Job<unknown>): Promise<void> => {
    const key = parseJobKey(job.data);
    if (key !== null) await onKey(key);
  };
  const worker = new Worker(queueName, serveJob, {
    ...{ connection, prefix, concurrency },
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
    ...{ lockDuration: lockMs, stalledInterval: stalledCheckMs, runRetryDelay: runRetryMs },
  });
  connection.on('error', outage.noteFailure);
  connection.on('ready', outage.noteSuccess);
  worker.on('error', outage.noteFailure);
  worker.on('completed', outage.noteSuccess);
  return worker;
}

/** The key of a job, or null for data that is not ours. Redis is not a trusted store. */
function parseJobKey(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('key' in data)) return null;
  return typeof data.key === 'string' ? data.key : null;
}

/** Returns whether the connection can take a command. While it is connecting, all callers share one wait. */
function createReadinessCheck(connection: Redis, timeoutMs: number): () => Promise<boolean> {
  let pending: Promise<boolean> | null = null;

  async function waitUntilDecided(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const settle = (): void => resolve(undefined);
    connection.once('ready', settle).once('close', settle);
    await settlesWithin(promise, timeoutMs);
    connection.off('ready', settle).off('close', settle);
    pending = null;
    return isReady(connection);
  }

  return async () => {
    const isConnecting = connection.status === 'connecting' || connection.status === 'connect';
    return isConnecting ? (pending ??= waitUntilDecided()) : isReady(connection);
  };
}

function isReady(connection: Redis): boolean {
  return connection.status === 'ready';
}

/** Gives the worker time to finish its jobs, then disconnects it. Without Redis the worker would wait forever. */
async function closeConsumption({ worker, connection }: Consumption, timeoutMs: number): Promise<void> {
  if (isReady(connection)) await settlesWithin(worker.pause(), timeoutMs);
  await settlesWithin(worker.close(true), timeoutMs);
  connection.disconnect();
}
