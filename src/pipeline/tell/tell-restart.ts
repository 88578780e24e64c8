import { toError } from '../../core/model/errors.ts';
import type { PullRequestKey } from '../../core/model/ids.ts';
import type { Deps, Lease } from '../deps.ts';

/** Containers are killed soon after they were asked to stop. */
const TELL_MS = 1_500;

/** A run that ended without its work, and the row whose lease it held. */
export interface Interrupted {
  readonly key: PullRequestKey;
  readonly leased: { readonly queue: string; readonly key: string };
  readonly lease: Lease;
}

/**
 * Tells people that the service interrupts a run because it stops. Nothing depends on it: where GitHub does not take it in time, the
 * check run goes on saying what it said. A run that another process has taken over tells nothing.
 */
export async function tellRestart(
  { log, newDeadline, store }: Pick<Deps, 'log' | 'newDeadline' | 'store'>,
  { key, leased, lease }: Interrupted,
  tell: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  if (!lease.signal.aborted || !store.holdsLease(leased.queue, leased.key, lease.leaseId)) return;
  try {
    await tell(newDeadline(TELL_MS));
  } catch (error) {
    log.warn({ key, error: toError(error) }, 'the restart could not be reported');
  }
}
