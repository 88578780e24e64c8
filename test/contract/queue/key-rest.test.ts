import { describe, expect, it } from 'vitest';
import { createKeyRest, type KeyRest } from '../../../src/adapters/queue/create-key-rest.ts';
import { createManualTime, type ManualTime } from './harness.ts';

interface Resting extends KeyRest {
  readonly time: ManualTime;
  readonly announced: readonly string[];
}

function startResting(): Resting {
  const time = createManualTime();
  const announced: string[] = [];
  const announce = async (keys: readonly string[]): Promise<void> => void announced.push(...keys);
  const rest = createKeyRest({ restMs: { initial: 100, max: 300 }, newTimer: time.newTimer, announce });
  return { ...rest, time, announced };
}

describe('a key at rest', () => {
  it('is announced once when it has rested, if anyone asked', () => {
    const { begin, defers, time, announced } = startResting();
    begin('k');

    expect([defers('k'), defers('k'), defers('other')]).toEqual([true, true, false]);
    time.advance(100);

    expect(announced).toEqual(['k']);
    expect(defers('k')).toBe(false);
  });

  it('is not announced if nobody asked', () => {
    const { begin, time, announced, defers } = startResting();
    begin('k');
    time.advance(100);

    expect(announced).toEqual([]);
    expect(defers('k')).toBe(false);
  });

  it('rests twice as long each time that it was asked for, up to the maximum', () => {
    const { begin, defers, time } = startResting();
    const rests = [1, 2, 3, 4].map(() => {
      begin('k');
      defers('k');
      const [restMs = 0] = time.pendingMs();
      time.advance(restMs);
      return restMs;
    });

    expect(rests).toEqual([100, 200, 300, 300]);
  });

  it('rests longer after a run of any length that it was asked for', () => {
    const { begin, defers, interrupt, time } = startResting();
    begin('k');
    defers('k');
    time.advance(100);

    interrupt('k');
    time.advance(10_000);
    begin('k');

    expect(time.pendingMs()).toEqual([200]);
  });

  it('begins with the short rest again after one in which nobody asked, or after which nothing ran', () => {
    const { begin, defers, time } = startResting();
    begin('k');
    defers('k');
    time.advance(100);
    time.advance(100);
    expect(time.pendingMs()).toEqual([]);

    begin('k');

    expect(time.pendingMs()).toEqual([100]);
  });

  it('is forgotten when resting stops', () => {
    const { begin, defers, stop, time, announced } = startResting();
    begin('k');
    defers('k');

    stop();
    time.advance(1_000);

    expect(announced).toEqual([]);
    expect(time.pendingMs()).toEqual([]);
  });
});
