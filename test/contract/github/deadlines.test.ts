import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestGitHub, repository, signal } from './github-fixture.ts';

const servers: Server[] = [];

/** A server that mints and then does what the test says; resolves with its address. */
async function serve(afterMint: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/access_tokens') !== true) {
      afterMint(request, response);
      return;
    }
    response.writeHead(201, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ token: 'ghs_read', expires_at: '2026-11-27T13:00:00Z' }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}`;
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

describe('a call', () => {
  it('ends at its deadline when GitHub never answers', async () => {
    const baseUrl = await serve(() => undefined);
    const { github } = createTestGitHub({ baseUrl, limits: { callMs: 200 } });

    await expect(github.readPermission(repository, 'ada', signal())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      retry: 'later',
    });
  });

  it('ends at its deadline when the answer never ends', async () => {
    const baseUrl = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"permission":');
    });
    const { github } = createTestGitHub({ baseUrl, limits: { callMs: 200 } });

    await expect(github.readPermission(repository, 'ada', signal())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('gives up one slow request and makes another within its deadline', async () => {
    let requests = 0;
    const baseUrl = await serve((_request, response) => {
      requests += 1;
      if (requests === 1) return;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ permission: 'write', user: { id: 5 } }));
    });
    const { github } = createTestGitHub({ baseUrl, limits: { requestMs: 100 } });

    expect(await github.readPermission(repository, 'ada', signal())).toEqual({ userId: 5, permission: 'write' });
    expect(requests).toBe(2);
  });

  it('ends with the reason of the caller when the caller gives up', async () => {
    const caller = new AbortController();
    const reason = new Error('head moved');
    const baseUrl = await serve(() => {
      caller.abort(reason);
    });

    await expect(createTestGitHub({ baseUrl }).github.readPermission(repository, 'ada', caller.signal)).rejects.toBe(
      reason,
    );
  });

  it('is not begun for a caller that has given up already', async () => {
    const reason = new Error('closed');

    await expect(createTestGitHub().github.readPermission(repository, 'ada', AbortSignal.abort(reason))).rejects.toBe(
      reason,
    );
  });
});
