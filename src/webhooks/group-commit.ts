import { toError } from '../core/model/errors.ts';
import type { Delivery, DeliveryStore, IngestOutcome } from '../ports/store.ts';

interface Waiting {
  readonly delivery: Delivery;
  readonly resolve: (outcome: IngestOutcome) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Stores the deliveries of one turn of the event loop in one durable transaction: full fsync safety at about the speed
 * of no fsync. The promise resolves when the transaction is on disk. If the transaction fails, nothing of the batch is
 * stored and each of its deliveries rejects. Deliveries beyond `maxBatch` go into the next turn.
 */
export function createGroupCommit(
  store: Pick<DeliveryStore, 'ingest'>,
  maxBatch = 500,
): (delivery: Delivery) => Promise<IngestOutcome> {
  let waiting: Waiting[] = [];

  function commitBatch(): void {
    const batch = waiting.slice(0, maxBatch);
    waiting = waiting.slice(maxBatch);
    if (waiting.length > 0) setImmediate(commitBatch);
    try {
      settle(batch, store.ingest(batch.map(({ delivery }) => delivery)));
    } catch (error) {
      for (const { reject } of batch) reject(toError(error));
    }
  }

  return (delivery) =>
    new Promise((resolve, reject) => {
      waiting.push({ delivery, resolve, reject });
      if (waiting.length === 1) setImmediate(commitBatch);
    });
}

function settle(batch: readonly Waiting[], outcomes: readonly IngestOutcome[]): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined) reject(new Error('the store gave no outcome'));
    else resolve(outcome);
  }
}
