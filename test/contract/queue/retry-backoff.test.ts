import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRetryBackoff } from '../../../src/adapters/queue/create-retry-backoff.ts';

describe('the wait after a failed run', () => {
  it('doubles with each failure in a row, up to its maximum', () => {
    const backoff = createRetryBackoff({ initial: 100, max: 1_000 }, () => 1);

    expect(Array.from({ length: 6 }, () => backoff.nextDelayMs('k'))).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    expect(backoff.nextDelayMs('other')).toBe(100);
  });

  it('starts anew after a success', () => {
    const backoff = createRetryBackoff({ initial: 100, max: 1_000 }, () => 1);
    backoff.nextDelayMs('k');
    backoff.clear('k');

    expect(backoff.nextDelayMs('k')).toBe(100);
  });

  it('lies between half of the delay and all of it, for any number of failures', () => {
    const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(unit, fc.integer({ min: 1, max: 100 }), (random, failures) => {
        const backoff = createRetryBackoff({ initial: 100, max: 5_000 }, () => random);
        const delays = Array.from({ length: failures }, () => backoff.nextDelayMs('k'));

        for (const [nth, delayMs] of delays.entries()) {
          const whole = Math.min(100 * 2 ** nth, 5_000);
          expect(delayMs).toBeGreaterThanOrEqual(whole / 2);
          expect(delayMs).toBeLessThanOrEqual(whole);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('remembers a bounded number of keys, and forgets the oldest first', () => {
    const backoff = createRetryBackoff({ initial: 100, max: 1_000 }, () => 1);
    for (let nth = 0; nth <= 10_000; nth += 1) backoff.nextDelayMs(String(nth));

    expect(backoff.nextDelayMs('10000')).toBe(200);
    expect(backoff.nextDelayMs('0')).toBe(100);
  });
});
