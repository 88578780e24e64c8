/** A scheduled callback. */
export interface Timer {
  readonly cancel: () => void;
}

/** Calls `callback` once after `delayMs`. */
export type NewTimer = (callback: () => void, delayMs: number) => Timer;

/** A timer that does not keep the process alive. Delays over one minute are cut to one minute. */
export function createUnrefTimer(callback: () => void, delayMs: number): Timer {
  const timeout = setTimeout(callback, Math.min(Math.max(delayMs, 0), 60_000));
  timeout.unref();
  return { cancel: () => clearTimeout(timeout) };
}

/** Returns whether `work` settled within `timeoutMs`. A rejection counts as settled and is not passed on. */
export async function settlesWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const { promise: timedOut, resolve } = Promise.withResolvers<boolean>();
  const timeout = setTimeout(() => resolve(false), timeoutMs);
  const settled = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, timedOut]);
  } finally {
    clearTimeout(timeout);
  }
}
