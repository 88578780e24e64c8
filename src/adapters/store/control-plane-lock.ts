import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { ConfigError } from '../../core/model/errors.ts';

/** The longest delay of a Node timer. */
const longestTimerMs = 2 ** 31 - 1;

/** Proof that this process is the only control plane of its data folder. */
export interface ControlPlaneLock {
  /** Idempotent. */
  readonly release: () => void;
}

/**
 * Takes the exclusive lock of `dataDir` (S14: one control plane). This is SQLite's lock on a small file, held by an open
 * transaction. The operating system releases it when the process dies for any reason, and nothing needs cleaning up.
 * @throws ConfigError at once if another process holds the lock or the folder is not writable.
 */
export function acquireControlPlaneLock(dataDir: string): ControlPlaneLock {
  const path = join(dataDir, 'control-plane.lock');
  const connection = openLockFile(path);
  try {
    connection.pragma('locking_mode = EXCLUSIVE');
    connection.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    connection.close();
    throw new ConfigError([explain(error, path)]);
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
  return setInterval(() => connection.open, longestTimerMs).unref();
}

function openLockFile(path: string): SqliteDatabase.Database {
  try {
    return new SqliteDatabase(path, { timeout: 0 });
  } catch (error) {
    throw new ConfigError([explain(error, path)]);
  }
}

function explain(error: unknown, path: string): string {
  if (error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
    return `another Ratchet process is using this data folder (it holds ${path}): stop it first, or use another folder`;
  }
  const why = error instanceof Error ? error.message : String(error);
  return `the lock file ${path} cannot be used (${why}): check that its folder exists and can be written`;
}
