import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toPullRequestKey } from '../../../src/core/model/ids.ts';
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
} from './gateway-fixture.ts';

const USE = { input: 100, cached: 50, written: 0, output: 20 };
const COST = 100 * 3 + 50 * 0.3 + 20 * 15;
const PULL_REQUEST = { scope: 'pull_request', key: toPullRequestKey(100, 7) } as const;

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

/** What the ledger charges, and whether it holds the whole reservation of the one call. */
function ledgerOf({ store }: GatewayFixture): { readonly microUsd: number; readonly calls: number } {
  const { microUsd, calls } = store.spent(PULL_REQUEST);
  return { microUsd, calls };
}

describe.each(API_NAMES)('a call to %s', (name) => {
  const { dialect } = CALLS[name];

  it.each([
    ['in one piece', CALLS[name]],
    ['as a stream', STREAMS[name]],
  ])('is answered %s, and charged what the answer says', async (_, request) => {
    const opened = await open({ dialect });
    const response = await call(opened.session, request);
    expect(response).toMatchObject({ status: 200, isWhole: true });
    expect(response.text).toContain('adds now');
    const use = { calls: 1, tokens: USE, microUsd: COST, lastCall: 'ok', faults: {}, refused: {}, stoppedBy: null };
    expect(opened.session.use()).toMatchObject(use);
    expect(models.spent()).toMatchObject({ calls: 1, tokens: USE, microUsd: COST });
    expect(ledgerOf(opened)).toEqual({ microUsd: COST, calls: 1 });
  });

  it('that fails costs nothing, and its fault is named', async () => {
    const opened = await open({ dialect, gatewayLimits: { maxFailures: 100 } });
    const expected = [
      ['401', 'auth'],
      ['403', 'auth'],
      ['402', 'no_credit'],
      ['no_credit', 'no_credit'],
      ['429', 'rate_limited'],
      ['500', 'overloaded'],
      ['529', 'overloaded'],
      ['too_long', 'too_long'],
      ['bad_request', 'bad_request'],
      ['wrong_key', 'auth'],
    ] as const;
    for (const [as, fault] of expected) {
      models.behave({ kind: 'fail', as, headers: { 'retry-after': '7', 'set-cookie': 'a=b' } });
      const response = await call(opened.session, STREAMS[name]);
      expect(response.status, as).toBeGreaterThanOrEqual(400);
      expect(JSON.parse(response.text), as).toHaveProperty('error');
      expect(response.headers).toMatchObject({ 'content-type': 'application/json', 'retry-after': '7' });
      expect(response.headers).not.toHaveProperty('set-cookie');
      expect({ as, lastCall: opened.session.use().lastCall }).toEqual({ as, lastCall: fault });
    }
    const faults = { auth: 3, no_credit: 2, rate_limited: 1, overloaded: 2, too_long: 1, bad_request: 1 };
    expect(opened.session.use()).toMatchObject({ calls: 10, microUsd: 0, faults, stoppedBy: null });
    expect(opened.session.use().retryAt).toBe(opened.clock.now() + 7000);
    expect(ledgerOf(opened)).toEqual({ microUsd: 0, calls: 10 });
  });

  it.each([
    ['with an error in its stream', { kind: 'error_in_stream', as: '529' }, STREAMS[name], 'overloaded'],
    ['with a rate limit in its stream', { kind: 'error_in_stream', as: '429' }, STREAMS[name], 'rate_limited'],
    ['whose stream is cut', { kind: 'cut' }, STREAMS[name], 'cut'],
    ['whose answer is cut', { kind: 'cut' }, CALLS[name], 'cut'],
    ['with a page of a proxy', { kind: 'html' }, STREAMS[name], 'unreadable'],
    ['with broken events', { kind: 'broken_json' }, STREAMS[name], 'unreadable'],
    ['with broken JSON', { kind: 'broken_json' }, CALLS[name], 'unreadable'],
  ] as const)(
    'that was answered with 200 %s is charged at most what was reserved',
    async (_, behavior, request, fault) => {
      models.behave(behavior);
      const opened = await open({ dialect });
      const response = await call(opened.session, request);
      const { faults, lastCall, microUsd } = opened.session.use();
      expect({ faults, lastCall }).toEqual({ faults: { [fault]: 1 }, lastCall: fault });
      // What the model sent before it was cut may be lost on its way.
      if (fault === 'cut') expect(response.isWhole && response.status === 200).toBe(false);
      if (behavior.kind === 'html') expect(response).toMatchObject({ status: 502, isWhole: true });
      expect(response.text).not.toContain('<html>');
      // Its real output is not known: the limit of the request counts.
      expect(microUsd).toBeGreaterThanOrEqual(100 * PRICE.output);
      expect(microUsd).toBeGreaterThanOrEqual(models.spent().microUsd);
      expect(ledgerOf(opened)).toEqual({ microUsd, calls: 1 });
    },
  );

  it('is charged where its agent hangs up early, and the model is hung up on', async () => {
    models.behave({ kind: 'slow', events: Infinity, bytes: 100, everyMs: 1 });
    const opened = await open({ dialect });
    const message = await begin(opened.session, STREAMS[name]);
    await new Promise((resolve) => message.once('data', resolve));
    message.destroy();
    await models.until(() => models.open() === 0, { what: 'the model to be hung up on' });
    await expect.poll(() => ledgerOf(opened).microUsd).toBeGreaterThanOrEqual(100 * PRICE.output);
    const use = { faults: {}, lastCall: null, stoppedBy: null, calls: 1, microUsd: ledgerOf(opened).microUsd };
    expect(opened.session.use()).toMatchObject(use);
  });

  it.each([
    ['answers nothing', { kind: 'hang' }, 30],
    // Its answer must have begun before the time is up, on a busy machine, too.
    ['falls silent in its answer', { kind: 'stall' }, 1_500],
  ] as const)('to a model that %s ends', async (_, behavior, silenceMs) => {
    models.behave(behavior);
    const opened = await open({ dialect, gatewayLimits: { silenceMs } });
    const response = await call(opened.session, STREAMS[name]);
    expect(response).toMatchObject(behavior.kind === 'hang' ? { status: 504, isWhole: true } : { isWhole: false });
    expect(opened.session.use()).toMatchObject({ faults: { silent: 1 }, lastCall: 'silent' });
    expect(ledgerOf(opened).microUsd).toBeGreaterThanOrEqual(100 * PRICE.output);
    await models.until(() => models.open() === 0, { what: 'the model to be hung up on' });
  });

  it('is the last one after three failures in a row', async () => {
    models.behave({ kind: 'fail', as: '529' }, { after: 2, times: 3 });
    const { session } = await open({ dialect });
    const statuses: number[] = [];
    for (let count = 0; count < 7; count += 1) statuses.push((await call(session, CALLS[name])).status);
    expect(statuses.slice(0, 2)).toEqual([200, 200]);
    expect(statuses.slice(5)).toEqual([402, 402]);
    expect(session.use()).toMatchObject({
      calls: 5,
      refused: { failing: 2 },
      faults: { overloaded: 3 },
      lastCall: 'overloaded',
      stoppedBy: { why: 'failing', scope: null, detail: 'the model failed 3 times in a row' },
    });
    expect(models.spent().calls).toBe(5);
  });
});

describe('failures', () => {
  it('are counted in a row', async () => {
    models.behave({ kind: 'fail', as: '529' }, { times: 2 });
    models.behave({ kind: 'fail', as: '429' }, { after: 3, times: 2 });
    const { session } = await open({});
    for (let count = 0; count < 6; count += 1) await call(session, CALLS.messages);
    expect(session.use()).toMatchObject({
      calls: 6,
      refused: {},
      stoppedBy: null,
      lastCall: 'ok',
      faults: { overloaded: 2, rate_limited: 2 },
    });
  });

  it('to reach the model at all cost nothing', async () => {
    const { session, store } = await open({ endpoint: { url: 'http://127.0.0.1:1' } });
    expect(await call(session, CALLS.messages)).toMatchObject({ status: 502, isWhole: true });
    expect(session.use()).toMatchObject({ calls: 1, faults: { cut: 1 }, lastCall: 'cut', microUsd: 0 });
    expect(store.spent(PULL_REQUEST)).toMatchObject({ calls: 1, microUsd: 0 });
  });
});

describe('counting tokens', () => {
  it.each([
    ['anthropic', '/v1/messages/count_tokens', { model: MODEL, messages: [], max_tokens: 5 }],
    ['gemini', `/v1beta/models/${MODEL}:countTokens`, { contents: [] }],
  ] as const)('of %s is no call, and costs nothing', async (dialect, path, body) => {
    const { session, store } = await open({ dialect });
    const response = await call(session, { path, body });
    expect(response.status).toBe(200);
    expect(response.text).toMatch(/okens":/);
    expect(session.use()).toMatchObject({ calls: 0, lastCall: null, refused: {} });
    expect(store.spent(PULL_REQUEST).calls).toBe(0);
    expect(models.requests).toMatchObject([{ path }]);
  });
});

describe('the use of a session', () => {
  it('is reported as it changes', async () => {
    const { session } = await open({});
    const { promise, resolve } = Promise.withResolvers<number>();
    session.onUse((use) => {
      if (use.lastCall === 'ok') resolve(use.calls);
    });
    await call(session, CALLS.messages);
    expect(await promise).toBe(1);
  });

  it('is complete once the session is closed, which ends its calls', async () => {
    models.behave({ kind: 'slow', events: Infinity, bytes: 100, everyMs: 1 });
    const opened = await open({});
    const message = await begin(opened.session, STREAMS.messages);
    message.on('error', () => undefined).resume();
    const closed = new Promise((resolve) => message.once('close', resolve));
    const use = await opened.session.close();
    await closed;
    expect(use).toMatchObject({ calls: 1, lastCall: null, faults: {} });
    expect(use.microUsd).toBeGreaterThanOrEqual(100 * PRICE.output);
    expect(ledgerOf(opened).microUsd).toBe(use.microUsd);
    expect(await opened.session.close()).toEqual(use);
    await expect(call(opened.session, CALLS.messages)).rejects.toThrow('ENOENT');
    await models.until(() => models.open() === 0, { what: 'the model to be hung up on' });
  });

  it('is written down while an answer passes', async () => {
    models.behave({ kind: 'slow', events: Infinity, bytes: 100, everyMs: 1 });
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const opened = await open({ ledger: { noteCall: (_, seen) => resolve(seen) } });
    const message = await begin(opened.session, STREAMS.messages);
    message.on('error', () => undefined).resume();
    expect(await promise).toMatchObject({ tokens: { input: 100, cached: 50 } });
    expect(opened.session.use()).toMatchObject({ calls: 1, lastCall: null, tokens: { input: 100, cached: 50 } });
  });
});
