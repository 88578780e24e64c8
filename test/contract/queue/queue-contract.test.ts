import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBullmqTransport } from '../../../src/adapters/queue/create-bullmq-transport.ts';
import { createEmbeddedTransport } from '../../../src/adapters/queue/create-embedded-transport.ts';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { InvariantError } from '../../../src/core/model/errors.ts';
import type { RunKey, RunResult, Transport } from '../../../src/ports/queue.ts';
import type { Store } from '../../../src/ports/store.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { memoryStore, recordingLog, temporaryFolder } from '../../support/store.ts';
import {
  type Bench,
  createBench,
  createGate,
  createManualTime,
  createRecorder,
  type ManualTime,
  nothingMore,
  type Recorder,
  recordedRun,
  type TransportUnderTest,
} from './harness.ts';

const child = fileURLToPath(new URL('children/run-until-killed.ts', import.meta.url));

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

const embedded: TransportUnderTest = { name: 'embedded', create: () => createEmbeddedTransport() };
/** A key that cannot be announced in time waits for a timer, which most of these tests move by hand: 10 s even on a busy machine. */
const bullmq: TransportUnderTest = { name: 'BullMQ', create: (name) => createBullmq(name, 10_000) };
const impatientBullmq: TransportUnderTest = { name: 'BullMQ', create: (name) => createBullmq(name, 300) };

function createBullmq(name: string, announceTimeoutMs: number): Transport {
  const log = recordingLog().log;
  return createBullmqTransport({
    ...{ redisUrl: redis.url, queueName: name, prefix: 'test', log },
    ...{ announceTimeoutMs, closeTimeoutMs: 500 },
  });
}

let store: Store;
let queueName = '';
let bench: Bench;
let recorder: Recorder;
let tests = 0;

function prepare(under: TransportUnderTest): void {
  tests += 1;
  queueName = `contract-${String(tests)}`;
  store = memoryStore();
  bench = createBench(store, under, queueName);
  recorder = createRecorder();
}

afterEach(async () => {
  await bench.stopAll();
  store.close();
});

const keys = Array.from({ length: 10 }, (_, nth) => `10${String(nth)}#7`);

/** The transport may still be answering the scan that announced the last run: the timer is set after that. */
async function advanceOnceSet(time: ManualTime, delayMs: number): Promise<void> {
  while (!time.pendingMs().includes(delayMs)) await nextTurn();
  time.advance(delayMs);
}

describe.each([embedded, bullmq])('a queue over the $name transport', (under) => {
  beforeEach(() => prepare(under));

  it('runs a woken key once', async () => {
    const queue = bench.queue();
    await queue.start(recordedRun(recorder));

    await queue.wake('k');
    await recorder.until(() => recorder.isIn('ended', 'k'));
    await queue.stop(1_000);

    expect(recorder.count('started')).toBe(1);
    expect(store.dueWakeups('q', Date.now(), 10)).toEqual([]);
    expect(bench.lines).toEqual([]);
  });

  it('in a storm never has two runs of one key, and runs every key after its last wake-up (002.R1, CARD.R5, traps 71 and 132)', async () => {
    const concurrency = 8;
    const active = new Map<string, number>();
    let most = 0;
    const work = async (key: string): Promise<typeof nothingMore> => {
      active.set(key, (active.get(key) ?? 0) + 1);
      expect(active.get(key)).toBe(1);
      most = Math.max(most, active.size);
      for (let turn = 0; turn < 3; turn += 1) await nextTurn();
      active.delete(key);
      return nothingMore;
    };
    const queue = bench.queue({ concurrency });
    await queue.start(recordedRun(recorder, work));

    for (let nth = 0; nth < 1_000; nth += 1) {
      const key = keys[(nth * 7) % keys.length] ?? '';
      recorder.note('woken', key);
      const woken = queue.wake(key);
      if (nth % 20 === 0) await woken;
    }
    const isCovered = (key: string): boolean =>
      recorder.lastIndex('started', key) > recorder.lastIndex('woken', key) &&
      recorder.lastIndex('ended', key) > recorder.lastIndex('started', key);
    await recorder.until(() => keys.every(isCovered));
    await queue.stop(1_000);

    expect(most).toBeLessThanOrEqual(concurrency);
    expect(recorder.count('started')).toBeLessThan(1_000);
    expect(bench.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('runs a key again that is woken during its run (trap 132)', async () => {
    const gate = createGate();
    const queue = bench.queue();
    await queue.start(recordedRun(recorder, async () => gate.opened.then(() => nothingMore)));
    await queue.wake('k');
    await recorder.until(() => recorder.isIn('started', 'k'));

    await queue.wake('k');
    recorder.note('woken', 'k');
    gate.open();

    await recorder.until(() => recorder.count('ended', 'k') === 2);
    expect(recorder.all.map(({ kind }) => kind)).toEqual(['started', 'woken', 'ended', 'started', 'ended']);
  });

  it.each([
    { what: 'that became dirty during its run although nobody announced it', nextCheckAt: null, isMarked: true },
    { what: 'whose run asks for a check that has come already', nextCheckAt: 1, isMarked: false },
  ])('runs a key again at once $what', async ({ nextCheckAt, isMarked }) => {
    const gate = createGate();
    const queue = bench.queue();
    const work = async (): Promise<RunResult> => {
      await gate.opened;
      return recorder.count('started', 'k') === 1 ? { nextCheckAt } : nothingMore;
    };
    await queue.start(recordedRun(recorder, work));
    await queue.wake('k');
    await recorder.until(() => recorder.isIn('started', 'k'));

    if (isMarked) store.markWakeup('q', 'k', null);
    gate.open();

    await recorder.until(() => recorder.count('ended', 'k') === 2);
  });

  it('runs what the caller stored and only announced', async () => {
    const queue = bench.queue();
    await queue.start(recordedRun(recorder));

    store.markWakeup('q', 'k', null);
    await queue.announce(['k', 'never stored']);
    await recorder.until(() => recorder.isIn('ended', 'k'));

    expect(recorder.isIn('started', 'never stored')).toBe(false);
  });

  it('finds what was stored and never announced', async () => {
    const queue = bench.queue({ safetyScanMs: 20 });
    await queue.start(recordedRun(recorder));

    store.markWakeup('q', 'k', null);

    await recorder.until(() => recorder.isIn('ended', 'k'));
  });

  it('finds it in time although other runs end all the while', async () => {
    const time = createManualTime();
    const queue = bench.queue({ ...time, safetyScanMs: 5_000 });
    await queue.start(recordedRun(recorder));
    store.markWakeup('q', 'forgotten', null);

    for (let nth = 1; nth <= 5; nth += 1) {
      await queue.wake('busy');
      await recorder.until(() => recorder.count('ended', 'busy') === nth);
      await nextTurn();
      expect(recorder.isIn('started', 'forgotten')).toBe(false);
      time.advance(1_000);
    }

    await recorder.until(() => recorder.isIn('ended', 'forgotten'));
  });

  it('serves a backlog that is larger than one scan without waiting for the next', async () => {
    for (let nth = 0; nth < 40; nth += 1) store.markWakeup('q', `k${String(nth)}`, null);
    const queue = bench.queue({ scanBatchSize: 8 });

    await queue.start(recordedRun(recorder));

    await recorder.until(() => recorder.count('ended') === 40);
  });

  it('has at most as many runs at once as it may (002.R30)', async () => {
    const gate = createGate();
    const queue = bench.queue({ concurrency: 3 });
    await queue.start(recordedRun(recorder, async () => gate.opened.then(() => nothingMore)));
    for (const key of keys) await queue.wake(key);
    await recorder.until(() => recorder.count('started') === 3);
    // Several scans announce the waiting keys again meanwhile.
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();

    expect(recorder.count('started')).toBe(3);
    gate.open();
    await recorder.until(() => recorder.count('ended') === keys.length);
  });

  it('runs a key at its next check, from one timer (002.R35)', async () => {
    const time = createManualTime();
    const queue = bench.queue({ ...time });
    await queue.start(recordedRun(recorder));

    await queue.wake('later', time.clock.now() + 5_000);
    await queue.wake('soon', time.clock.now() + 3_000);
    expect(time.pendingMs()).toEqual([3_000]);
    time.advance(2_999);
    expect(recorder.all).toEqual([]);

    time.advance(1);
    await recorder.until(() => recorder.isIn('ended', 'soon'));
    time.advance(2_000);
    await recorder.until(() => recorder.isIn('ended', 'later'));
    expect(recorder.count('started')).toBe(2);
  });

  it('lets a key rest between runs: a storm is one run a rest, and what came last is never lost (trap 46)', async () => {
    const time = createManualTime();
    const queue = bench.queue({ ...time, restMs: { initial: 100, max: 300 } });
    const runs = async (count: number): Promise<void> => recorder.until(() => recorder.count('ended', 'k') === count);
    await queue.start(recordedRun(recorder));
    await queue.wake('k');
    await runs(1);

    for (const [nth, restMs] of [100, 200, 300, 300].entries()) {
      for (let event = 0; event < 20; event += 1) await queue.wake('k');
      await queue.wake('other');
      await recorder.until(() => recorder.isIn('ended', 'other'));
      time.advance(restMs - 1);
      expect(recorder.count('started', 'k')).toBe(nth + 1);
      time.advance(1);
      await runs(nth + 2);
    }

    expect(store.dueWakeups('q', time.clock.now(), 10)).not.toContain('k');
  });

  it('lets a wake-up overtake a next check', async () => {
    const time = createManualTime();
    const queue = bench.queue({ ...time });
    await queue.start(recordedRun(recorder));
    await queue.wake('k', time.clock.now() + 50_000);

    await queue.wake('k');

    await recorder.until(() => recorder.isIn('ended', 'k'));
    await queue.stop(1_000);
    expect(store.nextWakeupAt('q')).toBeNull();
  });

  it('tries a failing run again after a growing delay, and forgets the failures after a success (traps 126 and 134)', async () => {
    const time = createManualTime();
    const results = ['fail', 'fail', 'fail', 'fail', 'succeed', 'fail'];
    const work = async (): Promise<typeof nothingMore> => {
      if (results.shift() === 'fail') throw new Error('no luck');
      return nothingMore;
    };
    const backoff = { retryBackoffMs: { initial: 100, max: 400 }, random: () => 1 };
    const queue = bench.queue({ ...time, ...backoff });
    await queue.start(recordedRun(recorder, work));
    await queue.wake('k');

    const delays: (number | null)[] = [];
    for (let nth = 1; nth <= 6; nth += 1) {
      await recorder.until(() => recorder.count('ended', 'k') === nth);
      await nextTurn();
      const nextAt = store.nextWakeupAt('q');
      const delay = nextAt === null ? null : nextAt - time.clock.now();
      delays.push(delay);
      if (delay === null) {
        await queue.wake('k');
        continue;
      }
      await advanceOnceSet(time, delay);
    }

    expect(delays).toEqual([100, 200, 400, 400, null, 100]);
    expect(bench.lines.filter(({ level }) => level === 'error')).toHaveLength(5);
  });

  it('tells a run whether time alone has called it: not where something woke it, and not after a failure', async () => {
    const time = createManualTime();
    const seen: boolean[] = [];
    const work = ['check', 'fail', 'check', 'end'];
    const queue = bench.queue({ ...time, retryBackoffMs: { initial: 100, max: 400 }, random: () => 1 });
    const run: RunKey = async (_key, { isTimed }) => {
      seen.push(isTimed);
      const what = work.shift();
      if (what === 'fail') throw new Error('no luck');
      return what === 'check' ? { nextCheckAt: time.clock.now() + 1_000 } : nothingMore;
    };
    await queue.start(recordedRun(recorder, async (key, lease) => run(key, lease)));
    await queue.wake('k');
    for (let nth = 1; nth <= 3; nth += 1) {
      await recorder.until(() => recorder.count('ended', 'k') === nth);
      await nextTurn();
      await advanceOnceSet(time, (store.nextWakeupAt('q') ?? 0) - time.clock.now());
    }
    await recorder.until(() => recorder.count('ended', 'k') === 4);

    expect(seen).toEqual([false, true, false, true]);
  });

  it('aborts a run whose lease was lost, and takes nothing from the one that has it now (trap 119)', async () => {
    const time = createManualTime();
    const gate = createGate();
    const queue = bench.queue({ ...time, leaseMs: 3_000 });
    await queue.start(recordedRun(recorder, async () => gate.opened.then(() => ({ nextCheckAt: 1 }))));
    await queue.wake('k');
    await recorder.until(() => recorder.isIn('started', 'k'));
    // As if this process had slept through its lease and another one had taken the key.
    const other = store.claimWakeup('q', 'k', time.clock.now() + 3_000, 60_000) ?? '';

    time.advance(1_000);
    expect(recorder.isIn('aborted', 'k')).toBe(true);
    gate.open();
    await recorder.until(() => recorder.isIn('ended', 'k'));
    await queue.stop(1_000);

    expect(store.holdsLease('q', 'k', other)).toBe(true);
    expect(store.finishWakeup('q', 'k', other, null)).toEqual({ dirty: false });
    expect(store.nextWakeupAt('q')).toBeNull();
  });

  it('keeps the lease of a long run (trap 23)', async () => {
    const time = createManualTime();
    const gate = createGate();
    const queue = bench.queue({ ...time, leaseMs: 3_000 });
    await queue.start(recordedRun(recorder, async () => gate.opened.then(() => nothingMore)));
    await queue.wake('k');
    await recorder.until(() => recorder.isIn('started', 'k'));

    for (let nth = 0; nth < 10; nth += 1) time.advance(1_000);
    expect(store.claimWakeup('q', 'k', time.clock.now(), 1)).toBeNull();
    gate.open();
    await recorder.until(() => recorder.isIn('ended', 'k'));

    expect(recorder.isIn('aborted', 'k')).toBe(false);
  });

  it('aborts a run when the database cannot be reached for a whole lease', async () => {
    const time = createManualTime();
    const broken: Store = {
      ...store,
      renewLease: () => {
        throw new Error('disk is gone');
      },
    };
    const gate = createGate();
    const queue = bench.queue({ ...time, store: broken, leaseMs: 3_000 });
    await queue.start(recordedRun(recorder, async () => gate.opened.then(() => nothingMore)));
    await queue.wake('k');
    await recorder.until(() => recorder.isIn('started', 'k'));

    time.advance(1_000);
    time.advance(1_000);
    expect(recorder.isIn('aborted', 'k')).toBe(false);
    time.advance(1_000);
    expect(recorder.isIn('aborted', 'k')).toBe(true);
    gate.open();
  });

  it('comes back to a key that the database did not let it claim', async () => {
    let failures = 2;
    const flaky: Store = {
      ...store,
      claimWakeup: (...args) => {
        failures -= 1;
        if (failures >= 0) throw new Error('database is locked');
        return store.claimWakeup(...args);
      },
    };
    const queue = bench.queue({ store: flaky, safetyScanMs: 20 });
    await queue.start(recordedRun(recorder));

    await queue.wake('k');

    await recorder.until(() => recorder.isIn('ended', 'k'));
  });

  it('tells its caller when the wake-up could not be stored', async () => {
    const broken: Store = {
      ...store,
      markWakeup: () => {
        throw new Error('disk is full');
      },
    };
    const queue = bench.queue({ store: broken });

    await expect(queue.wake('k')).rejects.toThrow('disk is full');
  });

  it('takes up what an abandoned queue was running, and fences it', async () => {
    const gate = createGate();
    const abandoned = bench.queue({ leaseMs: 60 });
    const old = createRecorder();
    await abandoned.start(recordedRun(old, async () => gate.opened.then(() => nothingMore)));
    await abandoned.wake('k');
    await old.until(() => old.isIn('started', 'k'));

    // Both take jobs from one Redis here, so that the abandoned one may catch what is announced: announce it again soon.
    await bench.queue({ safetyScanMs: 20 }).start(recordedRun(recorder));

    await recorder.until(() => recorder.isIn('ended', 'k'));
    await old.until(() => old.isIn('aborted', 'k'));
    gate.open();
    await old.until(() => old.isIn('ended', 'k'));
    expect(recorder.count('started', 'k')).toBe(1);
  });

  it('takes up what a killed process was running', async () => {
    const folder = temporaryFolder();
    const path = join(folder.path, 'ratchet.db');
    const url = under === bullmq ? redis.url : '';
    const killed = spawn(process.execPath, [child, path, queueName, url], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(killed.stdout, 'data');
    killed.kill('SIGKILL');
    await once(killed, 'exit');

    const left = createStore({ path });
    const queue = bench.queue({ store: left });
    await queue.start(recordedRun(recorder));

    await recorder.until(() => recorder.isIn('ended', 'k'));
    await queue.stop(1_000);
    left.close();
    folder.remove();
  });

  it('lets its runs end when it stops, and begins no other', async () => {
    const gate = createGate();
    const queue = bench.queue({ concurrency: 1 });
    await queue.start(recordedRun(recorder, async () => gate.opened.then(() => nothingMore)));
    await queue.wake('a');
    await recorder.until(() => recorder.isIn('started', 'a'));
    await queue.wake('b');

    const stopped = queue.stop(5_000);
    expect(queue.stop(0)).toBe(stopped);
    await queue.wake('c');
    gate.open();
    await stopped;

    expect(recorder.all.map(({ kind, key }) => `${kind} ${key}`)).toEqual(['started a', 'ended a']);
    expect([...store.dueWakeups('q', Date.now(), 10)].toSorted()).toEqual(['b', 'c']);
  });

  it('aborts the runs that outlive its grace time; their keys are due at the next start', async () => {
    const queue = bench.queue();
    const untilAborted = async (_key: string, { signal }: { readonly signal: AbortSignal }): Promise<never> => {
      await once(signal, 'abort');
      throw new Error('interrupted');
    };
    await queue.start(recordedRun(recorder, untilAborted));
    await queue.wake('k');
    await recorder.until(() => recorder.isIn('started', 'k'));

    await queue.stop(0);

    expect(recorder.all.map(({ kind }) => kind)).toEqual(['started', 'aborted', 'ended']);
    expect(store.dueWakeups('q', Date.now(), 10)).toEqual(['k']);
  });

  it('does not wait for ever for a run that ignores its abort', async () => {
    const queue = bench.queue({ abortWaitMs: 10 });
    await queue.start(recordedRun(recorder, () => new Promise(() => undefined)));
    await queue.wake('k');
    await recorder.until(() => recorder.isIn('started', 'k'));

    await queue.stop(0);

    expect(bench.lines).toMatchObject([
      { level: 'info', fields: { runs: 1 }, message: 'runs are ended' },
      { level: 'error', fields: { keys: 'k' } },
    ]);
  });

  it('is started once', async () => {
    const queue = bench.queue();
    await queue.start(recordedRun(recorder));

    await expect(queue.start(recordedRun(recorder))).rejects.toThrow(InvariantError);
  });
});

describe('a queue over Redis that fails', () => {
  beforeEach(() => prepare(impatientBullmq));
  const safetyScanMs = 50;

  /** Two keys wait behind one that runs when `harm` is done to Redis; all the same each runs. */
  async function surviveWhileWaiting(harm: () => Promise<void>): Promise<void> {
    const gate = createGate();
    const queue = bench.queue({ concurrency: 1, safetyScanMs });
    await queue.start(recordedRun(recorder, async () => gate.opened.then(() => nothingMore)));
    await queue.wake('a');
    await recorder.until(() => recorder.isIn('started', 'a'));
    await queue.wake('b');
    await queue.wake('c');
    await queue.wake('a');

    await harm();
    gate.open();

    await recorder.until(() => recorder.isIn('ended', 'b') && recorder.isIn('ended', 'c'));
    await recorder.until(() => recorder.count('ended', 'a') === 2);
    await queue.stop(1_000);
    expect(store.dueWakeups('q', Date.now(), 10)).toEqual([]);
  }

  it('loses nothing when Redis is flushed', () => surviveWhileWaiting(redis.flushAll));

  it('loses nothing when Redis is killed and comes back empty', () => surviveWhileWaiting(redis.restart));

  it('stores a wake-up while Redis is down, without waiting for it, and runs it once it is back', async () => {
    const queue = bench.queue({ safetyScanMs });
    await queue.start(recordedRun(recorder));
    await queue.wake('before');
    await recorder.until(() => recorder.isIn('ended', 'before'));

    await redis.kill();
    // Redis comes back only after this: a wake-up that waited for it would never end.
    for (const key of keys) await queue.wake(key);
    expect(store.dueWakeups('q', Date.now(), 20)).toHaveLength(keys.length);
    expect(recorder.count('started')).toBe(1);

    await redis.restart();
    await recorder.until(() => keys.every((key) => recorder.isIn('ended', key)));
    await queue.stop(1_000);
    const warnings = bench.lines.filter(({ level }) => level === 'warn');
    expect(warnings).toHaveLength(1);
  });

  it('does not wait for a Redis that does not answer', async () => {
    const queue = bench.queue({ safetyScanMs });
    await queue.start(recordedRun(recorder));
    await queue.wake('before');
    await recorder.until(() => recorder.isIn('ended', 'before'));

    redis.freeze();
    // As above: Redis answers only after this.
    await queue.wake('k');
    redis.thaw();

    await recorder.until(() => recorder.isIn('ended', 'k'));
  });

  it('starts and stops while Redis is down, and serves what it stored when Redis is there', async () => {
    await redis.kill();
    const early = bench.queue({ safetyScanMs });
    await early.start(recordedRun(recorder));
    await early.wake('k');
    await early.stop(100);
    expect(recorder.all).toEqual([]);

    const late = bench.queue({ safetyScanMs });
    await late.start(recordedRun(recorder));
    await redis.restart();

    await recorder.until(() => recorder.isIn('ended', 'k'));
  });
});
