import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseSessionId, toPullRequestKey } from '../../../src/core/model/ids.ts';
import type { SpendLimit } from '../../../src/core/model/spend.ts';
import type { TokenCount } from '../../../world/models/model-call.ts';
import { type Models, startModels } from '../../../world/models/start-models.ts';
import {
  API_NAMES,
  begin,
  CALLS,
  call,
  type GatewayFixture,
  type GatewayOptions,
  KEY,
  MODEL,
  openGateway,
  PRICE,
  STREAMS,
  sendRaw,
} from './gateway-fixture.ts';

const SESSION = parseSessionId('session-1');
const USE: TokenCount = { input: 1000, cached: 0, written: 0, output: 100 };
const COST = 1000 * 3 + 100 * 15;
/** More than the bound of the smallest call: its bytes, the overhead, and 1,000 tokens of output. */
const ENOUGH = 40_000;

let models: Models;
let fixture: GatewayFixture | null = null;

beforeAll(async () => {
  models = await startModels({ key: KEY, prices: { [MODEL]: PRICE }, toUse: () => USE });
});
afterAll(() => models.close());
beforeEach(() => models.reset());
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

async function open(options: GatewayOptions): Promise<GatewayFixture> {
  fixture = await openGateway(models.url, options);
  return fixture;
}

const usd = (maxMicroUsd: number): SpendLimit => ({ maxMicroUsd, maxCalls: null, maxTokens: null, maxTimeMs: null });
const tokens = (maxTokens: number): SpendLimit => ({ maxMicroUsd: null, maxCalls: null, maxTokens, maxTimeMs: null });
const calls = (maxCalls: number): SpendLimit => ({ maxMicroUsd: null, maxCalls, maxTokens: null, maxTimeMs: null });

describe('a budget', () => {
  it.each([
    ['fixup', { session: { maxMicroUsd: ENOUGH } }],
    ['pull_request', { limits: { pull_request: usd(ENOUGH) } }],
    ['day', { limits: { day: usd(ENOUGH) } }],
    ['month', { limits: { month: usd(ENOUGH) } }],
  ] as const)('in USD per %s ends the calls (T13)', async (scope, options) => {
    const { session } = await open(options);
    let status = 200;
    for (let count = 0; count < 20 && status === 200; count += 1) status = (await call(session, CALLS.messages)).status;
    expect(status).toBe(402);
    const { stoppedBy, refused, calls: made, microUsd } = session.use();
    expect(stoppedBy).toMatchObject({ why: 'budget_usd', scope });
    expect(stoppedBy?.detail).toContain(`per ${scope.replace('_', ' ')}: ${(microUsd / 1e6).toFixed(4)} of 0.0400 USD`);
    expect(refused).toEqual({ budget_usd: 1 });
    expect(made).toBeGreaterThan(1);
    expect(microUsd).toBe(made * COST);
    expect(models.spent()).toMatchObject({ calls: made, microUsd });
    expect(microUsd).toBeLessThanOrEqual(ENOUGH);
  });

  it.each([
    ['fixup', { session: { maxCalls: 2 } }],
    ['pull_request', { limits: { pull_request: calls(2) } }],
    ['day', { limits: { day: calls(2) } }],
    ['month', { limits: { month: calls(2) } }],
  ] as const)('in calls per %s ends the calls', async (scope, options) => {
    const { session } = await open(options);
    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await call(session, CALLS.messages)).status);
    expect(statuses).toEqual([200, 200, 402]);
    const detail = `all 2 calls of the budget per ${scope.replace('_', ' ')} are used`;
    expect(session.use()).toMatchObject({ calls: 2, stoppedBy: { why: 'budget_calls', scope, detail } });
  });

  it.each([
    ['fixup', { session: { maxTokens: ENOUGH } }],
    ['pull_request', { limits: { pull_request: tokens(ENOUGH) } }],
    ['day', { limits: { day: tokens(ENOUGH) } }],
    ['month', { limits: { month: tokens(ENOUGH) } }],
  ] as const)('in tokens per %s ends the calls', async (scope, options) => {
    const { session, store } = await open(options);
    const each = USE.input + USE.output;
    let status = 200;
    for (let count = 0; count < 50 && status === 200; count += 1) status = (await call(session, CALLS.messages)).status;
    expect(status).toBe(402);
    const { stoppedBy, refused, calls: made } = session.use();
    const name = scope.replace('_', ' ');
    const detail = `the call could use more than is left of the budget per ${name}: ${made * each} of ${ENOUGH} tokens are spent or reserved`;
    expect(stoppedBy).toEqual({ why: 'budget_tokens', scope, detail });
    expect(refused).toEqual({ budget_tokens: 1 });
    expect(made).toBeGreaterThan(1);
    expect(made * each).toBeLessThanOrEqual(ENOUGH);
    expect(models.spent()).toMatchObject({ calls: made });
    expect(store.spent({ scope: 'fixup', sessionId: SESSION }).calls).toBe(made);
  });

  it('of a session replaces the one that holds for every fixup', async () => {
    const { session } = await open({ limits: { fixup: calls(5) }, session: { maxCalls: 1 } });
    await call(session, CALLS.messages);
    expect((await call(session, CALLS.messages)).status).toBe(402);
  });

  it('outlasts the gateway of one session', async () => {
    const { session, openAnother } = await open({ session: { maxCalls: 1 } });
    await call(session, CALLS.messages);
    await session.close();
    expect((await call(await openAnother(), CALLS.messages)).status).toBe(402);
  });

  it.each(API_NAMES)('is refused in the form of %s', async (name) => {
    const { session } = await open({ dialect: CALLS[name].dialect, session: { maxCalls: 0 } });
    const response = await call(session, STREAMS[name]);
    expect(response.status).toBe(402);
    const body: unknown = JSON.parse(response.text);
    expect(body).toMatchObject({ error: { message: 'Ratchet: all 0 calls of the budget per fixup are used' } });
    expect(models.requests).toEqual([]);
  });

  it('is reserved before a call: what could cost too much is not sent', async () => {
    const { session, store } = await open({ session: { maxMicroUsd: ENOUGH } });
    const big = { ...CALLS.messages, body: { ...CALLS.messages.body, system: 'x'.repeat(20_000) } };
    expect((await call(session, big)).status).toBe(402);
    // The agent may make a smaller one, and then the refusal did not end the session.
    expect((await call(session, CALLS.messages)).status).toBe(200);
    expect(session.use()).toMatchObject({ calls: 1, stoppedBy: null, refused: { budget_usd: 1 } });
    expect(store.spent({ scope: 'fixup', sessionId: SESSION })).toMatchObject({ calls: 1, microUsd: COST });
  });

  it('counts every byte, image and token of output at its highest price', async () => {
    models.behave({ kind: 'hang' });
    const { session, store } = await open({});
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'a'.repeat(100) } };
    const body = { model: MODEL, max_tokens: 7, messages: [{ role: 'user', content: [image] }] };
    const sent = call(session, { path: '/v1/messages', body }).catch(() => undefined);
    await models.until(() => models.requests.length === 1, { what: 'the call' });
    const bytes = Buffer.byteLength(models.requests[0]?.body ?? '');
    const input = bytes + 4096 + 8192;
    expect(store.spent({ scope: 'fixup', sessionId: SESSION })).toEqual({
      calls: 1,
      tokens: { input, cached: 0, written: 0, output: 7 },
      microUsd: Math.ceil(input * PRICE.written + 7 * PRICE.output),
      timeMs: 0,
    });
    await session.close();
    await sent;
  });

  it('is charged in full by an answer of more than was reserved', async () => {
    models.setUse(() => ({ ...USE, output: 1_000_000 }));
    const { session } = await open({ session: { maxMicroUsd: ENOUGH } });
    expect((await call(session, CALLS.messages)).status).toBe(200);
    expect(session.use()).toMatchObject({ microUsd: 3000 + 15_000_000, tokens: { output: 1_000_000 } });
    expect((await call(session, CALLS.messages)).status).toBe(402);
    models.setUse(() => USE);
  });

  it('that is nearly used up is logged once', async () => {
    const { session, lines } = await open({ limits: { day: calls(5) } });
    for (let count = 0; count < 5; count += 1) await call(session, CALLS.messages);
    const alerts = lines.filter(({ message }) => message === 'a budget for models is nearly used up');
    expect(alerts).toMatchObject([
      {
        level: 'warn',
        fields: { scope: 'day', what: 'calls', limit: 5, used: 4, repositoryId: 100, agent: 'agent-1' },
      },
    ]);
  });

  it('that cannot be written down is not spent', async () => {
    const reserveCall = (): never => {
      throw new Error('database is locked');
    };
    const { session, lines } = await open({ ledger: { reserveCall } });
    expect((await call(session, CALLS.messages)).status).toBe(503);
    expect(session.use()).toMatchObject({ calls: 0, stoppedBy: null });
    expect(models.requests).toEqual([]);
    expect(lines.map(({ level }) => level)).toEqual(['error']);
  });

  it('keeps a reservation whose end cannot be written down', async () => {
    const endCall = (): never => {
      throw new Error('database is locked');
    };
    const { session, lines, store } = await open({ ledger: { endCall } });
    expect((await call(session, CALLS.messages)).status).toBe(200);
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(store.spent({ scope: 'fixup', sessionId: SESSION }).microUsd).toBeGreaterThan(COST);
  });

  it('is charged for calls that an earlier process left', async () => {
    models.behave({ kind: 'hang' });
    const { session, store } = await open({ ledger: { endCall: () => undefined } });
    const left = begin(session, CALLS.messages).catch(() => undefined);
    await models.until(() => models.requests.length === 1, { what: 'the call' });
    await session.close();
    await left;
    expect(store.settleOpenCalls(5)).toBe(1);
    expect(store.spent({ scope: 'fixup', sessionId: SESSION }).microUsd).toBeGreaterThanOrEqual(
      models.spent().microUsd,
    );
  });
});

describe('100 calls at once', () => {
  it('never spend more than the budget, by the count of the model (T13)', { timeout: 120_000 }, async () => {
    const token = fc.integer({ min: 0, max: 900 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 600_000 }),
        fc.constantFrom(...API_NAMES),
        fc.array(fc.record({ input: token, cached: token, output: token }), {
          minLength: 1,
          maxLength: 9,
        }),
        async (budget, name, uses) => {
          models.reset();
          let asked = 0;
          models.setUse(({ maxOutput }) => {
            const { input, cached, output } = uses[asked++ % uses.length] ?? USE;
            return { input, cached, written: 0, output: Math.min(output, maxOutput ?? 0) };
          });
          models.behave({ kind: 'cut' }, { after: 3, times: 2 });
          const { dialect } = CALLS[name];
          const one = await openGateway(models.url, {
            dialect,
            limits: { pull_request: usd(budget) },
            gatewayLimits: { maxOpenCalls: 100, maxFailures: 1000 },
          });
          try {
            const other = await one.openAnother({ sessionId: parseSessionId('session-2') });
            const all = Array.from({ length: 100 }, (_, index) => {
              const request = index % 3 === 0 ? CALLS[name] : STREAMS[name];
              return call(index % 2 === 0 ? one.session : other, request).catch(() => undefined);
            });
            await Promise.all(all);
            const key = toPullRequestKey(100, 7);
            const spent = models.spent().microUsd;
            await expect.poll(() => one.session.use().lastCall === null && one.session.use().calls > 0).toBe(false);
            const booked = one.store.spent({ scope: 'pull_request', key });
            expect(spent).toBeLessThanOrEqual(budget);
            expect(booked.microUsd).toBeLessThanOrEqual(budget);
            expect(booked.microUsd).toBeGreaterThanOrEqual(spent);
            expect(booked.calls).toBe(models.spent().calls);
          } finally {
            await one.remove();
          }
        },
      ),
      { numRuns: 6 },
    );
    models.setUse(() => USE);
  });
});

describe('the kill switch', () => {
  it.each([
    ['everywhere', null],
    ['for the repository', 100],
  ])('%s stops the next call', async (_, repositoryId) => {
    const { session, store } = await open({});
    expect((await call(session, CALLS.messages)).status).toBe(200);
    store.switchAgentsOff({ repositoryId, offSince: 1, by: 'ann', reason: 'too dear' });
    expect((await call(session, CALLS.messages)).status).toBe(402);
    expect(session.use()).toMatchObject({ calls: 1, stoppedBy: { why: 'switched_off' }, refused: { switched_off: 1 } });
    store.switchAgentsOn(repositoryId);
    expect((await call(session, CALLS.messages)).status).toBe(200);
    expect(session.use()).toMatchObject({ calls: 2, stoppedBy: null });
  });

  it('for another repository stops nothing', async () => {
    const { session, store } = await open({});
    store.switchAgentsOff({ repositoryId: 101, offSince: 1, by: 'ann', reason: 'too dear' });
    expect((await call(session, CALLS.messages)).status).toBe(200);
  });

  it('stops a call before its body is read', async () => {
    const { session, store } = await open({});
    store.switchAgentsOff({ repositoryId: null, offSince: 1, by: 'ann', reason: 'too dear' });
    const head = `POST /v1/messages HTTP/1.1\r\nhost: a\r\nx-api-key: ${session.token}\r\ncontent-length: 1000\r\n\r\n`;
    expect(await sendRaw(session, head)).toMatch(/^HTTP\/1\.1 402/);
  });

  it('is read once more after the body of a call arrived', async () => {
    const { session, store } = await open({});
    const socket = connect(session.socketPath);
    const text = JSON.stringify(CALLS.messages.body);
    socket.write(`POST /v1/messages HTTP/1.1\r\nhost: a\r\nx-api-key: ${session.token}\r\nconnection: close\r\n`);
    socket.write(`content-length: ${text.length}\r\nexpect: 100-continue\r\n\r\n`);
    let back = '';
    socket.on('data', (chunk: Buffer) => {
      back += chunk.toString('latin1');
    });
    // The gateway has read the head and waits for the body.
    await new Promise((resolve) => socket.once('data', resolve));
    store.switchAgentsOff({ repositoryId: null, offSince: 1, by: 'ann', reason: 'too dear' });
    socket.write(text);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(back).toMatch(/HTTP\/1\.1 402/);
    expect(models.requests).toEqual([]);
  });
});
