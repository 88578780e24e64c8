import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Models, startModels } from '../../../world/models/start-models.ts';
import {
  API_NAMES,
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
const COST = Math.ceil(100 * 3 + 50 * 0.3 + 20 * 15);

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

describe.each(API_NAMES)('the gateway, for %s', (name) => {
  const { dialect } = CALLS[name];

  it.each([
    ['in one piece', CALLS[name]],
    ['as a stream', STREAMS[name]],
  ])('passes an answer on %s, and charges what it says', async (_, request) => {
    const { session, store } = await open({ dialect });
    const response = await call(session, request);
    expect(response).toMatchObject({ status: 200, isWhole: true });
    expect(response.text).toContain('adds now');
    const use = { calls: 1, tokens: USE, microUsd: COST, lastCall: 'ok', faults: {}, refused: {}, stoppedBy: null };
    expect(session.use()).toMatchObject(use);
    expect(models.spent()).toMatchObject({ calls: 1, tokens: USE });
    const scope = { scope: 'pull_request', key: '100#7' } as const;
    expect(
      store.spent({ ...scope, key: (await import('../../../src/core/model/ids.ts')).toPullRequestKey(100, 7) }),
    ).toMatchObject({
      calls: 1,
      microUsd: COST,
      tokens: USE,
    });
    expect(models.requests[0]?.headers).not.toHaveProperty('x-agent');
  });
});
