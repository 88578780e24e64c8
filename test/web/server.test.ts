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

const TOKEN = 'the-token-of-the-operators';
const OPERATOR = { headers: { authorization: `Bearer ${TOKEN}` } };
const METRICS = { contentType: 'text/plain', text: 'ratchet_queue_depth 1\n' };
const LOCKED = { name: 'database', state: 'fail', detail: 'the database is locked', fix: '' } as const;
const running: WebServer[] = [];
const ready: Readiness = { isReady: true, checks: [] };

async function start(
  readiness: () => Readiness | Promise<Readiness> = () => ready,
  edge: RequestHandler = async () => false,
): Promise<{ readonly url: string; readonly server: WebServer; readonly log: ReturnType<typeof createMemoryLog> }> {
  const log = createMemoryLog();
  const limits = { ...defaultServerLimits, readinessTimeoutMs: 50 };
  const operators = { access: { token: TOKEN }, metrics: async () => METRICS };
  const server = createServer({ edge, readiness, operators, log, limits });
  running.push(server);
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  return { url: `http://127.0.0.1:${String(port)}`, server, log };
}

async function listen(server: WebServer): Promise<string> {
  return `http://127.0.0.1:${String(await server.listen({ host: '127.0.0.1', port: 0 }))}`;
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
    ['says so', () => ({ isReady: false, checks: [LOCKED] }), 'the database is locked'],
    ['fails', () => Promise.reject(new Error('secret detail')), 'the check failed'],
    ['hangs', () => Promise.withResolvers<Readiness>().promise, 'the check took too long'],
  ])('is not ready when the check %s', async (_what, readiness, problem) => {
    const { url } = await start(readiness);

    const response = await fetch(`${url}/readyz`);

    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ status: 'not ready' });
    const { headers } = OPERATOR;
    expect(await (await fetch(`${url}/readyz`, { headers })).json()).toMatchObject({ checks: [{ detail: problem }] });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('shows the metrics to operators alone', async () => {
    const { url } = await start();

    expect(await (await fetch(`${url}/metrics`, OPERATOR)).text()).toBe(METRICS.text);
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { 'x-forwarded-for': '127.0.0.1' }]) {
      const response = await fetch(`${url}/metrics`, { headers });
      expect(response.status).toBe(401);
      expect(await response.text()).not.toContain('ratchet_');
    }
    expect((await fetch(`${url}/metrics`, { method: 'POST', ...OPERATOR })).status).toBe(404);
  });

  it('has no metrics where no token is set, and shows all of them on a port of its own', async () => {
    const pages = { readiness: () => ({ isReady: false, checks: [LOCKED] }), log: createMemoryLog() };
    const metrics = async () => METRICS;
    const open = createServer({ ...pages, operators: { access: { token: null }, metrics } });
    const local = createServer({ ...pages, operators: { access: 'all', metrics } });
    running.push(open, local);
    const [openPort, localPort] = [await listen(open), await listen(local)];

    expect((await fetch(`${openPort}/metrics`, OPERATOR)).status).toBe(404);
    expect(await (await fetch(`${openPort}/readyz`, OPERATOR)).json()).toEqual({ status: 'not ready' });
    expect(await (await fetch(`${localPort}/metrics`)).text()).toBe(METRICS.text);
    expect(await (await fetch(`${localPort}/readyz`)).json()).toMatchObject({ checks: [LOCKED] });
    expect((await fetch(`${localPort}/api/admin/agents`)).status).toBe(404);
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
