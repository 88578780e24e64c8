/** Bounds of the wait after a failed run. */
export interface RetryBackoffMs {
  /** After the first failure; each further one doubles it. */
  readonly initial: number;
  readonly max: number;
}

/** Counts failures in a row per key. */
export interface RetryBackoff {
  /** Counts one more failure; the wait before the next run, with jitter (between half of it and all of it). */
  readonly nextDelayMs: (key: string) => number;
  /** Whether the last run of the key failed. */
  readonly isFailing: (key: string) => boolean;
  /** Forgets the failures of the key. */
  readonly clear: (key: string) => void;
}

/** Keys whose failures are remembered; the oldest is forgotten beyond that and starts anew. */
const maxKeys = 10_000;
/** Doublings after which every wait is at any sensible maximum. */
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
