import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/ports/store.ts';
import { memoryStore } from '../../support/store.ts';

const queue = 'q';
const leaseMs = 100;

let store: Store;
let now = 1_000;
beforeEach(() => {
  now = 1_000;
  store = memoryStore({ now: () => now });
});
afterEach(() => store.close());

function claim(key = 'k'): string | null {
  return store.claimWakeup(queue, key, now, leaseMs);
}

/** Claims what must be claimable. */
function mustClaim(key = 'k'): string {
  const leaseId = claim(key);
  if (leaseId === null) throw new Error(`${key} cannot be claimed`);
  return leaseId;
}

function finish(leaseId: string, nextCheckAt: number | null = null, key = 'k'): boolean {
  return store.finishWakeup(queue, key, leaseId, nextCheckAt).dirty;
}

describe('a wake-up', () => {
  it('is claimed once, and is done when the run ends (trap 133)', () => {
    store.markWakeup(queue, 'k', null);
    const leaseId = mustClaim();

    expect(claim()).toBeNull();
    expect(finish(leaseId)).toBe(false);
    expect(claim()).toBeNull();
    expect(store.nextWakeupAt(queue)).toBeNull();
  });

  it('shows as one until its run ends, and a check that is due does not', () => {
    const seen = [store.isWoken(queue, 'k')];
    store.markWakeup(queue, 'k', null);
    seen.push(store.isWoken(queue, 'k'));
    const leaseId = mustClaim();
    seen.push(store.isWoken(queue, 'k'));
    finish(leaseId, now + 10);
    now += 10;
    seen.push(store.isWoken(queue, 'k'), store.isWoken('other', 'k'));

    expect(seen).toEqual([false, true, true, false, false]);
    // One whose lease ran out came to no end: what woke it, or the check that was due, is still owed a run.
    mustClaim();
    now += leaseMs;
    expect(store.isWoken(queue, 'k')).toBe(true);
  });

  it('during a run makes the key dirty again after it', () => {
    store.markWakeup(queue, 'k', null);
    const leaseId = mustClaim();
    store.markWakeup(queue, 'k', null);

    expect(store.dueWakeups(queue, now, 10)).toEqual([]);
    expect(finish(leaseId)).toBe(true);
    expect(finish(mustClaim())).toBe(false);
  });

  it('is one run, however often it was marked before', () => {
    for (let nth = 0; nth < 5; nth += 1) store.markWakeup(queue, 'k', null);

    expect(finish(mustClaim())).toBe(false);
    expect(claim()).toBeNull();
  });

  it('can be claimed although the clock was set back', () => {
    store.markWakeup(queue, 'k', null);
    now = 10;

    expect(store.dueWakeups(queue, now, 10)).toEqual(['k']);
    expect(claim()).not.toBeNull();
  });

  it('of an unknown key is nothing to claim', () => {
    expect(claim('none')).toBeNull();
  });

  it('belongs to its queue', () => {
    store.markWakeup('other', 'k', null);

    expect(claim()).toBeNull();
    expect(store.dueWakeups(queue, now, 10)).toEqual([]);
  });
});

describe('a next check', () => {
  it('makes the key due when it comes, and not before', () => {
    store.markWakeup(queue, 'k', 1_500);
    expect(claim()).toBeNull();
    expect(store.nextWakeupAt(queue)).toBe(1_500);

    now = 1_500;
    expect(store.dueWakeups(queue, now, 10)).toEqual(['k']);
    expect(finish(mustClaim())).toBe(false);
    expect(claim()).toBeNull();
  });

  it('moves forward and never back', () => {
    for (const at of [1_500, 1_400, 1_600]) store.markWakeup(queue, 'k', at);

    expect(store.nextWakeupAt(queue)).toBe(1_400);
  });

  it('is overtaken by a wake-up', () => {
    store.markWakeup(queue, 'k', 9_000);
    store.markWakeup(queue, 'k', null);

    expect(claim()).not.toBeNull();
  });

  it('that the run asks for replaces the one that was planned before it', () => {
    store.markWakeup(queue, 'k', 2_000);
    store.markWakeup(queue, 'k', null);

    finish(mustClaim(), 3_000);

    expect(store.nextWakeupAt(queue)).toBe(3_000);
  });

  it.each([
    { what: 'an earlier one set during the run stays', during: 1_200, asked: 3_000, then: 1_200 },
    { what: 'a later one set during the run yields', during: 4_000, asked: 3_000, then: 3_000 },
    { what: 'one set during the run stays when the run asks for none', during: 4_000, asked: null, then: 4_000 },
    { what: 'the run alone asks', during: null, asked: 3_000, then: 3_000 },
    { what: 'nobody asks', during: null, asked: null, then: null },
  ])('after a run: $what', ({ during, asked, then }) => {
    store.markWakeup(queue, 'k', null);
    const leaseId = mustClaim();
    if (during !== null) store.markWakeup(queue, 'k', during);

    expect(finish(leaseId, asked)).toBe(false);
    expect(store.nextWakeupAt(queue)).toBe(then);
  });
});

describe('a lease', () => {
  it('that ran out gives the key to another run, and its holder changes nothing any more', () => {
    store.markWakeup(queue, 'k', null);
    const stale = mustClaim();
    now += leaseMs;
    const live = mustClaim();

    expect(store.renewLease(queue, 'k', stale, now + 1_000)).toBe(false);
    expect(store.holdsLease(queue, 'k', stale)).toBe(false);
    expect(finish(stale, 1)).toBe(false);
    expect(store.holdsLease(queue, 'k', live)).toBe(true);
    expect(store.nextWakeupAt(queue)).toBe(now + leaseMs);
  });

  it('is kept by renewal', () => {
    store.markWakeup(queue, 'k', null);
    const leaseId = mustClaim();
    now += 90;
    expect(store.renewLease(queue, 'k', leaseId, now + leaseMs)).toBe(true);
    now += 90;

    expect(claim()).toBeNull();
    expect(store.dueWakeups(queue, now, 10)).toEqual([]);
  });

  it('that a dead process left is freed, and its key is due at once', () => {
    store.markWakeup(queue, 'checked', now);
    store.markWakeup(queue, 'woken', null);
    mustClaim('checked');
    mustClaim('woken');
    store.markWakeup(queue, 'idle', 9_000);

    expect(store.freeLeases(queue)).toBe(2);
    expect([...store.dueWakeups(queue, now, 10)].toSorted()).toEqual(['checked', 'woken']);
    expect(claim('checked')).not.toBeNull();
    expect(store.freeLeases('other')).toBe(0);
  });
});

describe('the due keys', () => {
  it('come oldest first, at most as many as asked for', () => {
    for (const [nth, key] of ['c', 'a', 'b'].entries()) {
      now = 1_000 + nth;
      store.markWakeup(queue, key, null);
    }
    store.markWakeup(queue, 'check', 900);
    store.markWakeup(queue, 'later', 5_000);

    expect(store.dueWakeups(queue, now, 10)).toEqual(['check', 'c', 'a', 'b']);
    expect(store.dueWakeups(queue, now, 2)).toEqual(['check', 'c']);
  });

  it('name a key once that is dirty and has a check that came', () => {
    store.markWakeup(queue, 'k', 900);
    store.markWakeup(queue, 'k', null);

    expect(store.dueWakeups(queue, now, 10)).toEqual(['k']);
  });

  it('put a key that became dirty during its run behind those that wait (trap 65)', () => {
    store.markWakeup(queue, 'busy', null);
    const leaseId = mustClaim('busy');
    store.markWakeup(queue, 'busy', null);
    now += 1;
    store.markWakeup(queue, 'patient', null);
    now += 1;
    finish(leaseId, null, 'busy');

    expect(store.dueWakeups(queue, now, 10)).toEqual(['patient', 'busy']);
  });
});

type Step =
  | { readonly kind: 'mark' | 'claim' | 'free' | 'renew' }
  | { readonly kind: 'plan' | 'pass'; readonly ms: number }
  | { readonly kind: 'finish'; readonly ms: number | null };

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom<'mark' | 'claim' | 'free' | 'renew'>('mark', 'claim', 'free', 'renew') }),
    fc.record({ kind: fc.constantFrom<'plan' | 'pass'>('plan', 'pass'), ms: fc.integer({ min: 0, max: 250 }) }),
    fc.record({ kind: fc.constant<'finish'>('finish'), ms: fc.option(fc.integer({ min: 0, max: 250 })) }),
  ),
  { maxLength: 40 },
);

/** What must hold, kept beside the row: every lease ever given, and the wake-ups that no finished run has begun after. */
interface Model {
  owed: boolean;
  plannedAt: number | null;
  readonly leases: { readonly id: string; until: number; covers: boolean }[];
}

describe('any interleaving of marks, claims, ends, deaths and passing time', () => {
  function apply(model: Model, step: Step): void {
    const last = model.leases.at(-1);
    switch (step.kind) {
      case 'mark':
        store.markWakeup(queue, 'k', null);
        model.owed = true;
        // What is at work began before: it does not cover this wake-up.
        if (last !== undefined) last.covers = false;
        return;
      case 'plan':
        store.markWakeup(queue, 'k', now + step.ms);
        model.plannedAt = Math.min(model.plannedAt ?? Infinity, now + step.ms);
        return;
      case 'pass':
        now += step.ms;
        return;
      case 'free':
        // The death of the process: nobody holds anything any more.
        store.freeLeases(queue);
        for (const lease of model.leases) lease.until = -1;
        return;
      case 'renew':
        applyRenewal(model);
        return;
      case 'claim':
        applyClaim(model);
        return;
      case 'finish':
        applyFinish(model, step.ms);
    }
  }

  function applyRenewal(model: Model): void {
    const last = model.leases.at(-1);
    if (last === undefined || !store.renewLease(queue, 'k', last.id, now + leaseMs)) return;
    last.until = now + leaseMs;
  }

  function applyClaim(model: Model): void {
    const isLive = model.leases.some(({ until }) => until > now);
    const id = claim();
    if (id === null) return;
    expect(isLive, 'a second live lease').toBe(false);
    model.leases.push({ id, until: now + leaseMs, covers: true });
    model.owed = true;
    model.plannedAt = null;
  }

  function applyFinish(model: Model, ms: number | null): void {
    const last = model.leases.at(-1);
    if (last === undefined) return;
    const isHeld = store.holdsLease(queue, 'k', last.id);
    const { dirty } = store.finishWakeup(queue, 'k', last.id, ms === null ? null : now + ms);
    expect(dirty).toBe(isHeld && !last.covers);
    if (!isHeld) return;
    if (last.covers) model.owed = false;
    last.until = -1;
    if (ms !== null) model.plannedAt = Math.min(model.plannedAt ?? Infinity, now + ms);
  }

  it('never loses a wake-up or a check, and never has two live leases (traps 132 and 133)', () => {
    fc.assert(
      fc.property(steps, (run) => {
        const model: Model = { owed: false, plannedAt: null, leases: [] };
        store.close();
        now = 1_000;
        store = memoryStore({ now: () => now });
        for (const step of run) apply(model, step);

        // However it went: once every lease and every wait is over, what is owed can be claimed, and nothing else.
        now += 10_000;
        const isExpected = model.owed || model.plannedAt !== null;
        expect(store.dueWakeups(queue, now, 10)).toEqual(isExpected ? ['k'] : []);
        expect(claim() !== null).toBe(isExpected);
      }),
      { numRuns: 300 },
    );
  });
});
