import SqliteDatabase from 'better-sqlite3';
import { makePrivate } from './make-private.ts';

/** The longest delay of a Node timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A lock that this process holds. */
export interface HeldLock {
  /** Idempotent. */
  readonly release: () => void;
}

/**
 * Takes the exclusive lock that the file stands for; null at once if another process holds it. This is SQLite's lock, held by an open
 * transaction. The operating system releases it when the process dies for any reason, and nothing needs cleaning up. No other user may
 * open the file: whoever can read it can hold it.
 * @throws SqliteError, or an error of the file system, if the file cannot be used.
 */
export function holdLock(path: string): HeldLock | null {
  makePrivate(path);
  const connection = new SqliteDatabase(path, { timeout: 0 });
  try {
    connection.pragma('locking_mode = EXCLUSIVE');
    connection.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    connection.close();
    if (error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
  const anchor = keepReachable(connection);
  return {
    release: () => {
      clearInterval(anchor);
      connection.close();
    },
  };
}

/** A connection without references would be collected, with its lock. A pending timer keeps it until the release. */
function keepReachable(connection: SqliteDatabase.Database): NodeJS.Timeout {
  return setInterval(() => connection.open, LONGEST_TIMER_MS).unref();
}
