/** When a step that failed for a transient cause starts again (004.R23). */
export interface RetryConfig {
  /** The most retries of one step, whatever the plan says. */
  readonly maxRetries: number;
  /** Before the first retry; each later one waits twice as long. */
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
}

export const DEFAULT_RETRY: RetryConfig = { maxRetries: 10, firstWaitMs: 500, maxWaitMs: 30_000 };

/** Milliseconds to wait before the next start; null: there is none. `attempts`: how often the step has started. */
export function toRetryWait(
  { maxRetries, firstWaitMs, maxWaitMs }: RetryConfig,
  { attempts, allowed }: { readonly attempts: number; readonly allowed: number },
): number | null {
  if (attempts > Math.min(allowed, maxRetries)) return null;
  return Math.min(firstWaitMs * 2 ** (attempts - 1), maxWaitMs);
}
