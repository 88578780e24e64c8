import { asc, eq, lt, lte, sql } from 'drizzle-orm';
import { toUrgency } from '../../core/deliveries/plan-redelivery.ts';
import type { LostDeliveryStore } from '../../ports/store.ts';
import { type Database, inTransaction } from './database.ts';
import { deliveries, deliveryProgress, lostDeliveries } from './schema.ts';

/** Creates the writer of `lost_deliveries` and `delivery_progress` on `db`. */
export function createLostDeliveries(db: Database): LostDeliveryStore {
  return {
    noteLost: (lost, now) =>
      inTransaction(db, () => lost.reduce((count, delivery) => count + note(db, delivery, now), 0)),
    forgetArrived: () =>
      db
        .delete(lostDeliveries)
        .where(sql`exists (select 1 from ${deliveries} where ${deliveries.guid} = ${lostDeliveries.guid})`)
        .run().changes,
    dueLost: (now, limit) =>
      db
        .select({
          guid: lostDeliveries.guid,
          sentId: lostDeliveries.sentId,
          eventName: lostDeliveries.eventName,
          tries: lostDeliveries.tries,
        })
        .from(lostDeliveries)
        .where(lte(lostDeliveries.nextTryAt, now))
        .orderBy(asc(lostDeliveries.urgency), asc(lostDeliveries.sentAt))
        .limit(limit)
        .all(),
    noteTry: (guid, tries, nextTryAt) => {
      db.update(lostDeliveries).set({ tries, nextTryAt }).where(eq(lostDeliveries.guid, guid)).run();
    },
    pruneLost: (sentBefore) => db.delete(lostDeliveries).where(lt(lostDeliveries.sentAt, sentBefore)).run().changes,
    listProgress: () => {
      const row = db.select().from(deliveryProgress).get();
      if (row === undefined) return null;
      const { readUntil, cursor, readsUntil } = row;
      return { readUntil, open: cursor === null || readsUntil === null ? null : { cursor, readsUntil } };
    },
    saveListProgress: ({ readUntil, open }) => {
      const content = { readUntil, cursor: open?.cursor ?? null, readsUntil: open?.readsUntil ?? null };
      db.insert(deliveryProgress)
        .values({ id: 1, ...content })
        .onConflictDoUpdate({ target: deliveryProgress.id, set: content })
        .run();
    },
  };
}

/** Returns 1 for a delivery that was not known to be lost and has not arrived, otherwise 0. */
function note(db: Database, delivery: Parameters<LostDeliveryStore['noteLost']>[0][number], now: number): number {
  const { guid, id: sentId, eventName, action, sentAt } = delivery;
  const isArrived = db.select({ guid: deliveries.guid }).from(deliveries).where(eq(deliveries.guid, guid)).get();
  if (isArrived !== undefined) return 0;
  const urgency = toUrgency(eventName, action);
  return db
    .insert(lostDeliveries)
    .values({ guid, sentId, eventName, urgency, sentAt, nextTryAt: now })
    .onConflictDoNothing()
    .run().changes;
}
