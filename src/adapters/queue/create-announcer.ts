import type { Log } from '../../ports/log.ts';
import type { Transport } from '../../ports/queue.ts';

/** Announcements in flight at once. */
const maxInFlight = 50;

/**
 * Announces keys in order, up to `maxInFlight` at once. Never rejects: after a failure, the remaining keys wait for the
 * next scan of the rows. Logs one line when an outage starts and one when it ends.
 */
export function createAnnouncer(transport: Transport, log: Log): (keys: readonly string[]) => Promise<void> {
  let isDown = false;

  function noteFailure(reason: unknown): void {
    if (isDown) return;
    isDown = true;
    const error = reason instanceof Error ? reason : null;
    log.warn({ error }, 'keys cannot be announced, they wait in the database until they can');
  }

  function noteSuccess(): void {
    if (!isDown) return;
    isDown = false;
    log.info({}, 'keys are announced again');
  }

  return async (keys) => {
    for (let start = 0; start < keys.length; start += maxInFlight) {
      const batch = keys.slice(start, start + maxInFlight);
      const results = await Promise.allSettled(batch.map((key) => transport.announce(key)));
      const failure = results.find((result) => result.status === 'rejected');
      if (failure !== undefined) {
        noteFailure(failure.reason);
        return;
      }
      noteSuccess();
    }
  };
}
