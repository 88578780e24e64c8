import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Refusal } from './refusal.ts';

/** The log fields of a refused request. All are bounded, and none comes from the payload. */
export interface RefusedRequest {
  readonly refusal: Refusal;
  readonly bytes: number;
  readonly remoteAddress: string | null;
}

/** How many refusals are logged one by one per window. The rest of the window is logged as a sum. */
export interface RefusalLogLimits {
  readonly windowMs: number;
  readonly linesPerWindow: number;
}

/** Log messages: for one refusal, and for the sum. */
export interface RefusalMessages {
  readonly one: string;
  readonly more: string;
}

/** For webhooks. */
export const DELIVERY_MESSAGES: RefusalMessages = { one: 'delivery refused', more: 'more deliveries refused' };
/** For the set-up pages. */
export const SETUP_MESSAGES: RefusalMessages = {
  one: 'set-up request refused',
  more: 'more set-up requests refused',
};
/** For the admin API. */
export const ADMIN_MESSAGES: RefusalMessages = { one: 'admin call refused', more: 'more admin calls refused' };

/**
 * Logs refusals one by one up to a limit per window, then one line per window with the sums. A flood of forged requests
 * must not fill the disk (T4). The sums are logged at the next refusal after the window, or by a timer.
 */
export function createRefusalLog(
  log: Log,
  clock: Clock,
  limits: RefusalLogLimits,
  messages: RefusalMessages,
): (refused: RefusedRequest) => void {
  let windowEndsAt = 0;
  let lines = 0;
  let suppressed = 0;
  let suppressedBytes = 0;

  function closeWindow(): void {
    if (suppressed > 0) log.warn({ refusals: suppressed, bytes: suppressedBytes }, messages.more);
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
      log.warn({ status, code, detail, bytes, remoteAddress }, messages.one);
      return;
    }
    if (suppressed === 0) setTimeout(closeWindow, limits.windowMs).unref();
    suppressed += 1;
    suppressedBytes += bytes;
  };
}
