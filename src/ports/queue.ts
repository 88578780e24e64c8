import type { EpochMs } from '../core/model/ids.ts';

/** What a run tells the queue when it ends. */
export interface RunResult {
  /** When to look again even if nothing wakes the key; null: only when woken. */
  readonly nextCheckAt: EpochMs | null;
}

/**
 * Does the work of one key. `leaseId` is the fencing token of this run: an effect may be made only while
 * `WakeupStore.holds(key, leaseId)` is true. A rejection is logged and the key is looked at again after a back-off.
 */
export type RunKey = (
  key: string,
  lease: {
    readonly leaseId: string;
    readonly signal: AbortSignal;
    /** Nothing woke the key: its next check has come, and its last run did not fail. */
    readonly isTimed: boolean;
  },
) => Promise<RunResult>;

/**
 * At-least-once wake-ups of keys, at most one active run per key, the last wake-up never lost. The durable part is one row
 * per key in the database (`WakeupStore`); the transport below it is a hint that may forget everything.
 */
export interface Queue {
  /** Stores the wake-up, then announces it. With `notBefore` in the future it only moves the key's next check forward. */
  readonly wake: (key: string, notBefore?: EpochMs) => Promise<void>;
  /** Announces keys whose wake-up the caller has already stored (in its own transaction). Never rejects. */
  readonly announce: (keys: readonly string[]) => Promise<void>;
  /** Recovers what an earlier process left, starts the timer and serves until `stop`. */
  readonly start: (run: RunKey) => Promise<void>;
  /** Takes no new key, aborts the signals of the runs after `graceMs` and resolves when all have ended. Idempotent. */
  readonly stop: (graceMs: number) => Promise<void>;
}

/** Carries announced keys from `announce` to `consume`; may lose them, may repeat them, keeps no state that matters. */
export interface Transport {
  readonly announce: (key: string) => Promise<void>;
  /** Calls `onKey` with announced keys, at most `concurrency` calls at a time. */
  readonly consume: (onKey: (key: string) => Promise<void>, concurrency: number) => Promise<void>;
  readonly close: () => Promise<void>;
}
