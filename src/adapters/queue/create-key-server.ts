import { toError } from '../../core/model/errors.ts';
import type { EpochMs } from '../../core/model/ids.ts';
import type { RunKey, RunResult } from '../../ports/queue.ts';
import type { KeyRest } from './create-key-rest.ts';
import type { RetryBackoff } from './create-retry-backoff.ts';
import { type KeptLease, keepLease } from './keep-lease.ts';
import type { QueueContext } from './queue-context.ts';
import { settlesWithin } from './timer.ts';

/** Dependencies of the key server. */
export interface KeyServerDeps extends QueueContext {
  readonly run: RunKey;
  readonly leaseMs: number;
  readonly backoff: RetryBackoff;
  readonly rest: KeyRest;
  /** Called when the end of a run is stored. `isDue`: the key has to run again at once. Never rejects. */
  readonly onEnded: (key: string, isDue: boolean) => Promise<void>;
}

/** Serves announced keys: claim, run, finish. */
export interface KeyServer {
  /** Never rejects. After a failure the row stays as it is, and the scan finds it again. */
  readonly serve: (key: string) => Promise<void>;
  /**
   * Starts no more runs, waits `graceMs` for the active ones, aborts them and waits `abortWaitMs` more. Runs that are
   * still active then are left behind; the next start frees their leases.
   */
  readonly stop: (graceMs: number, abortWaitMs: number) => Promise<void>;
}

interface ActiveRun {
  readonly lease: KeptLease;
  readonly ended: Promise<void>;
}

/** Creates a server. It can serve at once. */
export function createKeyServer(deps: KeyServerDeps): KeyServer {
  const active = new Map<string, ActiveRun>();
  let isStopping = false;

  async function runClaimed(key: string, { leaseId, isTimed }: Claim, lease: KeptLease): Promise<void> {
    // In a later microtask: `active` must hold the run before any of its code executes.
    await Promise.resolve();
    const nextCheckAt = await runToNextCheck(deps, { key, leaseId, isTimed, signal: lease.signal }, () => isStopping);
    lease.release();
    const isDirty = await finish(deps, { key, leaseId, nextCheckAt }, () => active.delete(key));
    deps.rest.begin(key);
    const isCheckDue = nextCheckAt !== null && nextCheckAt <= deps.clock.now();
    if (!isStopping) await deps.onEnded(key, isDirty || isCheckDue);
  }

  /** Claims the key and starts its run. null: it is not due, or runs, or must not run now. */
  function begin(key: string): ActiveRun | null {
    // An active run blocks its key even if its lease expired. Its end announces the key if it became dirty.
    if (isStopping || active.has(key) || deps.rest.defers(key)) return null;
    const claimed = claim(deps, key);
    if (claimed === null) return null;
    deps.rest.interrupt(key);
    const lease = keepLease({ ...deps, key, leaseId: claimed.leaseId });
    const run = { lease, ended: runClaimed(key, claimed, lease) };
    active.set(key, run);
    return run;
  }

  return {
    serve: async (key) => {
      try {
        await (await deps.store.onceWritable(() => begin(key), deps.leaseMs / 2))?.ended;
      } catch (error) {
        deps.log.error({ key, error: toError(error) }, 'key could not be claimed');
      }
    },
    stop: async (graceMs, abortWaitMs) => {
      isStopping = true;
      deps.rest.stop();
      const allEnded = Promise.all(Array.from(active.values(), ({ ended }) => ended));
      if (await settlesWithin(allEnded, graceMs)) return;
      deps.log.info({ runs: active.size }, 'runs are ended');
      for (const { lease } of active.values()) lease.abort('the queue is stopping');
      if (await settlesWithin(allEnded, abortWaitMs)) return;
      const keys = Array.from(active.keys()).join(' ').slice(0, 500);
      deps.log.error({ keys }, 'runs ignored their abort signal and were left behind');
    },
  };
}

interface Claim {
  readonly leaseId: string;
  readonly isTimed: boolean;
}

function claim({ store, queue, clock, leaseMs, backoff }: KeyServerDeps, key: string): Claim | null {
  // What woke a run that failed was cleared by its end, and the next run still owes it a fresh look.
  const isTimed = !store.isWoken(queue, key) && !backoff.isFailing(key);
  const leaseId = store.claimWakeup(queue, key, clock.now(), leaseMs);
  return leaseId === null ? null : { leaseId, isTimed };
}

interface ClaimedKey extends Claim {
  readonly key: string;
  readonly signal: AbortSignal;
}

async function runToNextCheck(
  { run, clock, backoff, log }: KeyServerDeps,
  { key, ...lease }: ClaimedKey,
  isStopping: () => boolean,
): Promise<EpochMs | null> {
  try {
    const { nextCheckAt } = await run(key, lease);
    backoff.clear(key);
    return nextCheckAt;
  } catch (error) {
    // Aborted by `stop`. The key did not fail, so it is due at once for the next process.
    if (isStopping() && lease.signal.aborted) return clock.now();
    const delayMs = backoff.nextDelayMs(key);
    log.error({ key, delayMs, error: toError(error) }, 'run failed and is tried again after a delay');
    return clock.now() + delayMs;
  }
}

/** Returns whether the key became dirty during the run. */
async function finish(
  { store, queue, log, leaseMs }: KeyServerDeps,
  { key, leaseId, nextCheckAt }: Pick<ClaimedKey, 'key' | 'leaseId'> & RunResult,
  onFinished: () => void,
): Promise<boolean> {
  const finishNow = (): boolean => {
    const { dirty } = store.finishWakeup(queue, key, leaseId, nextCheckAt);
    onFinished();
    return dirty;
  };
  try {
    return await store.onceWritable(finishNow, leaseMs / 2);
  } catch (error) {
    // The lease expires, then the key runs again.
    onFinished();
    log.error({ key, error: toError(error) }, 'end of a run could not be stored');
    return false;
  }
}
