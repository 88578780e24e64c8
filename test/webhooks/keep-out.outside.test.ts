import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { defaultServerLimits } from '../../src/web/server.ts';
import { defaultEdgeLimits } from '../../src/webhooks/webhook-edge.ts';
import { path, post, type RunningEdge, startEdge } from './edge-fixture.ts';
import { recorded } from './recorded-payloads.ts';

/** What somebody without the secret opens, and holds open while GitHub delivers. */
interface Attack {
  readonly sockets: Socket[];
  /** Addresses of this machine; more than one where the attack has many. */
  readonly from: () => string;
}

const MEBIBYTE = 1024 * 1024;
const DELIVERIES = 40;
const WITHIN_MS = 10_000;
const push = recorded('push').payload;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function start(): Promise<RunningEdge> {
  // Not the fixture's clock, which stands: who is slow shows with time.
  const edge = await startEdge({ clock: { now: () => Date.now() } });
  closers.push(edge.close);
  return edge;
}

function attack(addresses: number): Attack {
  const sockets: Socket[] = [];
  closers.push(() => sockets.map((socket) => socket.destroy()));
  let count = 0;
  return { sockets, from: () => `127.0.1.${String(1 + (count++ % addresses))}` };
}

/** Opens a connection and sends `bytes`; resolves once they are on the way. */
async function open({ sockets, from }: Attack, edge: RunningEdge, ...bytes: readonly (string | Buffer)[]) {
  const socket = connect({ port: edge.port, host: '127.0.0.1', localAddress: from() });
  socket.on('error', () => undefined).resume();
  sockets.push(socket);
  await once(socket, 'connect');
  for (const part of bytes) socket.write(part);
}

function head(length: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${length}\r\nX-GitHub-Event: push\r\n` +
    `X-GitHub-Delivery: ${randomUUID()}\r\nX-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\n\r\n`
  );
}

const many = (count: number, once: () => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, once));

/** Statuses of signed deliveries, one after the other, and the longest wait for one. */
async function deliver(
  edge: RunningEdge,
): Promise<{ readonly statuses: readonly number[]; readonly longestMs: number }> {
  const statuses: number[] = [];
  let longestMs = 0;
  for (let count = 0; count < DELIVERIES; count += 1) {
    const begun = performance.now();
    const { status } = await post(edge, { body: JSON.stringify({ ...push, ref: `refs/heads/b-${String(count)}` }) });
    longestMs = Math.max(longestMs, performance.now() - begun);
    statuses.push(status);
  }
  return { statuses: [...new Set(statuses)], longestMs };
}

describe('nobody without the secret keeps GitHub out', () => {
  it.each([
    [
      'two unfinished posts of 16 MiB',
      1,
      (at: Attack, edge: RunningEdge) =>
        many(2, () =>
          open(at, edge, head(`Content-Length: ${String(16 * MEBIBYTE)}`), Buffer.alloc(16 * MEBIBYTE - 2048)),
        ),
    ],
    ['500 idle sockets', 1, (at: Attack, edge: RunningEdge) => many(500, () => open(at, edge))],
    [
      '1,100 idle sockets from many addresses',
      100,
      (at: Attack, edge: RunningEdge) => many(1100, () => open(at, edge)),
    ],
    [
      '1,100 senders of headers that never end',
      1,
      (at: Attack, edge: RunningEdge) => many(1100, () => open(at, edge, 'POST / HTTP/1.1\r\nX-Slow: 1\r\n')),
    ],
    [
      'headers that are far too long',
      10,
      (at: Attack, edge: RunningEdge) =>
        many(100, () => open(at, edge, `POST ${path} HTTP/1.1\r\n`, `X-Long: ${'a'.repeat(100_000)}\r\n`)),
    ],
    [
      '300 unfinished small bodies from many addresses',
      100,
      (at: Attack, edge: RunningEdge) =>
        many(300, () => open(at, edge, head('Content-Length: 65000'), Buffer.alloc(64_000))),
    ],
    [
      '1,000 bodies of which nothing arrives',
      100,
      (at: Attack, edge: RunningEdge) => many(1000, () => open(at, edge, head('Content-Length: 65000'))),
    ],
    [
      '200 chunked bodies without an end',
      100,
      (at: Attack, edge: RunningEdge) =>
        many(200, () => open(at, edge, head('Transfer-Encoding: chunked'), '3e8\r\n', Buffer.alloc(100_000))),
    ],
  ])('with %s', async (_what, addresses, begin) => {
    const edge = await start();
    await begin(attack(addresses), edge);

    const { statuses, longestMs } = await deliver(edge);

    expect(statuses).toEqual([202]);
    expect(longestMs).toBeLessThan(WITHIN_MS);
    expect(edge.ingested).toHaveLength(DELIVERIES);
  });

  it('by limits that leave room: all bodies and idle connections together are fewer than the listener takes', () => {
    const { small, large } = defaultEdgeLimits;
    const { maxConnections, maxIdleConnections } = defaultServerLimits;

    expect(small.maxBodies + large.maxBodies + maxIdleConnections).toBeLessThan(maxConnections);
  });

  it('lets a big signed body in past two unfinished ones', async () => {
    const edge = await start();
    const at = attack(2);
    await many(2, () =>
      open(at, edge, head(`Content-Length: ${String(16 * MEBIBYTE)}`), Buffer.alloc(16 * MEBIBYTE - 2048)),
    );
    const body = JSON.stringify({ ...push, padding: 'a'.repeat(8 * MEBIBYTE) });

    await expect.poll(async () => (await post(edge, { body })).status, { timeout: WITHIN_MS }).toBe(202);
  });
});
