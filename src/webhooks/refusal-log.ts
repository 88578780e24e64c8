import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Refusal } from './refusal.ts';

/** What the log tells of a refused delivery; all of it bounded, none of it from the payload. */
export interface RefusedDelivery {
  readonly refusal: Refusal;
  readonly bytes: number;
  readonly remoteAddress: string | null;
}

/** How many refusals are told one by one in each window; the rest of the window is told as a sum. */
export interface RefusalLogLimits {
  readonly windowMs: number;
  readonly linesPerWindow: number;
}

/**
 * Logs refusals, one line each, until a window has had its share; then one line per window with the sums. A flood of
 * forged deliveries must not fill the disk (T4). The sum comes when the next window begins, or at the latest by a timer.
 */
export function createRefusalLog(log: Log, clock: Clock, limits: RefusalLogLimits): (refused: RefusedDelivery) => void {
  let windowEndsAt = 0;
  let lines = 0;
  let suppressed = 0;
  let suppressedBytes = 0;

  function closeWindow(): void {
    if (suppressed > 0) log.warn({ refusals: suppressed, bytes: suppressedBytes }, 'more deliveries refused');
    lines = 0;
    suppressed = 0;
    suppressedBytes = 0;
  }

  return ({ refusal, bytes, remoteAddress }) => {
    const now = clock.now();
    if (now >= windowEndsAt || now < windowEndsAt - limits.windowMs) {
      closeWindow();
      windowEndsAt = now + limits.windowMs;
    }
    if (lines < limits.linesPerWindow) {
      lines += 1;
      const { status, code, detail } = refusal;
      log.warn({ status, code, detail, bytes, remoteAddress }, 'delivery refused');
      return;
    }
    if (suppressed === 0) setTimeout(closeWindow, limits.windowMs).unref();
    suppressed += 1;
    suppressedBytes += bytes;
  };
}
