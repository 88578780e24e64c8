import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createServer,
  defaultServerLimits,
  type Readiness,
  type RequestHandler,
  type WebServer,
} from '../../src/web/server.ts';
import { createMemoryLog } from '../webhooks/edge-fixture.ts';

const running: WebServer[] = [];
const ready: Readiness = { isReady: true, problems: [] };

async function start(
  readiness: () => Readiness | Promise<Readiness> = () => ready,
  edge: RequestHandler = async () => false,
): Promise<{ readonly url: string; readonly server: WebServer; readonly log: ReturnType<typeof createMemoryLog> }> {
  const log = createMemoryLog();
  const server = createServer({ edge, readiness, log, limits: { ...defaultServerLimits, readinessTimeoutMs: 50 } });
  running.push(server);
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  return { url: `http://127.0.0.1:${String(port)}`, server, log };
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close(0)));
});

describe('createServer', () => {
  it.each([
    ['/healthz', 200],
    ['/readyz', 200],
    ['/readyz?verbose', 200],
    ['/ping', 200],
    ['/', 404],
    ['/probot', 404],
    ['/probot/import', 404],
    ['/probot/setup', 404],
    ['/healthz/..', 404],
  ])('answers GET %s with %i', async (path, status) => {
    const { url } = await start();

    expect((await fetch(url + path)).status).toBe(status);
  });

  it('has no way in by POST but the edge', async () => {
    const { url } = await start();

    for (const path of ['/probot/import', '/healthz', '/']) {
      expect((await fetch(url + path, { method: 'POST', body: '{}' })).status).toBe(404);
    }
  });

  it.each([
    ['says so', () => ({ isReady: false, problems: ['the database is locked'] }), 'the database is locked'],
    ['fails', () => Promise.reject(new Error('secret detail')), 'readiness check failed'],
    ['hangs', () => Promise.withResolvers<Readiness>().promise, 'readiness check timed out'],
  ])('is not ready when the check %s', async (_what, readiness, problem) => {
    const { url } = await start(readiness);

    const response = await fetch(`${url}/readyz`);

    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ status: 'not ready', problems: [problem] });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('answers 500 without a detail when the edge breaks, and lives on', async () => {
    const { url, log } = await start(
      () => ready,
      () => Promise.reject(new Error('a bug')),
    );

    const response = await fetch(`${url}/x`, { method: 'POST' });

    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ outcome: 'failed' });
    expect(log.lines).toMatchObject([{ level: 'error', message: 'request failed' }]);
  });

  it('rejects when its address is taken, and closes more than once', async () => {
    const { url, server } = await start();
    const other = createServer({ edge: async () => false, readiness: () => ready, log: createMemoryLog() });

    await expect(other.listen({ host: '127.0.0.1', port: Number(new URL(url).port) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await Promise.all([server.close(10), server.close(10)]);
    await server.close(10);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('lets a request that runs end before it closes, within the grace time', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>();
    const { promise: finish, resolve: end } = Promise.withResolvers<undefined>();
    const { url, server } = await start(
      () => ready,
      async (_request, response) => {
        begin(undefined);
        await finish;
        response.end('done');
        return true;
      },
    );

    const answer = fetch(url, { method: 'POST' });
    await begun;
    const closed = server.close(5000);
    end(undefined);

    expect(await (await answer).text()).toBe('done');
    await closed;
  });

  it.each([
    ['send nothing', ''],
    ['never end their headers', 'POST /x HTTP/1.1\r\nX-Slow: 1\r\n'],
    ['were answered and stay', 'GET /ping HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['were refused and go on sending', 'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n'],
  ])('has room for a new connection however many others %s', async (_what, text) => {
    const limits = { ...defaultServerLimits, maxConnections: 20, maxIdleConnections: 8 };
    const server = createServer({ edge: async () => false, readiness: () => ready, log: createMemoryLog(), limits });
    running.push(server);
    const port = await server.listen({ host: '127.0.0.1', port: 0 });
    const others = Array.from({ length: 40 }, () =>
      connect(port, '127.0.0.1')
        .on('error', () => undefined)
        .resume(),
    );
    try {
      for (const socket of others) {
        if (socket.connecting) await once(socket, 'connect');
        socket.write(text);
      }

      expect((await fetch(`http://127.0.0.1:${String(port)}/healthz`)).status).toBe(200);
      await expect.poll(() => others.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(8);
    } finally {
      for (const socket of others) socket.destroy();
    }
  });
});
