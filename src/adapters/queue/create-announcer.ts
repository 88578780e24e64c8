import type { Log } from '../../ports/log.ts';
import type { Transport } from '../../ports/queue.ts';
import { createOutageLog } from './create-outage-log.ts';

/** Announcements in flight at once. */
const maxInFlight = 50;

/**
 * Announces keys in order, up to `maxInFlight` at once. Never rejects: after a failure, the remaining keys wait for the
 * next scan of the rows. Logs one line when an outage starts and one when it ends.
 */
export function createAnnouncer(transport: Transport, log: Log): (keys: readonly string[]) => Promise<void> {
  const outage = createOutageLog(log, {
    start: 'keys cannot be announced, they wait in the database until they can',
    end: 'keys are announced again',
  });
  return async (keys) => {
    for (let start = 0; start < keys.length; start += maxInFlight) {
      const batch = keys.slice(start, start + maxInFlight);
      const results = await Promise.allSettled(batch.map((key) => transport.announce(key)));
      const failure = results.find((result) => result.status === 'rejected');
      if (failure !== undefined) {
        outage.noteFailure(failure.reason instanceof Error ? failure.reason : null);
        return;
      }
      outage.noteSuccess();
    }
  };
}
