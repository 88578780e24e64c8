import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { toTokenCount } from '../../../src/core/agents/use-text.ts';
import { parseSessionId, toPullRequestKey } from '../../../src/core/model/ids.ts';
import { BUDGET_SCOPES } from '../../../src/core/model/model-use.ts';
import type { SpendLimits, SpendScope } from '../../../src/core/model/spend.ts';
import type { EndedModelCall, NewModelCall } from '../../../src/ports/spend-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { aDelivery, memoryStore, NOTHING_OLD, pullRequestChanged, temporaryFolder } from '../../support/store.ts';

const NOON = Date.UTC(2026, 10, 30, 12);
const NEXT_DAY = Date.UTC(2026, 11, 1);
const sessionId = parseSessionId('s1');
const key = toPullRequestKey(100, 7);
const NO_TOKENS = { input: 0, cached: 0, written: 0, output: 0 };

function aCall(fields: Partial<NewModelCall> = {}): NewModelCall {
  return {
    ...{ sessionId, key, repositoryId: 100, installationId: 1, agent: 'claude', model: 'm', startedAt: NOON },
    ...{ reservedMicroUsd: 100, reserved: { ...NO_TOKENS, input: 1_000, output: 50 } },
    ...fields,
  };
}

function anEnd(fields: Partial<EndedModelCall> = {}): EndedModelCall {
  return {
    ...{ state: 'settled', endedAt: NOON + 1, status: 200, fault: null, microUsd: 40 },
    tokens: { input: 20, cached: 300, written: 7, output: 9 },
    ...fields,
  };
}

const OF_FIXUP: SpendScope = { scope: 'fixup', sessionId };
const SCOPES: readonly SpendScope[] = [
  OF_FIXUP,
  { scope: 'pull_request', key },
  { scope: 'day', repositoryId: 100, at: NOON },
  { scope: 'month', installationId: 1, at: NOON },
];

let store: Store;
beforeEach(() => {
  store = memoryStore();
});
afterEach(() => store.close());

function reserve(fields: Partial<NewModelCall> = {}, limits: SpendLimits = {}): number {
  const made = store.reserveCall(aCall(fields), limits);
  if (made.kind === 'refused') throw new Error(`refused by ${made.scope}`);
  return made.callId;
}

const usdOf = (scope: SpendScope): number => store.spent(scope).microUsd;

describe('a call in the ledger', () => {
  it('counts with its reservation while it is open, and with its use once it has ended, in every scope', () => {
    const callId = reserve();
    for (const scope of SCOPES) {
      expect(store.spent(scope)).toEqual({ microUsd: 100, calls: 1, tokens: aCall().reserved });
    }
    store.endCall(callId, anEnd());
    for (const scope of SCOPES) {
      expect(store.spent(scope)).toEqual({ microUsd: 40, calls: 1, tokens: anEnd().tokens });
    }
  });

  it('ends once', () => {
    const callId = reserve();
    store.endCall(callId, anEnd({ microUsd: 40 }));
    store.endCall(callId, anEnd({ microUsd: 99 }));
    store.noteCall(callId, { tokens: NO_TOKENS, microUsd: 5_000 });
    expect(store.spent(OF_FIXUP)).toMatchObject({ microUsd: 40, calls: 1 });
  });

  it('is charged what was seen where that is more than its reservation', () => {
    const callId = reserve();
    store.noteCall(callId, { tokens: { ...NO_TOKENS, cached: 30, output: 80 }, microUsd: 70 });
    expect(store.spent(OF_FIXUP)).toMatchObject({ microUsd: 100, tokens: { input: 1_000, cached: 30, output: 80 } });
    store.noteCall(callId, { tokens: { ...NO_TOKENS, output: 90 }, microUsd: 130 });
    store.noteCall(callId, { tokens: { ...NO_TOKENS, output: 10 }, microUsd: 10 });
    for (const scope of SCOPES) {
      expect(store.spent(scope)).toMatchObject({ microUsd: 130, calls: 1, tokens: { cached: 30, output: 90 } });
    }
  });

  it('counts on the UTC day and in the UTC month of its start', () => {
    const callId = reserve({ startedAt: NEXT_DAY - 1 });
    store.endCall(callId, anEnd({ endedAt: NEXT_DAY + 5_000 }));
    reserve({ startedAt: NEXT_DAY, reservedMicroUsd: 3 });

    expect(usdOf({ scope: 'day', repositoryId: 100, at: NOON })).toBe(40);
    expect(usdOf({ scope: 'day', repositoryId: 100, at: NEXT_DAY + 1 })).toBe(3);
    expect(usdOf({ scope: 'month', installationId: 1, at: NOON })).toBe(40);
    expect(usdOf({ scope: 'month', installationId: 1, at: NEXT_DAY })).toBe(3);
    expect(usdOf({ scope: 'pull_request', key })).toBe(43);
  });

  it.each([
    ['session', { sessionId: parseSessionId('s2') }, 'fixup'],
    ['pull request', { key: toPullRequestKey(100, 8) }, 'pull_request'],
    ['repository', { repositoryId: 101 }, 'day'],
    ['installation', { installationId: 2 }, 'month'],
  ] as const)('of another %s is not in the total', (_what, other, scope) => {
    reserve(other);
    expect(SCOPES.filter((of) => usdOf(of) === 0).map((of) => of.scope)).toEqual([scope]);
  });
});

describe('a reservation', () => {
  const limits: SpendLimits = {
    fixup: { maxMicroUsd: 250, maxCalls: 9, maxTokens: null },
    pull_request: { maxMicroUsd: 1_000, maxCalls: 9, maxTokens: null },
    day: { maxMicroUsd: 1_000, maxCalls: 9, maxTokens: null },
    month: { maxMicroUsd: null, maxCalls: null, maxTokens: null },
  };

  it('that does not fit is refused with the budget, and leaves no trace', () => {
    reserve({}, limits);
    reserve({}, limits);
    expect(store.reserveCall(aCall(), limits)).toEqual({
      ...{ kind: 'refused', scope: 'fixup', what: 'usd', limit: 250, used: 200 },
    });
    for (const scope of SCOPES) expect(store.spent(scope)).toMatchObject({ microUsd: 200, calls: 2 });
    expect(store.reserveCall(aCall({ reservedMicroUsd: 50 }), limits).kind).toBe('reserved');
  });

  it('uses what an earlier call did not need', () => {
    const callId = reserve({ reservedMicroUsd: 250 }, limits);
    expect(store.reserveCall(aCall(), limits).kind).toBe('refused');
    store.endCall(callId, anEnd({ microUsd: 10 }));
    expect(store.reserveCall(aCall(), limits).kind).toBe('reserved');
  });

  it.each(BUDGET_SCOPES)('respects the calls, the USD and the tokens of %s', (scope) => {
    expect(store.reserveCall(aCall(), { [scope]: { maxMicroUsd: null, maxCalls: 0, maxTokens: null } })).toMatchObject({
      ...{ kind: 'refused', scope, what: 'calls', limit: 0, used: 0 },
    });
    expect(store.reserveCall(aCall(), { [scope]: { maxMicroUsd: 99, maxCalls: null, maxTokens: null } })).toMatchObject(
      {
        ...{ kind: 'refused', scope, what: 'usd', limit: 99, used: 0 },
      },
    );
    expect(
      store.reserveCall(aCall(), { [scope]: { maxMicroUsd: null, maxCalls: null, maxTokens: 1_049 } }),
    ).toMatchObject({
      ...{ kind: 'refused', scope, what: 'tokens', limit: 1_049, used: 0 },
    });
    for (const of of SCOPES) expect(store.spent(of).calls).toBe(0);
    expect(store.reserveCall(aCall(), { [scope]: { maxMicroUsd: null, maxCalls: null, maxTokens: 1_050 } }).kind).toBe(
      'reserved',
    );
  });

  it('never lets the charges exceed a limit, in any order of any calls', () => {
    const action = fc.record({
      usd: fc.nat(60),
      input: fc.nat(40),
      output: fc.nat(20),
      used: fc.double({ min: 0, max: 1, noNaN: true }),
      endsOld: fc.boolean(),
      nth: fc.nat(3),
    });
    const limit = fc.record({ maxMicroUsd: fc.nat(300), maxCalls: fc.nat(20), maxTokens: fc.nat(300) });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 100 }), limit, (actions, most) => {
        const db = memoryStore();
        const open: {
          readonly callId: number;
          readonly usd: number;
          readonly tokens: number;
          readonly used: number;
        }[] = [];
        let calls = 0;
        const settled = { usd: 0, tokens: 0 };
        const sum = (what: 'usd' | 'tokens'): number => open.reduce((all, call) => all + call[what], settled[what]);
        for (const { usd, input, output, used, endsOld, nth } of actions) {
          const old = endsOld ? open.splice(nth, 1)[0] : undefined;
          if (old !== undefined) {
            const [microUsd, cached] = [Math.floor(old.usd * old.used), Math.floor(old.tokens * old.used)];
            db.endCall(old.callId, anEnd({ microUsd, tokens: { ...NO_TOKENS, cached } }));
            settled.usd += microUsd;
            settled.tokens += cached;
          }
          const fits =
            sum('usd') + usd <= most.maxMicroUsd &&
            sum('tokens') + input + output <= most.maxTokens &&
            calls < most.maxCalls;
          const reserved = { ...NO_TOKENS, input, output };
          const call = aCall({ reservedMicroUsd: usd, reserved, sessionId: parseSessionId(`s${String(nth)}`) });
          const made = db.reserveCall(call, { pull_request: most, day: most, month: most });
          // The model: a call fits exactly if all three sums allow it.
          expect(made.kind === 'reserved').toBe(fits);
          if (made.kind === 'reserved') {
            open.push({ callId: made.callId, usd, tokens: input + output, used });
            calls += 1;
          }
          const { tokens, ...now } = db.spent({ scope: 'pull_request', key });
          expect(now).toEqual({ microUsd: sum('usd'), calls });
          expect(toTokenCount(tokens)).toBe(sum('tokens'));
          expect(now.microUsd).toBeLessThanOrEqual(most.maxMicroUsd);
          expect(sum('tokens')).toBeLessThanOrEqual(most.maxTokens);
        }
        db.close();
      }),
      { numRuns: 40 },
    );
  });
});

describe('the alert of a budget', () => {
  const budget = (maxMicroUsd: number | null, maxCalls: number | null): SpendLimits => ({
    day: { maxMicroUsd, maxCalls, maxTokens: null },
  });
  const alertsOf = (fields: Partial<NewModelCall>, limits: SpendLimits): unknown => {
    const made = store.reserveCall(aCall(fields), limits);
    return made.kind === 'reserved' ? made.alerts : made;
  };

  it('is raised once, at 80 %', () => {
    expect(alertsOf({ reservedMicroUsd: 799 }, budget(1_000, null))).toEqual([]);
    expect(alertsOf({ reservedMicroUsd: 1 }, budget(1_000, null))).toEqual([
      { scope: 'day', what: 'usd', limit: 1_000, used: 800 },
    ]);
    expect(alertsOf({ reservedMicroUsd: 1 }, budget(1_000, null))).toEqual([]);
  });

  it('is raised for each kind, scope and period of its own', () => {
    const both = { ...budget(200, 2), month: { maxMicroUsd: 200, maxCalls: null, maxTokens: null } };
    expect(alertsOf({ reservedMicroUsd: 100 }, both)).toEqual([]);
    expect(alertsOf({ reservedMicroUsd: 90 }, both)).toEqual([
      { scope: 'day', what: 'usd', limit: 200, used: 190 },
      { scope: 'day', what: 'calls', limit: 2, used: 2 },
      { scope: 'month', what: 'usd', limit: 200, used: 190 },
    ]);
    expect(alertsOf({ reservedMicroUsd: 180, startedAt: NEXT_DAY }, budget(200, null))).toHaveLength(1);
    expect(alertsOf({ reservedMicroUsd: 180, repositoryId: 101 }, budget(200, null))).toHaveLength(1);
  });

  it('is raised once for the tokens', () => {
    const tokens = { day: { maxMicroUsd: null, maxCalls: null, maxTokens: 2_000 } };
    expect(alertsOf({}, tokens)).toEqual([]);
    const reserved = { ...NO_TOKENS, written: 550 };
    expect(alertsOf({ reserved }, tokens)).toEqual([{ scope: 'day', what: 'tokens', limit: 2_000, used: 1_600 }]);
    expect(alertsOf({ reserved: NO_TOKENS }, tokens)).toEqual([]);
  });

  it('is not raised for a call without cost in a budget of nothing', () => {
    expect(alertsOf({ reservedMicroUsd: 0 }, budget(0, null))).toEqual([]);
  });
});

describe('a ledger after the end of its process', () => {
  it('charges open calls their reservation, or more where more was seen, once', () => {
    const folder = temporaryFolder();
    const path = join(folder.path, 'ratchet.db');
    const first = createStore({ path });
    for (const sessionOf of ['a', 'b', 'c']) first.reserveCall(aCall({ sessionId: parseSessionId(sessionOf) }), {});
    first.endCall(1, anEnd());
    first.noteCall(3, { tokens: { ...NO_TOKENS, output: 70 }, microUsd: 140 });
    first.close();

    const second = createStore({ path });
    expect(second.settleOpenCalls(NOON + 60_000)).toBe(2);
    expect(second.settleOpenCalls(NOON + 60_000)).toBe(0);
    const spent = (id: string) => second.spent({ scope: 'fixup', sessionId: parseSessionId(id) });
    expect(spent('a')).toEqual({ microUsd: 40, calls: 1, tokens: anEnd().tokens });
    expect(spent('b')).toEqual({ microUsd: 100, calls: 1, tokens: aCall().reserved });
    expect(spent('c')).toEqual({ microUsd: 140, calls: 1, tokens: { ...aCall().reserved, output: 70 } });
    // They have ended: nothing changes them any more.
    second.endCall(2, anEnd({ microUsd: 1 }));
    expect(second.spent({ scope: 'pull_request', key })).toMatchObject({ microUsd: 280, calls: 3 });
    second.close();
    folder.remove();
  });

  it('has all that was acknowledged before a kill', async () => {
    const folder = temporaryFolder();
    const path = join(folder.path, 'ratchet.db');
    const script = fileURLToPath(new URL('children/reserve-until-killed.ts', import.meta.url));
    const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      output += String(chunk);
      if (output.split('\n').length > 40) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    const acknowledged = output.slice(0, output.lastIndexOf('\n')).split('\n').length;

    const after = createStore({ path });
    after.settleOpenCalls(NOON);
    // One more may have been stored, but not acknowledged.
    const { calls, microUsd } = after.spent({ scope: 'pull_request', key });
    expect(calls - acknowledged).toBeGreaterThanOrEqual(0);
    expect(calls - acknowledged).toBeLessThanOrEqual(1);
    expect(microUsd).toBe(calls * 100);
    after.close();
    folder.remove();
  });
});

describe('housekeeping of the ledger', () => {
  const OLD = NOON - 1_000_000;

  it('deletes ended calls and the totals of past periods, and no open call', () => {
    store.endCall(reserve({ startedAt: OLD }), anEnd({ endedAt: OLD }));
    const open = reserve({ startedAt: OLD, sessionId: parseSessionId('open') });
    store.endCall(reserve({ sessionId: parseSessionId('new') }), anEnd());

    store.prune({ ...NOTHING_OLD, spend: NOON }, 500);
    expect(usdOf(OF_FIXUP)).toBe(0);
    expect(usdOf({ scope: 'fixup', sessionId: parseSessionId('new') })).toBe(40);
    // The month goes on.
    const month: SpendScope = { scope: 'month', installationId: 1, at: NOON };
    expect(usdOf(month)).toBe(180);
    store.endCall(open, anEnd({ endedAt: NOON }));
    expect(usdOf(month)).toBe(120);
  });

  it('keeps what was spent on a pull request as long as the pull request', () => {
    store.ingest([aDelivery('opened', pullRequestChanged())]);
    store.endCall(reserve({ startedAt: OLD }), anEnd({ endedAt: OLD }));
    store.endCall(reserve({ startedAt: OLD, key: toPullRequestKey(100, 8) }), anEnd({ endedAt: OLD }));

    store.prune({ ...NOTHING_OLD, spend: NOON }, 500);
    expect(usdOf({ scope: 'pull_request', key })).toBe(40);
    expect(usdOf({ scope: 'pull_request', key: toPullRequestKey(100, 8) })).toBe(0);
  });
});
