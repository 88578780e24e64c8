import { toError } from '../core/model/errors.ts';
import type { Delivery, DeliveryStore, IngestOutcome, LockStore } from '../ports/store.ts';

/** GitHub waits ten seconds for the answer. */
const MAX_WAIT_MS = 8_000;

interface Waiting {
  readonly delivery: Delivery;
  readonly resolve: (outcome: IngestOutcome) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Stores the deliveries of one turn of the event loop in one durable transaction: full fsync safety at about the speed
 * of no fsync. The promise resolves when the transaction is on disk. While another process
 * holds the database, the batch waits. If the transaction fails, nothing of the batch is
 * stored and each of its deliveries rejects. Deliveries beyond `maxBatch` go into the next turn.
 */
export function createGroupCommit(
  store: Pick<DeliveryStore & LockStore, 'ingest' | 'onceWritable'>,
  maxBatch = 500,
): (delivery: Delivery) => Promise<IngestOutcome> {
  let waiting: Waiting[] = [];

  function commitBatch(): void {
    const batch = waiting.slice(0, maxBatch);
    waiting = waiting.slice(maxBatch);
    if (waiting.length > 0) setImmediate(commitBatch);
    void store
      .onceWritable(() => store.ingest(batch.map(({ delivery }) => delivery)), MAX_WAIT_MS)
      .then(
        (outcomes) => settle(batch, outcomes),
        (error: unknown) => {
          for (const { reject } of batch) reject(toError(error));
        },
      );
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
