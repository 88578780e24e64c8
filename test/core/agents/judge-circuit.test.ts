import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findOpenCircuit } from '../../../src/core/agents/find-open-circuit.ts';
import { judgeCircuit, type ModelTrial, toCircuitState } from '../../../src/core/agents/judge-circuit.ts';
import { type ModelUse, UPSTREAM_FAULTS, type UpstreamFault } from '../../../src/core/model/model-use.ts';
import type { ModelCircuit } from '../../../src/core/model/spend.ts';
import { forge, NOW } from '../../support/builders.ts';
import { aModelUse } from '../../support/model-builders.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const of = { fingerprint: 'key-1', agent: 'claude' };

function after(
  lastCall: ModelUse['lastCall'],
  change: Partial<ModelTrial> = {},
  retryAt: number | null = null,
): ModelTrial {
  return { ...of, use: aModelUse({ lastCall, retryAt }), startedAt: NOW - 1000, now: NOW, ...change };
}

function circuit(change: Partial<ModelCircuit> = {}): ModelCircuit {
  return { ...of, fault: 'overloaded', failures: 1, openedAt: NOW - HOUR_MS, until: NOW - MINUTE_MS, ...change };
}

/** For how long each of `count` failures in a row opens the circuit, in minutes. */
function minutesOpen(fault: UpstreamFault, count: number): readonly (number | null)[] {
  const minutes: (number | null)[] = [];
  let known: ModelCircuit | null = null;
  for (let failure = 0; failure < count; failure += 1) {
    const now: number = (known?.until ?? NOW) + 1;
    known = judgeCircuit(known, after(fault, { startedAt: now, now }));
    const until = known?.until ?? null;
    minutes.push(until === null ? null : (until - now) / MINUTE_MS);
  }
  return minutes;
}

describe('judgeCircuit', () => {
  it.each<[UpstreamFault, readonly (number | null)[]]>([
    ['rate_limited', [1, 2, 4, 8, 16, 30, 30]],
    ['overloaded', [0.5, 1, 2, 5, 10, 20, 40, 60, 60]],
    ['silent', [0.5, 1, 2, 5]],
    ['cut', [0.5, 1, 2, 5]],
    ['unreadable', [0.5, 1, 2, 5]],
    ['auth', [null, null]],
    ['no_credit', [null, null]],
  ])('waits longer after each %s', (fault, minutes) => {
    expect(minutesOpen(fault, minutes.length)).toEqual(minutes);
  });

  it.each(['auth', 'no_credit'] as const)('stays open after %s until the configuration changes', (fault) => {
    expect(judgeCircuit(null, after(fault))).toEqual({ ...of, fault, failures: 1, openedAt: NOW, until: null });
  });

  it.each(['too_long', 'bad_request'] as const)('does not open for %s, which is no fault of the model', (fault) => {
    expect(judgeCircuit(null, after(fault))).toBeNull();
    expect(judgeCircuit(circuit(), after(fault))).toEqual(circuit());
  });

  it.each([
    ['waits as long as the provider asks', null, 20_000, 20_000],
    ['waits for a day at most', null, 365 * 24 * HOUR_MS, 24 * HOUR_MS],
    ['does not believe a time in the past', null, -5, MINUTE_MS],
    ['does not believe a short time twice', circuit(), 1_000, 2 * MINUTE_MS],
    ['believes a long time again', circuit(), HOUR_MS, HOUR_MS],
  ])('%s', (_title, known, askedMs, waitsMs) => {
    expect(judgeCircuit(known, after('rate_limited', {}, NOW + askedMs))?.until).toBe(NOW + waitsMs);
  });

  it('closes after a success, and forgets the failures', () => {
    expect(judgeCircuit(circuit({ failures: 7 }), after('ok'))).toBeNull();
    expect(judgeCircuit(null, after('ok'))).toBeNull();
  });

  it('learns nothing from a session that called no model', () => {
    expect(judgeCircuit(circuit(), after(null))).toEqual(circuit());
    expect(judgeCircuit(null, after(null))).toBeNull();
  });

  it('counts failures of sessions that were launched before it opened as one', () => {
    const known = circuit({ openedAt: NOW, until: NOW + MINUTE_MS, failures: 2 });

    expect(judgeCircuit(known, after('overloaded'))).toEqual(known);
    expect(judgeCircuit(known, after('rate_limited', {}, NOW + HOUR_MS))).toEqual({
      ...known,
      fault: 'rate_limited',
      until: NOW + HOUR_MS,
    });
    expect(judgeCircuit(known, after('auth'))).toEqual({ ...known, fault: 'auth', until: null });
    expect(judgeCircuit({ ...known, fault: 'auth', until: null }, after('overloaded'))).toMatchObject({ until: null });
  });

  it('is not closed by the success of a session that was launched before it opened', () => {
    const known = circuit({ openedAt: NOW });

    expect(judgeCircuit(known, after('ok'))).toEqual(known);
    expect(judgeCircuit(known, after('ok', { startedAt: NOW }))).toBeNull();
  });

  it('refuses a fault that does not exist', () => {
    expect(() => judgeCircuit(null, after(forge('"melted"')))).toThrow('unexpected value');
  });

  it('never opens for less than half a minute after the first failure, whatever a provider says', () => {
    const anyFault = fc.constantFrom(...UPSTREAM_FAULTS);
    fc.assert(
      fc.property(anyFault, fc.integer({ min: 1, max: 100 }), fc.integer(), (fault, failures, retryIn) => {
        const known = circuit({ failures });
        const judged = judgeCircuit(known, after(fault, {}, NOW + retryIn));
        return judged === known || judged?.until === null || (judged?.until ?? 0) >= NOW + MINUTE_MS / 2;
      }),
    );
  });
});

describe('findOpenCircuit', () => {
  const facts = { agent: 'claude', isKeyUsable: true, circuit: null, isTried: false, now: NOW };
  const open = { kind: 'circuit_open', agent: 'claude', fault: 'overloaded', isTried: false };

  it.each<[string, Partial<Parameters<typeof findOpenCircuit>[0]>, unknown]>([
    ['finds nothing where none is known', {}, null],
    ['finds a key file that cannot be used', { isKeyUsable: false }, { ...open, fault: 'key_file', until: null }],
    ['finds one that is open', { circuit: circuit({ until: NOW + 5 }) }, { ...open, until: NOW + 5 }],
    ['finds one that stays open', { circuit: circuit({ until: null }) }, { ...open, until: null }],
    ['lets one fixup try when its time is over', { circuit: circuit() }, null],
    [
      'lets others wait for it, a minute at a time',
      { circuit: circuit(), isTried: true },
      { ...open, until: NOW + MINUTE_MS, isTried: true },
    ],
    ['does not care who tries where none is known', { isTried: true }, null],
  ])('%s', (_title, change, expected) => {
    expect(findOpenCircuit({ ...facts, ...change })).toEqual(expected);
  });
});

describe('toCircuitState', () => {
  it('opens, and lets one launch try when its time is over', () => {
    expect(toCircuitState(null, NOW)).toEqual({ kind: 'closed' });
    expect(toCircuitState({ until: null }, NOW)).toEqual({ kind: 'open', until: null });
    expect(toCircuitState({ until: NOW + 1 }, NOW)).toEqual({ kind: 'open', until: NOW + 1 });
    expect(toCircuitState({ until: NOW }, NOW)).toEqual({ kind: 'half_open' });
  });
});
