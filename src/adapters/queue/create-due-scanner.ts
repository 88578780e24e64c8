import type { EpochMs } from '../../core/model/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { QueueContext } from './queue-context.ts';
import type { Timer } from './timer.ts';

/** Dependencies of the scanner. */
export interface DueScannerDeps extends QueueContext {
  /** Never rejects. */
  readonly announce: (keys: readonly string[]) => Promise<void>;
  /** Longest time between two scans. Bounds how long a key that the transport lost stays unannounced. */
  readonly safetyScanMs: number;
  /** Maximum keys per scan. */
  readonly batchSize: number;
}

/** Announces due keys, from one timer. */
export interface DueScanner {
  /** Scans at once, then repeats until `stop`. */
  readonly start: () => Promise<void>;
  /** Sets the timer again because the earliest due time may have changed. */
  readonly rearm: () => void;
  /** Reports that a run ended. Continues with a backlog that did not fit into one scan. */
  readonly noteRunEnded: () => void;
  readonly stop: () => void;
}

/** Creates a scanner that is not started. */
export function createDueScanner(deps: DueScannerDeps): DueScanner {
  const { store, queue, clock, log, safetyScanMs, batchSize } = deps;
  let state: 'idle' | 'armed' | 'scanning' | 'stopped' = 'idle';
  let timer: Timer | null = null;
  let scannedAt: EpochMs = 0;
  let hasBacklog = false;
  let endedSinceScan = 0;

  async function scan(): Promise<void> {
    if (state === 'scanning' || state === 'stopped') return;
    state = 'scanning';
    timer?.cancel();
    do {
      await announceDue();
    } while (!isStopped() && hasRoom());
    if (!isStopped()) arm();
  }

  async function announceDue(): Promise<void> {
    endedSinceScan = 0;
    scannedAt = clock.now();
    const due = readOr(log, [], () => store.dueWakeups(queue, scannedAt, batchSize));
    hasBacklog = due.length === batchSize;
    await deps.announce(due);
  }

  /** Whether a backlog is left and half of the announced batch has run. */
  function hasRoom(): boolean {
    return hasBacklog && endedSinceScan >= batchSize / 2;
  }

  // A function of its own because the compiler does not see that `stop` may run during an await.
  function isStopped(): boolean {
    return state === 'stopped';
  }

  function arm(): void {
    state = 'armed';
    timer?.cancel();
    timer = deps.newTimer(() => void scan(), readDelayMs());
  }

  /**
   * Time until the next key is due that the last scan could not find; keys it found must not make the timer spin. Never
   * later than the safety scan, however often runs end and set the timer again.
   */
  function readDelayMs(): number {
    const now = clock.now();
    // A clock that was set back must not delay the next scan.
    scannedAt = Math.min(scannedAt, now);
    const nextAt = readOr<EpochMs | null>(log, null, () => store.nextWakeupAt(queue, scannedAt));
    const safetyAt = scannedAt + safetyScanMs;
    return Math.max(Math.min(nextAt ?? safetyAt, safetyAt) - now, 0);
  }

  function rearm(): void {
    if (state === 'armed') arm();
  }

  return {
    start: scan,
    rearm,
    noteRunEnded: () => {
      endedSinceScan += 1;
      if (hasRoom()) void scan();
      else rearm();
    },
    stop: () => {
      state = 'stopped';
      timer?.cancel();
    },
  };
}

/** Returns what `read` returns, or logs the error and returns `fallback` if the database fails. */
function readOr<Value>(log: Log, fallback: Value, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    log.error({ error: error instanceof Error ? error : null }, 'due keys could not be read');
    return fallback;
  }
}
