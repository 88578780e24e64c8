import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { textWith } from '../../support/text-with.ts';
import { createRegistryFixture, listen, ROOTS, serveTcp, toClose } from './registry-fixture.ts';

const SOCKET_HEADERS = { authorization: 'Bearer canary', cookie: 'canary', 'npm-otp': 'canary', 'x-canary': 'canary' };

describe('the proxy to registries', () => {
  it('reads a package of npm and its file, which is led through the proxy', async () => {
    const { get, origin, registries } = await createRegistryFixture((request, response) => {
      response.setHeader('content-type', request.url === '/@s%2fa' ? 'application/vnd.npm.install-v1+json' : 'x/y');
      response.end(request.url === '/@s%2fa' ? `{"tarball":"${origin}/@s/a/-/a-1.tgz"}` : 'bytes');
    });

    const document = await get('/@s%2fa');
    const file = await get('/@s/a/-/a-1.tgz');

    expect([document.status, document.body]).toEqual([200, '{"tarball":"http://127.0.0.1:4873/@s/a/-/a-1.tgz"}']);
    expect(document.headers['content-type']).toBe('application/vnd.npm.install-v1+json');
    expect([file.status, file.body]).toEqual([200, 'bytes']);
    expect(await registries.close()).toEqual({ requests: 2, bytes: 56, refused: [] });
  });

  it('passes on no header but what is accepted, and none of the answer but type and length', async () => {
    const { get, seen } = await createRegistryFixture((_request, response) => {
      response.writeHead(200, {
        'set-cookie': 'canary',
        'content-type': 'x/y',
        location: 'canary',
        'content-length': 2,
      });
      response.end('ok');
    });

    const { headers } = await get('/a/-/a-1.tgz', { headers: { ...SOCKET_HEADERS, accept: 'x/y;q=0.5, */*' } });

    expect(Object.keys(seen[0]?.headers ?? {}).toSorted()).toEqual([
      ...['accept', 'accept-encoding', 'connection', 'host', 'user-agent'],
    ]);
    expect(seen[0]?.headers.accept).toBe('x/y;q=0.5, */*');
    expect(JSON.stringify(headers)).not.toContain('canary');
    expect(headers).toMatchObject({ 'content-type': 'x/y', 'content-length': '2' });
  });

  it('reads the heads of answers', async () => {
    const { get, seen } = await createRegistryFixture((_request, response) => {
      response.writeHead(200, { 'content-length': 5 }).end();
    });

    expect(await get('/a/-/a-1.tgz', { method: 'HEAD' })).toMatchObject({ status: 200, body: '', cut: false });
    expect((await get('/a', { method: 'HEAD' })).headers['content-length']).toBeUndefined();
    expect(seen.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
  });

  it('reads the other registries', async () => {
    const { get, seen, origin } = await createRegistryFixture((request, response) => {
      const isConfig = request.url === '/index/config.json';
      response.end(
        isConfig ? JSON.stringify({ dl: `${origin}/crates` }) : `<a href="/f/a.whl">of ${request.url ?? ''}</a>`,
      );
    });

    const bodies: string[] = [];
    for (const path of [
      '/_pypi/simple/A_b/',
      '/_go/a.b/c/@v/list',
      '/_go/sumdb/sum.golang.org/latest',
      '/_cargo/index/config.json',
      '/_cargo/dl/serde/1.0.0/download',
      '/_go/sumdb/sum.golang.org/supported',
    ]) {
      bodies.push((await get(path)).body);
    }

    expect(bodies).toEqual([
      `<a href="http://127.0.0.1:4873/_files/pypi/${origin.slice('http://'.length)}/f/a.whl">of /simple/a-b/</a>`,
      '<a href="/f/a.whl">of /go/a.b/c/@v/list</a>',
      '<a href="/f/a.whl">of /sum/latest</a>',
      '{"dl":"http://127.0.0.1:4873/_cargo/dl"}',
      '<a href="/f/a.whl">of /crates/serde/1.0.0/download</a>',
      '',
    ]);
    expect(seen).toHaveLength(6);
  });

  it.each([
    [404, 404],
    [410, 410],
    [429, 429],
    [401, 502],
    [500, 502],
    [204, 502],
  ])('answers %i of the registry with %i', async (status, expected) => {
    const { get } = await createRegistryFixture((_request, response) => {
      response.writeHead(status, { 'www-authenticate': 'canary' }).end(status === 204 ? undefined : 'canary');
    });

    const answer = await get('/a');

    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      expected,
      { error: `ratchet: the registry answers ${String(status)}` },
    ]);
  });

  it('answers 502 when the registry is away or answers something else', async () => {
    const broken = await createRegistryFixture((_request, response) => void response.end('<html>'));
    const away = await createRegistryFixture((_request, response) => void response.destroy());

    expect(await broken.get('/_cargo/index/config.json')).toMatchObject({ status: 502 });
    expect(await away.get('/a')).toMatchObject({
      status: 502,
      body: textWith('cannot be read'),
    });
  });

  it('follows redirects within the registry, and no further', async () => {
    const other = createServer((_request, response) => void response.end('REACHED'));
    const elsewhere = `http://127.0.0.1:${String(await listen(other))}`;
    onTestFinished(() => void other.close());
    const targets: Readonly<Record<string, string>> = {
      '/a/-/a-1.tgz': '/b/-/b-1.tgz',
      '/out/-/a-1.tgz': `${elsewhere}/a/-/a-1.tgz`,
      '/file/-/a-1.tgz': 'file:///etc/passwd',
      '/loop/-/a-1.tgz': '/loop/-/a-1.tgz',
      '/broken/-/a-1.tgz': 'http://[',
    };
    const { get, registries } = await createRegistryFixture((request, response) => {
      const location = targets[request.url ?? ''];
      if (location === undefined) response.end('there');
      else response.writeHead(302, { location }).end();
    });

    expect(await get('/a/-/a-1.tgz')).toMatchObject({ status: 200, body: 'there' });
    expect(await get('/out/-/a-1.tgz')).toMatchObject({ status: 403 });
    expect(await get('/file/-/a-1.tgz')).toMatchObject({ status: 403 });
    expect(await get('/loop/-/a-1.tgz')).toMatchObject({ status: 502 });
    expect(await get('/broken/-/a-1.tgz')).toMatchObject({ status: 502 });
    expect((await registries.close()).refused).toEqual([
      `GET /out/-/a-1.tgz: the registry leads to ${elsewhere}, which is no host of it`,
      'GET /file/-/a-1.tgz: the registry leads to null, which is no host of it',
    ]);
  });

  it.each([
    ['POST', { method: 'POST', body: 'x' }],
    ['a body', { headers: { 'content-length': '1' }, body: 'x' }],
    ['a body in chunks', { headers: { 'transfer-encoding': 'chunked' }, body: 'x' }],
    [
      'a question whether to send a body',
      { method: 'PUT', headers: { expect: '100-continue', 'content-length': '5' }, body: 'xxxxx' },
    ],
    ['an expectation', { method: 'PUT', headers: { expect: 'x', 'content-length': '5' }, body: 'xxxxx' }],
  ])('T38 refuses %s, and says why', async (_what, change) => {
    const { get, seen, registries } = await createRegistryFixture((_request, response) => void response.end('REACHED'));

    expect(await get('/a', change)).toMatchObject({ status: 403, headers: { connection: 'close' } });
    expect([seen, (await registries.close()).refused]).toEqual([[], [textWith(' /a: ')]]);
  });

  it.each([
    ['another address', 'GET http://192.0.2.1/ HTTP/1.1\r\nhost: x\r\n\r\n', 403],
    ['a tunnel that nobody listed', 'CONNECT evil.example:443 HTTP/1.1\r\nhost: x\r\n\r\n', 403],
    ['an upgrade', 'GET /a HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n', 426],
    ['two lengths', 'GET /a HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\ncontent-length: 5\r\n\r\n', 400],
    [
      'a length and chunks',
      'GET /a HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a bare line feed', 'GET /a HTTP/1.1\nhost: x\n\n', 400],
    ['a control character', 'GET /a\u0001 HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['no HTTP', 'SSH-2.0-x\r\n\r\n', 400],
    ['long headers', `GET /a HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['a path that goes up', 'GET /a/../-/whoami HTTP/1.1\r\nhost: x\r\n\r\n', 403],
  ])('T38 refuses %s on the wire', async (_what, bytes, status) => {
    const { send, seen } = await createRegistryFixture((_request, response) => void response.end('REACHED'));

    const answer = await send(bytes);

    // Node answers what it cannot parse with 400; a header that is too long counts among that.
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status === 431 ? '4(?:00|31)' : String(status)} `, 'u'));
    expect(answer).not.toContain('REACHED');
    expect(seen).toEqual([]);
  });

  it('cuts an answer that exceeds the bytes of the session, and refuses a document that is too long', async () => {
    const answer = 'x'.repeat(100_000);
    const onRequest = (_request: unknown, response: { end: (text: string) => void }): void => response.end(answer);
    const session = await createRegistryFixture(onRequest, { limits: { maxBytes: 150_000 } });
    const document = await createRegistryFixture(onRequest, { limits: { maxDocumentBytes: 50_000 } });

    expect(await session.get('/a/-/a-1.tgz')).toMatchObject({ status: 200, cut: false });
    expect(await session.get('/a/-/a-2.tgz')).toMatchObject({ cut: true });
    expect(await document.get('/a')).toMatchObject({ status: 0, cut: true });
  });

  it('ends a request to a registry that is silent', async () => {
    const { get } = await createRegistryFixture(() => undefined, { limits: { idleMs: 200 } });
    const slow = await createRegistryFixture((_request, response) => void response.write('x'), {
      limits: { deadlineMs: 300 },
    });

    expect(await get('/a')).toMatchObject({
      status: 502,
      body: textWith('silent for too long'),
    });
    expect(await slow.get('/a/-/a-1.tgz')).toMatchObject({ status: 200, cut: true });
  });

  it('stops reading when the site hangs up, and everything when it is closed', async () => {
    const closed: Promise<unknown>[] = [];
    const started = Promise.withResolvers<undefined>();
    const { dial, registries } = await createRegistryFixture((request, response) => {
      closed.push(toClose(request.socket));
      response.write('x');
      if (closed.length === 2) started.resolve(undefined);
    });
    const first = dial();
    first.write('GET /a/-/a-1.tgz HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(first, 'data');
    first.destroy();
    await closed[0];
    const second = dial();
    second.write('GET /a/-/a-1.tgz HTTP/1.1\r\nhost: x\r\n\r\n');
    await started.promise;

    await Promise.all([toClose(second.resume()), registries.close()]);
    await Promise.all(closed);

    expect(closed).toHaveLength(2);
    await expect(new Promise((_resolve, reject) => void dial().on('error', reject))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it('T37 checks the addresses of hosts that the operator did not choose, and of no others', async () => {
    const asked: string[] = [];
    const resolution = {
      resolve: (host: string) => {
        asked.push(host);
        return Promise.resolve(
          { 'files.pythonhosted.org': ['192.0.2.7', '10.0.0.1'], localhost: ['127.0.0.1'] }[host] ?? [],
        );
      },
      isAllowed: (address: string) => address === '192.0.2.7',
    };
    const port = await serveTcp((socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
    const roots = { ...ROOTS, npm: `http://localhost:${String(port)}/` };
    const { get, registries } = await createRegistryFixture(() => undefined, { roots, resolution });

    expect(await get('/a/-/a-1.tgz')).toMatchObject({ status: 200, body: 'ok' });
    expect(await get('/_files/pypi/files.pythonhosted.org/a.whl')).toMatchObject({ status: 403 });
    expect(await get('/_go/a.b/c/@v/list')).toMatchObject({ status: 403 });
    expect(asked).toEqual(['localhost', 'files.pythonhosted.org', 'proxy.golang.org']);
    expect((await registries.close()).refused).toEqual([
      'GET /_files/pypi/files.pythonhosted.org/a.whl: files.pythonhosted.org leads to 10.0.0.1, which is no public address',
      'GET /_go/a.b/c/@v/list: proxy.golang.org has no address',
    ]);
  });

  it('T37 resolves the name of a registry one time for all its files, and again where that failed', async () => {
    const port = await serveTcp((socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
    const answers = [
      () => Promise.reject(new Error('SERVFAIL')),
      () => Promise.resolve(['127.0.0.1']),
      () => Promise.resolve(['10.0.0.1']),
    ];
    const resolve = (): Promise<readonly string[]> => answers.shift()?.() ?? Promise.resolve([]);
    const resolution = { resolve, isAllowed: () => true };
    const roots = { ...ROOTS, npm: `http://localhost:${String(port)}/` };
    const { get } = await createRegistryFixture(() => undefined, { roots, resolution });

    const statuses: number[] = [];
    for (const name of ['a', 'b', 'c']) statuses.push((await get(`/${name}/-/${name}-1.tgz`)).status);

    expect(statuses).toEqual([403, 200, 200]);
    expect(answers).toHaveLength(1);
  });

  it('keeps few refusals for the report', async () => {
    const { get, registries } = await createRegistryFixture(() => undefined);
    for (let index = 0; index < 25; index += 1) await get(`/a?${String(index)}`);
    await get(`/a?${'x'.repeat(1000)}`);

    const { requests, refused } = await registries.close();

    expect([requests, refused.length]).toEqual([26, 20]);
  });
});
