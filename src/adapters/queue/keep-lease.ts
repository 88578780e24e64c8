import type { QueueContext } from './queue-context.ts';

/** The lease of one run, and what renewing it needs. */
export interface LeaseDeps extends QueueContext {
  readonly key: string;
  readonly leaseId: string;
  readonly leaseMs: number;
}

/** A lease that is renewed until `release`. */
export interface KeptLease {
  /** Aborted when the lease is lost or `abort` is called. */
  readonly signal: AbortSignal;
  readonly abort: (reason: string) => void;
  /** Stops the renewals. The caller updates the row. */
  readonly release: () => void;
}

/**
 * Renews the lease every third of its length. If another run has taken it, or the database failed for a whole lease,
 * another run may be active: the signal is aborted (fencing, F8).
 */
export function keepLease(deps: LeaseDeps): KeptLease {
  const { clock, leaseMs, log } = deps;
  const controller = new AbortController();
  const abort = (reason: string): void => controller.abort(new Error(reason));
  let heldUntil = clock.now() + leaseMs;
  let timer = deps.newTimer(renew, leaseMs / 3);

  function renew(): void {
    const until = clock.now() + leaseMs;
    const renewed = tryRenew(deps, until);
    if (renewed === true) heldUntil = until;
    if (renewed === false || clock.now() >= heldUntil) {
      log.warn({ key: deps.key }, 'lease of a run was lost, the run is aborted');
      abort('the lease of this run was lost');
      return;
    }
    timer = deps.newTimer(renew, leaseMs / 3);
  }

  return { signal: controller.signal, abort, release: () => timer.cancel() };
}

/** Returns null if the database failed and the state of the lease is unknown. */
function tryRenew({ store, queue, key, leaseId, log }: LeaseDeps, until: number): boolean | null {
  try {
    return store.renewLease(queue, key, leaseId, until);
  } catch (error) {
    log.error({ key, error: error instanceof Error ? error : null }, 'lease could not be renewed');
    return null;
  }
}
