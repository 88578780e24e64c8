import { describe, expect, it } from 'vitest';
import { type BodyRoom, createBodyRoom, createSplitRoom, type Place } from '../../src/web/body-room.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const limits = { maxBytes: 1000, maxBodies: 8 };

/** A room, and the names of the bodies that lost their place, in order. */
function open(room = limits) {
  const clock = createFakeClock();
  return { clock, ...watch(createBodyRoom(room, clock)) };
}

function watch(room: BodyRoom) {
  const evicted: string[] = [];
  const enter = (name: string, address = '192.0.2.1', declaredBytes: number | null = 10_000): Place | null =>
    room.enter({ address, declaredBytes, onEvicted: () => evicted.push(name) });
  return { evicted, enter };
}

describe('createBodyRoom', () => {
  it('evicts the body of which least arrived lately, not the one that sent most before it stopped', () => {
    const { clock, enter, evicted } = open();
    const burst = enter('burst', '192.0.2.1');
    const steady = enter('steady', '192.0.2.2');
    burst?.take(800);
    for (let sent = 0; sent < 10; sent += 1) {
      clock.advance(100);
      steady?.take(10);
    }

    expect(enter('next', '192.0.2.3')?.take(400)).toBe(true);
    expect(evicted).toEqual(['burst']);
  });

  it('evicts bodies of an address beyond its share before any other', () => {
    const { clock, enter, evicted } = open();
    enter('slow', '192.0.2.2')?.take(50);
    clock.advance(5_000);
    for (const name of ['a', 'b', 'c', 'd']) enter(name, '192.0.2.1')?.take(250);

    expect(evicted).toEqual(['a']);
  });

  it('spares a body that has just begun for one that stopped long ago', () => {
    const { clock, enter, evicted } = open();
    // None holds more than its share.
    for (const nth of [1, 2, 3, 4]) enter(`stopped-${String(nth)}`, `192.0.2.${String(nth)}`)?.take(250);
    clock.advance(700);

    expect(enter('new', '192.0.2.5')?.take(1)).toBe(true);
    expect(evicted).toEqual(['stopped-1']);
  });

  it('never evicts a complete body, and refuses the new one instead', () => {
    const { clock, enter, evicted } = open();
    const complete = enter('complete', '192.0.2.1', 1000);
    complete?.take(1000);
    clock.advance(60_000);

    expect(enter('new', '192.0.2.2')?.take(1)).toBe(false);
    complete?.leave();
    expect(enter('newer', '192.0.2.2')?.take(1000)).toBe(true);
    expect(evicted).toEqual([]);
  });

  it('takes a body that arrives at once, however full the room is of others that stopped', () => {
    const { clock, enter, evicted } = open();
    for (let count = 0; count < 8; count += 1) enter(`stopped-${String(count)}`, `192.0.2.${String(count)}`)?.take(125);
    clock.advance(100);

    expect(enter('whole', '198.51.100.1', 100)?.take(100)).toBe(true);
    expect(evicted).toHaveLength(1);
  });

  it('counts bodies of which nothing arrived', () => {
    const { clock, enter, evicted } = open();
    for (let count = 0; count < 8; count += 1) enter(`empty-${String(count)}`, `192.0.2.${String(count)}`);
    clock.advance(1_000);

    expect(enter('new', '198.51.100.1')).not.toBeNull();
    expect(evicted).toEqual(['empty-0']);
  });

  it('frees a place once, whether it was left, evicted or refused', () => {
    const { enter } = open();
    const first = enter('first');
    first?.take(600);
    first?.leave();
    first?.leave();
    const second = enter('second');

    expect(second?.take(1000)).toBe(true);
    expect(second?.take(1)).toBe(false);
    second?.leave();
    expect(enter('third')?.take(1000)).toBe(true);
    expect(enter('fourth')?.take(1)).toBe(false);
  });
});

describe('createSplitRoom', () => {
  const split = { small: limits, large: { maxBytes: 5_000, maxBodies: 2 }, smallBodyBytes: 100 };

  it('has room for small bodies while big ones fill theirs', () => {
    const { enter, evicted } = watch(createSplitRoom(split, createFakeClock()));
    enter('big', '192.0.2.1', 5_000)?.take(4_999);

    expect(enter('small', '192.0.2.1', 100)?.take(100)).toBe(true);
    expect(evicted).toEqual([]);
  });

  it('moves a body without a length to the big ones once it is too big', () => {
    const { enter, evicted } = watch(createSplitRoom(split, createFakeClock()));
    const places = Array.from({ length: 3 }, (_, count) => enter(`chunked-${String(count)}`, '192.0.2.1', null));
    for (const place of places) expect(place?.take(100)).toBe(true);

    for (const place of places) place?.take(1);

    expect(evicted).toHaveLength(1);
    const whole = Array.from({ length: 8 }, () => enter('small', '192.0.2.2', 100)?.take(100));
    expect(whole).toEqual(Array(8).fill(true));
  });
});
