import { createQueue, type QueueOptions } from '../../../src/adapters/queue/create-queue.ts';
import type { NewTimer } from '../../../src/adapters/queue/timer.ts';
import type { Queue, RunKey, RunResult, Transport } from '../../../src/ports/queue.ts';
import type { Store } from '../../../src/ports/store.ts';
import { type LogLine, recordingLog } from '../../support/store.ts';

/** A transport under test; each call of `create` gives one more end of the same queue. */
export interface TransportUnderTest {
  readonly name: string;
  readonly create: (queueName: string) => Transport;
}

/** What happened, in one common order. */
export interface Happening {
  readonly kind: 'woken' | 'started' | 'ended' | 'aborted';
  readonly key: string;
}

/** Records what happens and lets a test wait for it. */
export interface Recorder {
  readonly all: readonly Happening[];
  readonly note: (kind: Happening['kind'], key: string) => void;
  /** Resolves as soon as `condition` holds; looks again after every happening. */
  readonly until: (condition: () => boolean) => Promise<void>;
  readonly count: (kind: Happening['kind'], key?: string) => number;
  readonly isIn: (kind: Happening['kind'], key: string) => boolean;
  readonly lastIndex: (kind: Happening['kind'], key: string) => number;
}

export function createRecorder(): Recorder {
  const all: Happening[] = [];
  let waiting: { readonly condition: () => boolean; readonly resolve: () => void }[] = [];
  const count = (kind: Happening['kind'], key?: string): number =>
    all.filter((one) => one.kind === kind && (key === undefined || one.key === key)).length;
  return {
    all,
    count,
    note: (kind, key) => {
      all.push({ kind, key });
      const met = waiting.filter(({ condition }) => condition());
      waiting = waiting.filter((waiter) => !met.includes(waiter));
      for (const { resolve } of met) resolve();
    },
    until: (condition) => {
      if (condition()) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ condition, resolve }));
    },
    isIn: (kind, key) => count(kind, key) > 0,
    lastIndex: (kind, key) => all.findLastIndex((one) => one.kind === kind && one.key === key),
  };
}

/** A run that records its start, its abort and its end around `work`. */
export function recordedRun(recorder: Recorder, work: RunKey = () => Promise.resolve(nothingMore)): RunKey {
  return async (key, lease) => {
    recorder.note('started', key);
    lease.signal.addEventListener('abort', () => recorder.note('aborted', key));
    try {
      return await work(key, lease);
    } finally {
      recorder.note('ended', key);
    }
  };
}

export const nothingMore: RunResult = { nextCheckAt: null };

/** A gate that runs wait at until it is opened. */
export function createGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return { opened: promise, open: () => resolve(undefined) };
}

/** Timers that fire when the test says so, over a clock that it sets. */
export interface ManualTime {
  readonly clock: { readonly now: () => number };
  readonly newTimer: NewTimer;
  /** Delays of the timers that are pending. */
  readonly pendingMs: () => readonly number[];
  /** Moves the clock and fires what is due by then, in order. */
  readonly advance: (ms: number) => void;
}

export function createManualTime(): ManualTime {
  let now = 1_000_000;
  let pending: { readonly at: number; readonly delayMs: number; readonly callback: () => void }[] = [];
  return {
    clock: { now: () => now },
    newTimer: (callback, delayMs) => {
      const timer = { at: now + delayMs, delayMs, callback };
      pending.push(timer);
      return {
        cancel: () => {
          pending = pending.filter((one) => one !== timer);
        },
      };
    },
    pendingMs: () => pending.map(({ delayMs }) => delayMs),
    advance: (ms) => {
      now += ms;
      const due = pending.filter(({ at }) => at <= now).toSorted((left, right) => left.at - right.at);
      pending = pending.filter(({ at }) => at > now);
      for (const { callback } of due) callback();
    },
  };
}

/** Builds queues over one store and stops them all at the end. */
export interface Bench {
  readonly queue: (fields?: Partial<QueueOptions>) => Queue;
  readonly lines: readonly LogLine[];
  readonly stopAll: () => Promise<void>;
}

export function createBench(store: Store, under: TransportUnderTest, queueName: string): Bench {
  const { log, lines } = recordingLog();
  const queues: Queue[] = [];
  return {
    lines,
    queue: (fields = {}) => {
      const queue = createQueue({
        ...{ name: 'q', store, transport: under.create(queueName), log },
        clock: { now: Date.now },
        concurrency: 8,
        leaseMs: 2_000,
        retryBackoffMs: { initial: 10, max: 1_000 },
        // Far away, so that no test passes by what the scan finds but those that are about it.
        safetyScanMs: 60_000,
        abortWaitMs: 500,
        ...fields,
      });
      queues.push(queue);
      return queue;
    },
    stopAll: async () => {
      await Promise.all(queues.map((queue) => queue.stop(0)));
    },
  };
}
