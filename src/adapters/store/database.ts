import { sql } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';

/** The connection shared by all writers of a store, so that their statements take part in the open transaction. */
export type Database = BetterSQLite3Database;

/**
 * Runs `work` in a `BEGIN IMMEDIATE` transaction, or in a savepoint if a transaction is open. `work` is synchronous: no
 * transaction is held across I/O. If it throws, rolls back and rethrows.
 */
export function inTransaction<Result>(db: Database, work: () => Result): Result {
  return db.transaction(() => work(), { behavior: 'immediate' });
}

/**
 * Like `inTransaction`, without waiting for the disk: the transaction survives the end of the process, but a power cut may take
 * it, until another transaction waits for the disk. Throws if a transaction is open.
 */
export function inRelaxedTransaction<Result>(db: Database, work: () => Result): Result {
  db.run(sql`PRAGMA synchronous = NORMAL`);
  try {
    return inTransaction(db, work);
  } finally {
    db.run(sql`PRAGMA synchronous = FULL`);
  }
}
