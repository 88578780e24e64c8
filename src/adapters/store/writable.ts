import SqliteDatabase from 'better-sqlite3';

/** Work that waits, without blocking the event loop, while another process holds the lock of the database. */
export interface Writable {
  /**
   * Does `work` and returns its result. If another process holds the lock, waits for it at most `waitMs` and does the work
   * again, so its writes must be one transaction. @throws the error of the database if it stays locked, and any other at once.
   */
  readonly onceWritable: <Result>(work: () => Result, waitMs: number) => Promise<Result>;
  readonly close: () => void;
}

/** How often it is tried whether the lock is free. A try takes some microseconds. */
const PROBE_MS = 20;

/** Creates the waiting for the database at `path`. null: it is in memory, and nobody else can hold it. */
export function createWritable(path: string | null): Writable {
  // A connection of its own, which never waits for a lock.
  const probe = path === null ? null : new SqliteDatabase(path, { timeout: 0 });
  let freed: Promise<void> | null = null;

  /** All that wait share one series of tries. */
  function untilFree(): Promise<void> {
    freed ??= probeUntilFree().finally(() => {
      freed = null;
    });
    return freed;
  }

  async function probeUntilFree(): Promise<void> {
    while (probe !== null && probe.open && isLocked(probe)) {
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
    }
  }

  return {
    onceWritable: async (work, waitMs) => {
      const deadline = performance.now() + waitMs;
      for (;;) {
        // While it is known to be locked, a try would only block.
        if (freed !== null) await withinTime(freed, deadline);
        try {
          return work();
        } catch (error) {
          if (!isBusy(error) || performance.now() >= deadline) throw error;
          await withinTime(untilFree(), deadline);
        }
      }
    },
    close: () => void probe?.close(),
  };
}

function isLocked(probe: SqliteDatabase.Database): boolean {
  try {
    probe.exec('BEGIN IMMEDIATE; ROLLBACK');
    return false;
  } catch (error) {
    // Any other trouble is for the work itself to meet.
    return isBusy(error);
  }
}

/** Whether another process holds the lock. Drizzle wraps some errors. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof SqliteDatabase.SqliteError) return error.code.startsWith('SQLITE_BUSY');
  return isBusy(error.cause);
}

/** Waits for `promise`, at most until the deadline. */
async function withinTime(promise: Promise<void>, deadline: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, Math.max(deadline - performance.now(), 0), undefined);
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
