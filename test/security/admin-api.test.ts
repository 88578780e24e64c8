import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, type AdminServer, startAdminServer } from '../support/admin-server.ts';

const SESSIONS = '/api/admin/sessions?repository=acme%2Fwidget&number=7';
const running: AdminServer[] = [];

async function start(token?: string | null): Promise<AdminServer> {
  const server = token === undefined ? await startAdminServer() : await startAdminServer(token);
  running.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map(({ close }) => close()));
});

/** A raw request, whose path no client has tidied; resolves with the status. */
async function raw(server: AdminServer, path: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const { hostname, port } = new URL(server.url);
  request({ hostname, port, path, agent: false }, (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  })
    .on('error', reject)
    .end();
  return promise;
}

describe('the admin API without the right token', () => {
  it.each([
    ['none', {}],
    ['another', { authorization: 'Bearer admin-token-0123456780' }],
    ['a part of it', { authorization: `Bearer ${ADMIN_TOKEN.slice(0, -1)}` }],
    ['more than it', { authorization: `Bearer ${ADMIN_TOKEN}x` }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: `Basic ${ADMIN_TOKEN}` }],
    ['a list', { authorization: `Bearer ${ADMIN_TOKEN}, Bearer x` }],
  ])('given %s: answers 401 to everything, and does nothing', async (_what, headers) => {
    const server = await start();
    for (const [method, path] of [
      ['GET', SESSIONS],
      ['POST', '/api/admin/sessions'],
      ['GET', '/api/admin/no-such-path'],
    ] as const) {
      const response = await fetch(server.url + path, {
        method,
        headers: { ...headers },
        ...(method === 'POST' ? { body: '{"repository":"acme/widget","number":7,"label":"x"}' } : {}),
      });

      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(await response.json()).toEqual({ outcome: 'refused', code: 'TOKEN_WRONG' });
    }
    expect(server.pipeline.store.liveSessions(server.pipeline.key)).toEqual([]);
  });

  it('logs who tried, a bounded number of lines, and never what they gave', async () => {
    const server = await start();
    for (let guess = 0; guess < 50; guess += 1) {
      await fetch(server.url + SESSIONS, { headers: { authorization: `Bearer guess-${String(guess)}` } });
    }

    const lines = server.pipeline.log.filter(({ message }) => message === 'admin call refused');
    expect(lines).toHaveLength(20);
    expect(lines[0]?.fields).toMatchObject({ code: 'TOKEN_WRONG', remoteAddress: '127.0.0.1' });
    expect(JSON.stringify(lines)).not.toContain('guess');
  });

  it('takes in no body: a flood is cut off', async () => {
    const server = await start();
    let chunksLeft = 1024;
    const body = new ReadableStream({
      pull: (controller) => {
        chunksLeft -= 1;
        if (chunksLeft < 0) controller.close();
        else controller.enqueue(new Uint8Array(64 * 1024));
      },
    });

    const sent = fetch(server.url + SESSIONS.replace('?', '/x?'), { method: 'POST', body, duplex: 'half' });

    await sent.then(
      (response) => expect(response.status).toBe(401),
      (error: unknown) => expect(error).toBeInstanceOf(TypeError),
    );
  });
});

describe('the admin API', () => {
  it('is not there at all where no token is configured', async () => {
    const server = await start(null);

    for (const headers of [{}, { authorization: 'Bearer ' }, { authorization: 'Bearer null' }]) {
      const response = await fetch(server.url + SESSIONS, { headers: { ...headers } });
      expect(response.status).toBe(404);
      expect(response.headers.get('www-authenticate')).toBeNull();
    }
  });

  it('refuses a body above its bound, whatever it announces', async () => {
    const server = await start();
    const body = JSON.stringify({ repository: 'acme/widget', number: 7, label: 'x'.repeat(32 * 1024) });

    const { status, answer } = await server.call('POST', '/api/admin/sessions', { body });

    expect({ status, answer }).toEqual({ status: 413, answer: { outcome: 'refused', code: 'BODY_TOO_LARGE' } });
  });

  it.each(['//', '/api/admin', '/api//admin/sessions', '/API/ADMIN/sessions', '/%61pi/admin/sessions', '*'])(
    'is not reached, and nothing breaks, by the path %s',
    async (path) => {
      const server = await start();

      expect(await raw(server, path)).toBe(404);
      expect(server.pipeline.log.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );

  it.each(["' or 1=1 --", '../../etc/passwd', '%', '__proto__/constructor', 'a/b\u0000'])(
    'finds no repository by the name %j',
    async (repository) => {
      const server = await start();
      const query = new URLSearchParams({ repository, number: '7' }).toString();

      expect((await server.call('GET', `/api/admin/sessions?${query}`)).status).toBe(400);
    },
  );
});
