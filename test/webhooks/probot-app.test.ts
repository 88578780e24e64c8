import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type PullRequestKey, parseDeliveryId, toPullRequestKey } from '../../src/core/model/ids.ts';
import { createProbotApp, type ProbotApp } from '../../src/webhooks/probot-app.ts';
import { usedEventNames } from '../../src/webhooks/to-event.ts';
import type { AcceptedDelivery } from '../../src/webhooks/webhook-edge.ts';
import { createMemoryLog, post, startEdge } from './edge-fixture.ts';
import { recorded } from './recorded-payloads.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const key = toPullRequestKey(186, 3);

async function start(
  announce: (keys: readonly PullRequestKey[]) => Promise<void>,
  maxPending = 100,
): Promise<{ readonly app: ProbotApp; readonly log: ReturnType<typeof createMemoryLog> }> {
  const log = createMemoryLog();
  const app = await createProbotApp({
    appId: 4242,
    privateKey: pem,
    secret: 'the-secret-of-this-test',
    baseUrl: 'http://127.0.0.1:9/api/v3',
    announce,
    log,
    maxPending,
  });
  return { app, log };
}

function accepted(eventName: string, wakes: readonly PullRequestKey[] = [key]): AcceptedDelivery {
  return {
    id: parseDeliveryId(randomUUID()),
    name: eventName,
    payload: recorded(eventName).payload,
    wakes,
    sweeps: [],
  };
}

describe('createProbotApp', () => {
  it.each(usedEventNames)('announces the wake-ups of a %s, once (002.R35, CARD.R4)', async (eventName) => {
    const announced: (readonly PullRequestKey[])[] = [];
    const { app } = await start(async (keys) => void announced.push(keys));

    app.receive(accepted(eventName));
    await app.settled();

    expect(announced).toEqual([[key]]);
  });

  it('announces nothing for a delivery that wakes nothing', async () => {
    const announced: unknown[] = [];
    const { app } = await start(async (keys) => void announced.push(keys));

    app.receive(accepted('push', []));
    app.receive({ ...accepted('push'), name: 'star' });
    await app.settled();

    expect(announced).toEqual([]);
  });

  it('logs a failing announcement without its payload, and goes on', async () => {
    const { app, log } = await start(() => Promise.reject(new Error('redis is gone')));

    app.receive(accepted('push'));
    await app.settled();

    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'warn', message: 'wake-ups not announced' }));
    expect(JSON.stringify(log.lines)).not.toContain('Codertocat');
    expect(JSON.stringify(log.lines).length).toBeLessThan(2048);
  });

  it('holds no more deliveries than its bound while announcing hangs', async () => {
    const gate = Promise.withResolvers<undefined>();
    let calls = 0;
    const { app } = await start(async () => {
      calls += 1;
      await gate.promise;
    }, 2);

    for (let count = 0; count < 10; count += 1) app.receive(accepted('push'));
    gate.resolve(undefined);
    await app.settled();

    expect(calls).toBe(2);
  });

  it('does not delay the answer to GitHub while its handlers hang', async () => {
    const gate = Promise.withResolvers<undefined>();
    const begun = Promise.withResolvers<undefined>();
    const { app } = await start(async () => {
      begun.resolve(undefined);
      await gate.promise;
    });
    const edge = await startEdge({
      ingest: async () => ({ kind: 'accepted', wakes: [key], sweeps: [] }),
      onAccepted: app.receive,
    });
    const body = JSON.stringify({ ...recorded('push').payload, ref: 'refs/heads/main' });

    expect((await post(edge, { body })).status).toBe(202);
    await begun.promise;
    expect((await post(edge, { body })).status).toBe(202);
    gate.resolve(undefined);
    await app.settled();
    await edge.close();
  });
});
