import type { EpochMs } from '../../core/model/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { WakeupStore } from '../../ports/store.ts';
import type { NewTimer, Timer } from './timer.ts';

/** What the scanner reads and tells. */
export interface DueScannerDeps {
  readonly store: Pick<WakeupStore, 'dueWakeups' | 'nextWakeupAt'>;
  readonly queue: string;
  readonly clock: Clock;
  readonly newTimer: NewTimer;
  readonly log: Log;
  /** Never rejects. */
  readonly announce: (keys: readonly string[]) => Promise<void>;
  /** Longest time between two scans: what the transport forgot is announced again within it. */
  readonly safetyScanMs: number;
  /** Keys of one scan. */
  readonly batchSize: number;
}

/** Announces due keys, from one timer. */
export interface DueScanner {
  /** Scans at once and goes on until `stop`. */
  readonly start: () => Promise<void>;
  /** The earliest due instant may have changed: sets the timer anew. */
  readonly rearm: () => void;
  /** A run has ended: makes room for the rest of a backlog that one scan could not hold. */
  readonly noteRunEnded: () => void;
  readonly stop: () => void;
}

/** Creates a scanner at rest. */
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

  /** Whether a backlog is left and half of what was announced of it is done. */
  function hasRoom(): boolean {
    return hasBacklog && endedSinceScan >= batchSize / 2;
  }

  // In a function of its own: `stop` may have come while a scan waited, which the compiler cannot see.
  function isStopped(): boolean {
    return state === 'stopped';
  }

  function arm(): void {
    state = 'armed';
    timer?.cancel();
    timer = deps.newTimer(() => void scan(), readDelayMs());
  }

  /**
   * Until the next key is due that the last scan could not find (what it found must not make the timer spin), and never
   * past the safety scan, however often runs end and set the timer anew.
   */
  function readDelayMs(): number {
    const now = clock.now();
    // A clock that was set back must not put the next scan off.
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

/** What `read` gives; `fallback`, with a line in the log, when the database fails. */
function readOr<Value>(log: Log, fallback: Value, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    log.error({ error: error instanceof Error ? error : null }, 'due keys could not be read');
    return fallback;
  }
}
