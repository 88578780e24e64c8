/** Bounds of the wait after a failed run, in milliseconds. */
export interface RetryBackoffMs {
  /** Wait after the first failure. Each further failure doubles it. */
  readonly initial: number;
  readonly max: number;
}

/** Counts consecutive failures per key. */
export interface RetryBackoff {
  /** Counts a failure. Returns the wait before the next run, with jitter: half of the back-off to all of it. */
  readonly nextDelayMs: (key: string) => number;
  /** Whether the last run of the key failed. */
  readonly isFailing: (key: string) => boolean;
  /** Forgets the failures of the key. */
  readonly clear: (key: string) => void;
}

/** Most keys whose failures are remembered. Beyond it the oldest is forgotten and counts from zero again. */
const maxKeys = 10_000;
/** After this many doublings every wait has reached any sensible maximum. */
const maxDoublings = 30;

/** Creates an empty counter. `random` gives numbers from 0 to below 1. */
export function createRetryBackoff(bounds: RetryBackoffMs, random: () => number): RetryBackoff {
  const failures = new Map<string, number>();
  return {
    nextDelayMs: (key) => {
      const before = failures.get(key) ?? 0;
      failures.delete(key);
      failures.set(key, Math.min(before + 1, maxDoublings));
      const [oldest] = failures.keys();
      if (failures.size > maxKeys && oldest !== undefined) failures.delete(oldest);
      const delayMs = Math.min(bounds.initial * 2 ** before, bounds.max);
      return Math.ceil(delayMs * (0.5 + random() / 2));
    },
    isFailing: (key) => failures.has(key),
    clear: (key) => void failures.delete(key),
  };
}
