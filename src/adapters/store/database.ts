import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';

/** The connection that all writers of one store share: what they prepare on it takes part in the open transaction. */
export type Database = BetterSQLite3Database;

/**
 * Runs `work` in one `BEGIN IMMEDIATE` transaction (a savepoint when one is open already). `work` is synchronous: a
 * transaction is never held across I/O. Whatever it throws rolls back and is thrown on.
 */
export function inTransaction<Result>(db: Database, work: () => Result): Result {
  return db.transaction(() => work(), { behavior: 'immediate' });
}
