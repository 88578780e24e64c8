import type { Clock } from '../../src/ports/clock.ts';
import { NOW } from './builders.ts';

/** A clock that stands still until it is advanced by hand. */
export interface FakeClock extends Clock {
  readonly advance: (ms: number) => void;
  /** Fires when the clock has been advanced that far. */
  readonly deadline: (ms: number) => AbortSignal;
}

/** A clock that stands at `startsAt` (epoch ms). */
export function createFakeClock(startsAt: number = NOW): FakeClock {
  let now = startsAt;
  const deadlines: { readonly at: number; readonly controller: AbortController }[] = [];
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
      for (const { at, controller } of deadlines) if (at <= now) controller.abort();
    },
    deadline: (ms) => {
      const controller = new AbortController();
      deadlines.push({ at: now + ms, controller });
      return controller.signal;
    },
  };
}
