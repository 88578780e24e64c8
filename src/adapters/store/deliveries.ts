import { sql } from 'drizzle-orm';
import type { Delivery } from '../../ports/store.ts';
import type { Database } from './database.ts';
import { deliveries } from './schema.ts';

/** Writer of `deliveries`. */
export interface DeliveryWriter {
  /** Stores a delivery. Returns false, and writes nothing, if its GUID or body was seen before (T2). */
  readonly addDelivery: (delivery: Delivery) => boolean;
}

/** Creates the writer on `db`. */
export function createDeliveries(db: Database): DeliveryWriter {
  const insert = db
    .insert(deliveries)
    .values({
      guid: sql.placeholder('guid'),
      bodyHash: sql.placeholder('bodyHash'),
      eventName: sql.placeholder('eventName'),
      action: sql.placeholder('action'),
      receivedAt: sql.placeholder('receivedAt'),
    })
    .onConflictDoNothing()
    .prepare();

  return {
    addDelivery: ({ id, bodyHash, eventName, action, receivedAt }) =>
      insert.run({ guid: id, bodyHash, eventName, action, receivedAt }).changes === 1,
  };
}
