import { asc, eq, sql } from 'drizzle-orm';
import type { CircuitStore } from '../../ports/spend-store.ts';
import type { Database } from './database.ts';
import { modelCircuits } from './schema.ts';

/** Creates the writer of `model_circuits` on `db`. */
export function createCircuits(db: Database): CircuitStore {
  const isOne = (fingerprint: unknown) => eq(modelCircuits.fingerprint, sql`${fingerprint}`);
  const one = db
    .select()
    .from(modelCircuits)
    .where(isOne(sql.placeholder('fingerprint')))
    .prepare();
  return {
    circuit: (fingerprint) => one.get({ fingerprint }) ?? null,
    circuits: () => db.select().from(modelCircuits).orderBy(asc(modelCircuits.openedAt)).all(),
    saveCircuit: ({ fingerprint, ...circuit }) => {
      db.insert(modelCircuits)
        .values({ fingerprint, ...circuit })
        .onConflictDoUpdate({ target: modelCircuits.fingerprint, set: circuit })
        .run();
    },
    closeCircuit: (fingerprint) => {
      db.delete(modelCircuits).where(isOne(fingerprint)).run();
    },
  };
}
