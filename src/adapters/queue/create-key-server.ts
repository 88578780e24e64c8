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
    active.delete(key);
    const isDirty = finish(deps, { key, leaseId, nextCheckAt });
    deps.rest.begin(key);
    const isCheckDue = nextCheckAt !== null && nextCheckAt <= deps.clock.now();
    if (!isStopping) await deps.onEnded(key, isDirty || isCheckDue);
  }

  return {
    serve: async (key) => {
      // An active run blocks its key even if its lease expired. Its end announces the key if it became dirty.
      if (isStopping || active.has(key) || deps.rest.defers(key)) return;
      const claimed = claim(deps, key);
      if (claimed === null) return;
      deps.rest.interrupt(key);
      const lease = keepLease({ ...deps, key, leaseId: claimed.leaseId });
      const ended = runClaimed(key, claimed, lease);
      active.set(key, { lease, ended });
      await ended;
    },
    stop: async (graceMs, abortWaitMs) => {
      isStopping = true;
      deps.rest.stop();
      const allEnded = Promise.all(Array.from(active.values(), ({ ended }) => ended));
      if (await settlesWithin(allEnded, graceMs)) return;
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

function claim({ store, queue, clock, leaseMs, log, backoff }: KeyServerDeps, key: string): Claim | null {
  try {
    // What woke a run that failed was cleared by its end, and the next run still owes it a fresh look.
    const isTimed = !store.isWoken(queue, key) && !backoff.isFailing(key);
    const leaseId = store.claimWakeup(queue, key, clock.now(), leaseMs);
    return leaseId === null ? null : { leaseId, isTimed };
  } catch (error) {
    log.error({ key, error: toError(error) }, 'key could not be claimed');
    return null;
  }
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
function finish(
  { store, queue, log }: KeyServerDeps,
  { key, leaseId, nextCheckAt }: Pick<ClaimedKey, 'key' | 'leaseId'> & RunResult,
): boolean {
  try {
    return store.finishWakeup(queue, key, leaseId, nextCheckAt).dirty;
  } catch (error) {
    // The lease expires, then the key runs again.
    log.error({ key, error: toError(error) }, 'end of a run could not be stored');
    return false;
  }
}
