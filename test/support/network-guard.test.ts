import { get } from 'node:http';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { hostOf, isLoopback } from './network-guard.ts';

describe('network guard', () => {
  it('fails a fetch to another machine at once', async () => {
    const failure: unknown = await fetch('https://api.github.com/').catch((error: unknown) => error);

    expect(failure instanceof Error ? String(failure.cause) : failure).toContain('must not leave this machine');
  });

  it('fails a request of node:http to another machine at once', async () => {
    const failure = new Promise((resolve) => get('http://192.0.2.1/').once('error', resolve));

    expect(String(await failure)).toContain('a test tried to connect to 192.0.2.1');
  });

  it('lets a connection to this machine through', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;

    await expect(fetch(`http://127.0.0.1:${String(port)}/`)).resolves.toMatchObject({ status: 204 });
    server.close();
  });

  it.each([
    ['127.0.0.1', true],
    ['127.8.8.8', true],
    ['::1', true],
    ['localhost', true],
    ['api.github.com', false],
    ['127.0.0.1.evil.test', false],
    ['10.0.0.1', false],
    ['169.254.169.254', false],
  ])('takes %s as this machine: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });

  it.each([
    ['a normalised call', [[{ host: 'a.test', port: 1 }, null]], 'a.test'],
    ['a call with options', [{ host: 'b.test', port: 1 }], 'b.test'],
    ['a call with port and host', [443, 'c.test'], 'c.test'],
    ['a Unix socket', [{ path: '/run/x.sock' }], null],
    ['a port alone', [443], null],
  ])('reads the host of %s', (_what, args, host) => {
    expect(hostOf(args)).toBe(host);
  });
});
