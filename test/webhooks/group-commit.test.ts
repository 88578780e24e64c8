import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseDeliveryId } from '../../src/core/model/ids.ts';
import type { Delivery, IngestOutcome, LockStore } from '../../src/ports/store.ts';
import { createGroupCommit } from '../../src/webhooks/group-commit.ts';

function aDelivery(): Delivery {
  return {
    id: parseDeliveryId(randomUUID()),
    bodyHash: '',
    eventName: 'push',
    action: null,
    receivedAt: 0,
    event: null,
    commands: [],
  };
}

/** A store that remembers its batches; `ingestBatch` may throw. */
function createStore(ingestBatch: (batch: readonly Delivery[]) => readonly IngestOutcome[]): {
  readonly batches: (readonly Delivery[])[];
  readonly ingest: (batch: readonly Delivery[]) => readonly IngestOutcome[];
  readonly onceWritable: LockStore['onceWritable'];
} {
  const batches: (readonly Delivery[])[] = [];
  return {
    batches,
    onceWritable: async (work) => work(),
    ingest: (batch) => {
      batches.push(batch);
      return ingestBatch(batch);
    },
  };
}

const ignoreAll = (batch: readonly Delivery[]): readonly IngestOutcome[] => batch.map(() => ({ kind: 'ignored' }));

describe('createGroupCommit', () => {
  it('stores the deliveries of one turn in one transaction, in their order', async () => {
    const store = createStore(ignoreAll);
    const ingest = createGroupCommit(store);
    const deliveries = Array.from({ length: 20 }, aDelivery);

    await Promise.all(deliveries.map(ingest));
    await ingest(aDelivery());

    expect(store.batches.map((batch) => batch.length)).toEqual([20, 1]);
    expect(store.batches[0]).toEqual(deliveries);
  });

  it('gives each delivery its own outcome', async () => {
    const ingest = createGroupCommit(
      createStore((batch) => batch.map((_, index) => ({ kind: index === 1 ? 'duplicate' : 'ignored' }))),
    );

    expect(await Promise.all([aDelivery(), aDelivery()].map(ingest))).toEqual([
      { kind: 'ignored' },
      { kind: 'duplicate' },
    ]);
  });

  it('never puts more than its bound into one transaction', async () => {
    const store = createStore(ignoreAll);

    await Promise.all(Array.from({ length: 25 }, aDelivery).map(createGroupCommit(store, 10)));

    expect(store.batches.map((batch) => batch.length)).toEqual([10, 10, 5]);
  });

  it('fails every delivery of a batch that could not be stored, and no other', async () => {
    const store = createStore((batch) => {
      if (batch.length === 2) throw new Error('disk full');
      return ignoreAll(batch);
    });
    const ingest = createGroupCommit(store);

    const failed = await Promise.allSettled([ingest(aDelivery()), ingest(aDelivery())]);

    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(ingest(aDelivery())).resolves.toEqual({ kind: 'ignored' });
  });

  it('fails a delivery that the store gave no outcome for', async () => {
    await expect(createGroupCommit(createStore(() => []))(aDelivery())).rejects.toThrow('the store gave no outcome');
  });
});
