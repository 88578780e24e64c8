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
import type { EndedModelCall, NewAgentRun, NewModelCall } from '../../../src/ports/spend-store.ts';
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
      expect(store.spent(scope)).toEqual({ microUsd: 100, calls: 1, tokens: aCall().reserved, timeMs: 0 });
    }
    store.endCall(callId, anEnd());
    for (const scope of SCOPES) {
      expect(store.spent(scope)).toEqual({ microUsd: 40, calls: 1, tokens: anEnd().tokens, timeMs: 0 });
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
    fixup: { maxMicroUsd: 250, maxCalls: 9, maxTokens: null, maxTimeMs: null },
    pull_request: { maxMicroUsd: 1_000, maxCalls: 9, maxTokens: null, maxTimeMs: null },
    day: { maxMicroUsd: 1_000, maxCalls: 9, maxTokens: null, maxTimeMs: null },
    month: { maxMicroUsd: null, maxCalls: null, maxTokens: null, maxTimeMs: null },
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
    expect(
      store.reserveCall(aCall(), { [scope]: { maxMicroUsd: null, maxCalls: 0, maxTokens: null, maxTimeMs: null } }),
    ).toMatchObject({
      ...{ kind: 'refused', scope, what: 'calls', limit: 0, used: 0 },
    });
    expect(
      store.reserveCall(aCall(), { [scope]: { maxMicroUsd: 99, maxCalls: null, maxTokens: null, maxTimeMs: null } }),
    ).toMatchObject({
      ...{ kind: 'refused', scope, what: 'usd', limit: 99, used: 0 },
    });
    expect(
      store.reserveCall(aCall(), { [scope]: { maxMicroUsd: null, maxCalls: null, maxTokens: 1_049, maxTimeMs: null } }),
    ).toMatchObject({
      ...{ kind: 'refused', scope, what: 'tokens', limit: 1_049, used: 0 },
    });
    for (const of of SCOPES) expect(store.spent(of).calls).toBe(0);
    expect(
      store.reserveCall(aCall(), { [scope]: { maxMicroUsd: null, maxCalls: null, maxTokens: 1_050, maxTimeMs: null } })
        .kind,
    ).toBe('reserved');
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
    const limit = fc.record({
      ...{ maxMicroUsd: fc.nat(300), maxCalls: fc.nat(20), maxTokens: fc.nat(300), maxTimeMs: fc.constant(0) },
    });
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
          expect(now).toEqual({ microUsd: sum('usd'), calls, timeMs: 0 });
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
    day: { maxMicroUsd, maxCalls, maxTokens: null, maxTimeMs: null },
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
    const both = { ...budget(200, 2), month: { maxMicroUsd: 200, maxCalls: null, maxTokens: null, maxTimeMs: null } };
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
    const tokens = { day: { maxMicroUsd: null, maxCalls: null, maxTokens: 2_000, maxTimeMs: null } };
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
    expect(spent('a')).toEqual({ microUsd: 40, calls: 1, tokens: anEnd().tokens, timeMs: 0 });
    expect(spent('b')).toEqual({ microUsd: 100, calls: 1, tokens: aCall().reserved, timeMs: 0 });
    expect(spent('c')).toEqual({ microUsd: 140, calls: 1, tokens: { ...aCall().reserved, output: 70 }, timeMs: 0 });
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

const MINUTE = 60_000;
const aRun = (fields: Partial<NewAgentRun> = {}): NewAgentRun => ({
  ...{ sessionId, key, repositoryId: 100, installationId: 1, agent: 'claude', startedAt: NOON, wantedMs: 30 * MINUTE },
  ...fields,
});
const timed = (maxTimeMs: number) => ({ maxMicroUsd: null, maxCalls: null, maxTokens: null, maxTimeMs });

describe('the time of an agent in the ledger', () => {
  const start = (fields: Partial<NewAgentRun> = {}, limits: SpendLimits = {}): number => {
    const made = store.reserveTime(aRun(fields), limits);
    if (made.kind === 'refused') throw new Error(`refused by ${made.scope}`);
    return made.runId;
  };
  const end = (runId: number, timeMs: number | null, limits: SpendLimits = {}) =>
    store.endAgentRun(runId, { endedAt: NOON + 1, timeMs }, limits);

  it('counts with its limit while it works, and with what it took once it has ended, in every scope', () => {
    const runId = start();
    for (const scope of SCOPES)
      expect(store.spent(scope)).toMatchObject({ timeMs: 30 * MINUTE, calls: 0, microUsd: 0 });
    end(runId, 4 * MINUTE);
    end(runId, 9 * MINUTE);
    for (const scope of SCOPES) expect(store.spent(scope).timeMs).toBe(4 * MINUTE);
  });

  it.each([
    ['below nothing', -5 * MINUTE, 0],
    ['above what was reserved', 500 * MINUTE, 30 * MINUTE],
    ['that nobody knows', null, 30 * MINUTE],
  ])('%s is never charged as less than nothing, nor as more than its limit', (_what, took, charged) => {
    end(start(), took);
    for (const scope of SCOPES) expect(store.spent(scope).timeMs).toBe(charged);
  });

  it('counts on the UTC day of its start, whatever the clock says at its end', () => {
    const runId = start({ startedAt: NEXT_DAY - 1 });
    store.endAgentRun(runId, { endedAt: NOON - 90 * 86_400_000, timeMs: MINUTE }, {});
    expect(store.spent({ scope: 'day', repositoryId: 100, at: NOON }).timeMs).toBe(MINUTE);
    expect(store.spent({ scope: 'day', repositoryId: 100, at: NEXT_DAY }).timeMs).toBe(0);
  });

  it.each(BUDGET_SCOPES)('that does not fit into the budget of %s is refused, and leaves no trace', (scope) => {
    const limits = { [scope]: timed(31 * MINUTE) };
    expect(store.reserveTime(aRun(), limits)).toMatchObject({ kind: 'reserved', timeMs: 30 * MINUTE, boundBy: null });
    expect(store.reserveTime(aRun(), limits)).toMatchObject({ timeMs: MINUTE, boundBy: { scope, what: 'time' } });
    expect(store.reserveTime(aRun(), limits)).toEqual({
      ...{ kind: 'refused', scope, what: 'time', limit: 31 * MINUTE, used: 31 * MINUTE },
    });
    for (const of of SCOPES) expect(store.spent(of).timeMs).toBe(31 * MINUTE);
  });

  it('does not keep a model from being called, and a call takes no time', () => {
    const limits = { day: timed(0) };
    expect(store.reserveCall(aCall(), limits)).toMatchObject({ kind: 'reserved', alerts: [] });
    expect(store.reserveTime(aRun(), limits)).toMatchObject({ kind: 'refused', used: 0 });
  });

  it('says what agents at work reserve, of the scope and period that is asked for', () => {
    const day = { scope: 'day', repositoryId: 100, at: NOON } as const;
    expect(store.reservedTime(day)).toEqual({ timeMs: 0, until: Number.POSITIVE_INFINITY });
    const first = start({ wantedMs: 10 * MINUTE });
    start({ startedAt: NOON + MINUTE, wantedMs: 3 * MINUTE });
    start({ repositoryId: 101 });
    start({ startedAt: NEXT_DAY });
    expect(store.reservedTime(day)).toEqual({ timeMs: 13 * MINUTE, until: NOON + 4 * MINUTE });
    end(first, 1);
    expect(store.reservedTime(day)).toEqual({ timeMs: 3 * MINUTE, until: NOON + 4 * MINUTE });
    expect(store.reservedTime({ scope: 'month', installationId: 1, at: NOON }).timeMs).toBe(33 * MINUTE);
  });

  it('raises the alert at 80 % once, when an agent has ended', () => {
    const limits = { day: timed(10 * MINUTE), month: timed(100 * MINUTE) };
    expect(end(start({ wantedMs: 9 * MINUTE }, limits), MINUTE, limits)).toEqual([]);
    expect(end(start({ wantedMs: 9 * MINUTE }, limits), 7 * MINUTE, limits)).toEqual([
      { scope: 'day', what: 'time', limit: 10 * MINUTE, used: 8 * MINUTE },
    ]);
    expect(end(start({ wantedMs: MINUTE }, limits), MINUTE, limits)).toEqual([]);
  });

  it('never passes a limit together, in any order of any agents (004.R19)', () => {
    const action = fc.record({
      wanted: fc.nat(40 * MINUTE),
      took: fc.option(fc.integer({ min: -10 * MINUTE, max: 80 * MINUTE })),
      clock: fc.integer({ min: -86_400_000, max: 86_400_000 }),
      endsOld: fc.boolean(),
      nth: fc.nat(3),
    });
    const limit = fc.integer({ min: 0, max: 120 * MINUTE });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), limit, limit, (actions, most, mostOfMonth) => {
        const db = memoryStore();
        const limits = { pull_request: timed(most), month: timed(mostOfMonth) };
        const open: { readonly runId: number; readonly timeMs: number; readonly took: number | null }[] = [];
        let settled = 0;
        for (const { wanted, took, clock, endsOld, nth } of actions) {
          const old = endsOld ? open.splice(nth, 1)[0] : undefined;
          if (old !== undefined) {
            db.endAgentRun(old.runId, { endedAt: NOON + clock, timeMs: old.took }, limits);
            settled += old.took === null ? old.timeMs : Math.min(Math.max(old.took, 0), old.timeMs);
          }
          const used = open.reduce((sum, { timeMs }) => sum + timeMs, settled);
          const left = Math.min(most, mostOfMonth) - used;
          const made = db.reserveTime(aRun({ wantedMs: wanted, sessionId: parseSessionId(`s${String(nth)}`) }), limits);
          // The model: an agent gets its limit or what is left, and starts exactly if that is a minute.
          expect(made.kind).toBe(left < MINUTE ? 'refused' : 'reserved');
          if (made.kind === 'reserved') {
            expect(made.timeMs).toBe(Math.min(wanted, left));
            open.push({ runId: made.runId, timeMs: made.timeMs, took });
          }
          const { timeMs } = db.spent({ scope: 'pull_request', key });
          expect(timeMs).toBe(open.reduce((sum, run) => sum + run.timeMs, settled));
          expect(timeMs).toBeLessThanOrEqual(Math.min(most, mostOfMonth));
        }
        db.close();
      }),
      { numRuns: 40 },
    );
  });

  it('is charged whole after the end of the process, once', () => {
    const folder = temporaryFolder();
    const path = join(folder.path, 'ratchet.db');
    const first = createStore({ path });
    for (const wantedMs of [MINUTE, 2 * MINUTE]) first.reserveTime(aRun({ wantedMs }), {});
    first.endAgentRun(1, { endedAt: NOON, timeMs: 5_000 }, {});
    first.close();

    const second = createStore({ path });
    expect(second.settleOpenRuns(NOON)).toBe(1);
    expect(second.settleOpenRuns(NOON)).toBe(0);
    second.endAgentRun(2, { endedAt: NOON, timeMs: 1 }, {});
    for (const scope of SCOPES) expect(second.spent(scope).timeMs).toBe(2 * MINUTE + 5_000);
    expect(second.reservedTime({ scope: 'day', repositoryId: 100, at: NOON }).timeMs).toBe(0);
    second.close();
    folder.remove();
  });

  it('is never below nothing: its totals stay while it works, however far the clock jumps meanwhile', () => {
    end(start({ wantedMs: MINUTE }), MINUTE);
    const open = start({ wantedMs: 2 * MINUTE });
    store.prune({ ...NOTHING_OLD, spend: NOON + 90 * 86_400_000 }, 500);
    store.endAgentRun(open, { endedAt: NOON + 3, timeMs: 1 }, {});
    for (const scope of SCOPES) expect(store.spent(scope).timeMs).toBe(MINUTE + 1);

    store.prune({ ...NOTHING_OLD, spend: NOON + 90 * 86_400_000 }, 500);
    for (const scope of SCOPES) expect(store.spent(scope).timeMs).toBe(0);
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
