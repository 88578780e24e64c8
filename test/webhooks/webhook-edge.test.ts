import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError } from '../../src/core/model/errors.ts';
import { usedEventNames } from '../../src/webhooks/to-event.ts';
import { createWebhookEdge } from '../../src/webhooks/webhook-edge.ts';
import {
  createMemoryLog,
  type EdgeChanges,
  headersFor,
  path,
  post,
  type RunningEdge,
  secret,
  sign,
  startEdge,
} from './edge-fixture.ts';
import { readRecordedPayloads, recorded } from './recorded-payloads.ts';

const mebibyte = 1024 * 1024;
const push = JSON.stringify({ ...recorded('push').payload, ref: 'refs/heads/main' });

const running: RunningEdge[] = [];

async function start(changes: EdgeChanges = {}): Promise<RunningEdge> {
  const edge = await startEdge(changes);
  running.push(edge);
  return edge;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((edge) => edge.close()));
});

/** Codes of the refusals in the log, one a line. */
function refusals(edge: RunningEdge): readonly unknown[] {
  return edge.log.lines.filter(({ message }) => message === 'delivery refused').map(({ fields }) => fields['code']);
}

describe('webhook edge', () => {
  it('stores a signed delivery and answers 202 with its outcome', async () => {
    const edge = await start();
    const id = randomUUID();

    const { status, answer } = await post(edge, { body: push, id });

    expect({ status, answer }).toEqual({ status: 202, answer: { outcome: 'accepted' } });
    expect(edge.ingested).toMatchObject([
      {
        id,
        eventName: 'push',
        action: null,
        receivedAt: 1_000_000,
        event: { kind: 'branch_pushed', branch: 'main' },
        commands: [],
      },
    ]);
    expect(edge.ingested[0]?.bodyHash).toMatch(/^[0-9a-f]{64}$/);
    expect(edge.accepted).toMatchObject([{ id, name: 'push', payload: { ref: 'refs/heads/main' } }]);
  });

  it('stores an event that it does not use as ignored, and hands it to nobody', async () => {
    const edge = await start();

    expect(await post(edge, { body: JSON.stringify(recorded('star').payload), eventName: 'star' })).toEqual({
      status: 202,
      answer: { outcome: 'ignored' },
    });
    expect(edge.ingested).toMatchObject([{ eventName: 'star', event: null }]);
    expect(edge.accepted).toEqual([]);
  });

  it('reads the commands of a comment by a person, and of nobody else', async () => {
    const edge = await start();
    const { payload } = recorded('issue_comment', 'created');
    const comment = (type: string): string =>
      JSON.stringify({
        ...payload,
        issue: { number: 3, pull_request: {} },
        comment: { id: 1, body: '/ratchet enable', user: { id: 5, login: 'ada', type } },
        sender: { id: 5, login: 'ada', type },
      });

    await post(edge, { body: comment('User'), eventName: 'issue_comment' });
    await post(edge, { body: comment('Bot'), eventName: 'issue_comment' });

    expect(edge.ingested.map(({ commands }) => commands)).toEqual([[{ name: 'enable', args: [] }], []]);
  });

  it('takes all recorded payloads of all events without a failure', async () => {
    const edge = await start();

    const statuses = await Promise.all(
      readRecordedPayloads().map(async ({ eventName, payload }) =>
        post(edge, { body: JSON.stringify(payload), eventName }).then(({ status }) => status),
      ),
    );

    expect(new Set(statuses)).toEqual(new Set([202]));
  });

  it.each([
    ['no signature (T1)', { 'x-hub-signature-256': undefined }, 401, 'SIGNATURE_MISSING'],
    [
      'a SHA-1 signature alone',
      { 'x-hub-signature-256': undefined, 'x-hub-signature': 'sha1=f'.padEnd(45, 'f') },
      401,
      'SIGNATURE_MISSING',
    ],
    ['a signature under another key', { 'x-hub-signature-256': sign(push, 'another key') }, 401, 'SIGNATURE_WRONG'],
    ['a signature of another body', { 'x-hub-signature-256': sign('{}') }, 401, 'SIGNATURE_WRONG'],
    ['a signature in capitals', { 'x-hub-signature-256': sign(push).toUpperCase() }, 401, 'SIGNATURE_MISSING'],
    ['a form body', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'CONTENT_TYPE_UNSUPPORTED'],
    ['no content type', { 'content-type': '' }, 415, 'CONTENT_TYPE_UNSUPPORTED'],
    ['a packed body', { 'content-encoding': 'gzip' }, 415, 'CONTENT_TYPE_UNSUPPORTED'],
    ['a delivery id that is no GUID', { 'x-github-delivery': '1795812437636' }, 400, 'DELIVERY_ID_INVALID'],
    ['no delivery id', { 'x-github-delivery': undefined }, 400, 'DELIVERY_ID_INVALID'],
    ['no event name', { 'x-github-event': undefined }, 400, 'EVENT_NAME_INVALID'],
    ['a strange event name', { 'x-github-event': '__proto__' }, 400, 'EVENT_NAME_INVALID'],
  ])('refuses %s', async (_what, headers, status, code) => {
    const edge = await start();

    expect(await post(edge, { body: push, headers })).toEqual({ status, answer: { outcome: 'refused', code } });
    expect(refusals(edge)).toEqual([code]);
    expect(edge.ingested).toEqual([]);
    expect(edge.accepted).toEqual([]);
  });

  it.each([
    ['no JSON', '{"a":', 'JSON_INVALID'],
    ['no object', '[1]', 'JSON_INVALID'],
    ['null', 'null', 'JSON_INVALID'],
    ['an empty body', '', 'JSON_INVALID'],
    ['another payload than its event has', JSON.stringify(recorded('star').payload), 'PAYLOAD_INVALID'],
  ])('refuses %s though it is signed', async (_what, body, code) => {
    const edge = await start();

    expect(await post(edge, { body })).toEqual({ status: 400, answer: { outcome: 'refused', code } });
    expect(edge.ingested).toEqual([]);
  });

  it('serves POST only, on its own path only', async () => {
    const edge = await start();

    expect((await fetch(edge.url)).status).toBe(405);
    expect(
      (await fetch(`${edge.url}/more`, { method: 'POST', headers: headersFor({ body: push }), body: push })).status,
    ).toBe(404);
    expect(edge.ingested).toEqual([]);
  });

  it('does not start without a secret', () => {
    const options = {
      path,
      own: { appId: 1, botUserId: null },
      parseCommands: () => [],
      ingest: async () => ({ kind: 'ignored' }) as const,
      onAccepted: () => undefined,
      log: createMemoryLog(),
      clock: { now: () => 0 },
    };

    expect(() => createWebhookEdge({ ...options, secrets: [] })).toThrow(ConfigError);
    expect(() => createWebhookEdge({ ...options, secrets: [''] })).toThrow(ConfigError);
  });

  it('takes the old and the new secret while one is being rotated', async () => {
    const edge = await start({ secrets: ['the-new-secret', secret] });
    const send = async (key: string, note: string): Promise<number> =>
      (await post(edge, { body: push.replace('refs/heads/main', `refs/heads/${note}`), key })).status;

    expect(await send('the-new-secret', 'a')).toBe(202);
    expect(await send(secret, 'b')).toBe(202);
    expect(await send('a-third-secret', 'c')).toBe(401);
    expect(edge.ingested).toHaveLength(2);
  });

  it('makes nothing of a captured body under another event name (T2)', async () => {
    const edge = await start();
    const others = usedEventNames.filter((name) => name !== 'push');

    const statuses = await Promise.all(
      others.map(async (eventName) => (await post(edge, { body: push, eventName })).status),
    );

    expect(statuses).toEqual(others.map(() => 400));
    expect(edge.ingested).toEqual([]);
  });

  it('makes one effect of 1,000 copies in any order (T3, trap 41)', async () => {
    const edge = await start();
    const id = randomUUID();
    const copies = Array.from({ length: 1000 }, (_, index) => ({
      body: push,
      id: index % 2 === 0 ? id : randomUUID(),
    }));

    const answers = await Promise.all(copies.map(async (copy) => (await post(edge, copy)).status));

    expect(new Set(answers)).toEqual(new Set([202]));
    expect(edge.ingested).toHaveLength(1);
    expect(edge.accepted).toHaveLength(1);
  });

  it('answers 503 when the store fails, and hands nothing over', async () => {
    const edge = await start({ ingest: () => Promise.reject(new Error('disk full')) });

    expect(await post(edge, { body: push })).toEqual({
      status: 503,
      answer: { outcome: 'refused', code: 'NOT_STORED' },
    });
    expect(edge.accepted).toEqual([]);
    expect(edge.log.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'delivery could not be stored' }),
    );
  });

  it('answers before the handlers run, and keeps answering while they hang', async () => {
    const seen: string[] = [];
    const never = Promise.withResolvers<undefined>();
    const edge = await start({
      onAccepted: (delivery) => {
        seen.push(delivery.id);
        void never.promise;
      },
    });

    expect((await post(edge, { body: push })).status).toBe(202);
    expect((await post(edge, { body: push.replace('main', 'other') })).status).toBe(202);
    expect(seen).toHaveLength(2);
  });
});

describe('webhook edge under attack', () => {
  it('refuses a body that announces too many bytes without reading it (T4)', async () => {
    const edge = await start({ limits: { maxBodyBytes: mebibyte } });

    const { status } = await post(edge, { body: new Uint8Array(mebibyte + 1), key: 'wrong' });

    expect(status).toBe(413);
    expect(refusals(edge)).toEqual(['BODY_TOO_LARGE']);
  });

  it('refuses a body that announces no length once it has grown too large (T4)', async () => {
    const edge = await start({ limits: { maxBodyBytes: mebibyte } });
    // It stops one byte past the limit and stays open: a client that goes on writing into a connection
    // which the edge has closed may see a broken pipe before it sees the answer.
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(mebibyte + 1)),
    });

    const response = await fetch(edge.url, {
      method: 'POST',
      headers: headersFor({ body: push }),
      body: endless,
      duplex: 'half',
    });

    expect(response.status).toBe(413);
  });

  it('answers 503 with Retry-After while too many bytes are in flight', async () => {
    const edge = await start({ limits: { small: { maxBytes: 1000, maxBodies: 100 } } });

    const response = await fetch(edge.url, { method: 'POST', headers: headersFor({ body: push }), body: push });

    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('30');
    expect((await post(edge, { body: JSON.stringify({ action: 'x' }), eventName: 'star' })).status).toBe(202);
  });

  it('keeps memory and log small under a flood of forged big bodies (T4)', async () => {
    const edge = await start({ limits: { linesPerWindow: 5 } });
    const before = process.memoryUsage.rss();
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10);

    const flood = fileURLToPath(new URL('flood.ts', import.meta.url));
    const { stdout } = await execa(process.execPath, [flood, edge.url, '50', String(5 * mebibyte)], {
      timeout: 150_000,
    });
    clearInterval(timer);

    const counts = z.record(z.string(), z.number()).parse(JSON.parse(stdout));
    expect(counts['401']).toBeGreaterThan(0);
    expect(Object.keys(counts).filter((status) => !['401', '503', 'cut'].includes(status))).toEqual([]);
    expect(peak - before).toBeLessThan(128 * mebibyte);
    expect(edge.log.lines).toHaveLength(5);
    expect(JSON.stringify(edge.log.lines[0]).length).toBeLessThan(1024);
    expect(JSON.stringify(edge.log.lines)).not.toContain('AAAA');
    expect(edge.ingested).toEqual([]);
  });

  it('refuses deep JSON at every depth in bounded time (T5)', async () => {
    const edge = await start();

    for (const depth of [65, 100, 1_000, 10_000, 1_000_000]) {
      const body = '{"a":'.concat('['.repeat(depth - 1), ']'.repeat(depth - 1), '}');
      expect(await post(edge, { body })).toEqual({
        status: 400,
        answer: { outcome: 'refused', code: 'JSON_TOO_DEEP' },
      });
    }
    expect(edge.ingested).toEqual([]);
  });

  it('serves others while slow posts hang, and closes the slow ones (T6)', async () => {
    const edge = await start({ serverLimits: { requestTimeoutMs: 2000, headersTimeoutMs: 1500, timeoutCheckMs: 50 } });
    const slow = Array.from({ length: 50 }, () => connect(edge.port, '127.0.0.1'));
    const closed = slow.map((socket) =>
      once(
        socket.resume().on('error', () => undefined),
        'close',
      ),
    );
    for (const socket of slow) {
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n`);
      socket.write(
        `X-GitHub-Event: push\r\nX-GitHub-Delivery: ${randomUUID()}\r\nX-Hub-Signature-256: ${sign('')}\r\n\r\n{`,
      );
    }

    expect((await post(edge, { body: push })).status).toBe(202);
    await Promise.all(closed);
    expect(edge.ingested).toHaveLength(1);
  });

  it('forgets a body whose sender goes away, and gives its bytes back', async () => {
    const edge = await start({ limits: { small: { maxBytes: push.length + 1000, maxBodies: 100 } } });
    const socket = connect(edge.port, '127.0.0.1');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n`);
    socket.write(
      `X-GitHub-Event: push\r\nX-GitHub-Delivery: ${randomUUID()}\r\nX-Hub-Signature-256: ${sign('')}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.write(Buffer.alloc(4000), resolve));
    socket.destroy();
    await once(socket, 'close');

    await expect.poll(async () => (await post(edge, { body: push })).status).toBe(202);
    expect(edge.ingested).toHaveLength(1);
  });
});
