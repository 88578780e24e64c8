import type { EpochMs } from '../core/model/ids.ts';

/** The result of one run of a key. */
export interface RunResult {
  /** When to run the key again without a wake-up. null: only when woken. */
  readonly nextCheckAt: EpochMs | null;
}

/**
 * Does the work of one key. `leaseId` is the fencing token: make an effect only while `WakeupStore.holdsLease` is true for it. A
 * rejection is logged, and the key runs again after a back-off.
 */
export type RunKey = (
  key: string,
  lease: {
    readonly leaseId: string;
    readonly signal: AbortSignal;
    /** The key runs because its next check is due: nothing woke it, and its last run did not fail. */
    readonly isTimed: boolean;
  },
) => Promise<RunResult>;

/**
 * At-least-once wake-ups of keys. At most one run per key is active, and the last wake-up is never lost. Durable state is one row
 * per key in the database (`WakeupStore`); the transport may lose everything.
 */
export interface Queue {
  /** Stores the wake-up, then announces it. A future `notBefore` only brings the next check forward. */
  readonly wake: (key: string, notBefore?: EpochMs) => Promise<void>;
  /** Announces keys whose wake-up the caller has already stored in its own transaction. Never rejects. */
  readonly announce: (keys: readonly string[]) => Promise<void>;
  /** Recovers interrupted keys of an earlier process, starts the timer and serves keys until `stop`. */
  readonly start: (run: RunKey) => Promise<void>;
  /** Takes no new keys, aborts running ones after `graceMs`, and resolves when all have ended. Idempotent. */
  readonly stop: (graceMs: number) => Promise<void>;
}

/** Delivers announced keys to `consume`. It may lose or repeat keys and keeps no important state. */
export interface Transport {
  readonly announce: (key: string) => Promise<void>;
  /** Calls `onKey` with announced keys, at most `concurrency` at a time. */
  readonly consume: (onKey: (key: string) => Promise<void>, concurrency: number) => Promise<void>;
  readonly close: () => Promise<void>;
}
