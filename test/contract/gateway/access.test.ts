import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createModelGateway } from '../../../src/adapters/gateway/create-model-gateway.ts';
import { createKeyFiles } from '../../../src/adapters/gateway/key-files.ts';
import { ConfigError } from '../../../src/core/model/errors.ts';
import { parseSessionId } from '../../../src/core/model/ids.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { memoryStore, recordingLog } from '../../support/store.ts';
import {
  type AgentRequest,
  aMessage,
  aSession,
  CALLS,
  call,
  type GatewayFixture,
  type GatewayOptions,
  KEY,
  MODEL,
  openGateway,
  PRICE,
  sendRaw,
  startUpstream,
  type Upstream,
  writeKey,
} from './gateway-fixture.ts';

let upstream: Upstream;
let fixture: GatewayFixture | null = null;

beforeAll(async () => {
  upstream = await startUpstream(answerWell);
});
afterAll(() => upstream.close());
beforeEach(() => {
  upstream.clear();
  upstream.answerWith(answerWell);
});
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

function answerWell(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(aMessage());
}

async function open(options: GatewayOptions = {}): Promise<GatewayFixture> {
  fixture = await openGateway(upstream.url, options);
  return fixture;
}

const { path, body } = CALLS.messages;
const HEAD = (token: string, more = ''): string =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\nx-api-key: ${token}\r\ncontent-type: application/json\r\n${more}`;

describe('the token of a session (T38)', () => {
  it.each([
    ['none', {}],
    ['an empty one', { authorization: 'Bearer ' }],
    ['a wrong one', { 'x-api-key': 'a'.repeat(64) }],
    ['the key itself', { 'x-api-key': KEY }],
    ['a part of it', { 'x-api-key': 'PART' }],
  ])('is needed: %s is refused', async (what, headers) => {
    const { session } = await open();
    const given = what === 'a part of it' ? { 'x-api-key': session.token.slice(0, -1) } : headers;
    const response = await call(session, { path, body, headers: { authorization: '', ...given } });
    expect(response.status).toBe(401);
    expect(JSON.parse(response.text)).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
    expect(session.use()).toMatchObject({ calls: 0, refused: { wrong_token: 1 }, stoppedBy: null });
    expect(upstream.requests).toEqual([]);
  });

  it('of another session is refused, and so is that of a session that has ended', async () => {
    const { session, openAnother } = await open();
    const other = await openAnother();
    expect(other.token).not.toBe(session.token);
    expect(other.socketPath).not.toBe(session.socketPath);
    const swapped = { ...session, token: other.token };
    expect((await call(swapped, { path, body })).status).toBe(401);
    await other.close();
    expect((await call(swapped, { path, body })).status).toBe(401);
    expect((await call(session, { path, body })).status).toBe(200);
  });

  it.each([
    ['anthropic', 'x-api-key', CALLS.messages],
    ['openai', 'authorization', CALLS.chat],
    ['gemini', 'x-goog-api-key', CALLS.generate],
  ] as const)('for %s goes no further, and the key takes its place', async (dialect, name, request) => {
    const { session } = await open({ dialect });
    const value = name === 'authorization' ? `Bearer ${session.token}` : session.token;
    await call(session, { ...request, headers: { authorization: '', [name]: value, cookie: 'a=b' } });
    const [sent] = upstream.requests;
    expect(sent?.headers[name]).toBe(name === 'authorization' ? `Bearer ${KEY}` : KEY);
    expect(JSON.stringify(sent)).not.toContain(session.token);
    expect(sent?.headers).not.toHaveProperty('cookie');
    expect(sent?.headers).toMatchObject({ 'accept-encoding': 'identity', host: new URL(upstream.url).host });
  });

  it('may stand in the query of Gemini, and goes no further', async () => {
    const { session } = await open({ dialect: 'gemini' });
    const target = `/v1beta/models/${MODEL}:generateContent?key=${session.token}`;
    expect((await call(session, { path: target, body: {}, headers: { authorization: '' } })).status).toBe(200);
    expect(upstream.requests).toMatchObject([{ target: `/v1beta/models/${MODEL}:generateContent` }]);
  });

  it('is not needed to see that somebody listens', async () => {
    const { session } = await open();
    const response = await call(session, { method: 'HEAD', path: '/', headers: { authorization: '' } });
    expect(response).toMatchObject({ status: 200, text: '' });
    expect(session.use().refused).toEqual({});
  });
});

describe('what is no call to a model', () => {
  it.each<[string, AgentRequest]>([
    ['another path', { path: '/v1/files' }],
    ['a path with dots', { path: '/v1/x/../messages' }],
    ['an encoded path', { path: '/v1/%6Dessages' }],
    ['a double slash', { path: '//v1/messages' }],
    ['a whole URL', { path: `http://127.0.0.1:1${path}` }],
    ['a query', { path: `${path}?url=http://127.0.0.1:1` }],
    ['another method', { method: 'PUT', path }],
    ['another dialect', { path: '/v1/responses' }],
  ])('is refused: %s', async (_, request) => {
    const { session } = await open();
    const response = await call(session, { body, ...request });
    expect(response.status).toBe(404);
    expect(session.use()).toMatchObject({ refused: { not_a_model_call: 1 }, stoppedBy: null, calls: 0 });
    expect(upstream.requests).toEqual([]);
  });

  it.each([
    ['an upgrade', (token: string) => `${HEAD(token)}connection: upgrade\r\nupgrade: websocket\r\n\r\n`, '426'],
    ['CONNECT', (token: string) => `CONNECT 127.0.0.1:1 HTTP/1.1\r\nhost: a\r\nx-api-key: ${token}\r\n\r\n`, '405'],
    ['a request of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400'],
    ['noise', () => '\u0000\u0001\r\n\r\n', '400'],
    ['two lengths', (token: string) => `${HEAD(token)}content-length: 2\r\ncontent-length: 30\r\n\r\n{}`, '400'],
    [
      'a length and chunks',
      (token: string) => `${HEAD(token)}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      '400',
    ],
    [
      'chunks of an unknown encoding',
      (token: string) => `${HEAD(token)}transfer-encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      '400',
    ],
    ['a broken chunk', (token: string) => `${HEAD(token)}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`, '400'],
    ['a header with a line of its own', (token: string) => `${HEAD(token)} x: y\r\n\r\n`, '400'],
    ['headers without end', (token: string) => `${HEAD(token)}a: ${'x'.repeat(70_000)}\r\n\r\n`, '4'],
  ])('is refused on the wire: %s', async (_, toText, status) => {
    const { session } = await open();
    const back = await sendRaw(session, toText(session.token));
    expect(back).toMatch(new RegExp(`^HTTP/1\\.1 ${status}`));
    // A second request that hides in the first one would have an answer of its own.
    expect(back.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(upstream.requests).toEqual([]);
  });

  it('a smuggled request stays a body', async () => {
    const { session } = await open();
    const inner = `POST /v1/files HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`;
    const text = `${HEAD(session.token, 'connection: close\r\n')}content-length: ${inner.length}\r\n\r\n${inner}`;
    expect(await sendRaw(session, text)).toMatch(/^HTTP\/1\.1 400/);
    expect(session.use().refused).toEqual({ malformed: 1 });
    expect(upstream.requests).toEqual([]);
  });

  it.each([
    ['anthropic', '/v1/models', { data: [{ id: MODEL }] }],
    ['openai', '/v1/models', { data: [{ id: MODEL }] }],
    ['gemini', '/v1beta/models', { models: [{ name: `models/${MODEL}` }] }],
  ] as const)('is answered here: the models of %s', async (dialect, listPath, list) => {
    const { session } = await open({ dialect });
    const response = await call(session, { method: 'GET', path: listPath });
    expect(response.status).toBe(200);
    expect(JSON.parse(response.text)).toMatchObject(list);
    expect(upstream.requests).toEqual([]);
  });
});

/** A call whose `metadata` nests that deep. */
function toDeep(depth: number): string {
  return `{"model":"${MODEL}","messages":[],"metadata":${'['.repeat(depth)}${']'.repeat(depth)}}`;
}

describe('the body of a call', () => {
  it('is sent as it was checked', async () => {
    const { session } = await open();
    const twice = `{"model":"other","model":"${MODEL}","messages":[],"tools":[{"type":"web_search_20250305"}],"tools":[], "x":1}`;
    expect((await call(session, { path, body: twice })).status).toBe(200);
    expect(upstream.requests[0]?.body).toBe(`{"model":"${MODEL}","messages":[],"tools":[],"max_tokens":1000}`);
    const last = `{"model":"${MODEL}","model":"other","messages":[]}`;
    expect((await call(session, { path, body: last })).status).toBe(403);
    expect(upstream.requests).toHaveLength(1);
  });

  it('keeps what it does not know within messages and tools', async () => {
    const { session } = await open();
    const text = '\u00e9\ud83d\ude00 "quoted" \\ \u2028 \u0001';
    const messages = [{ role: 'user', content: [{ type: 'text', text, new_field: { a: [1.5, -0.25, true, null] } }] }];
    const tools = [{ name: 'a', input_schema: { type: 'object', $defs: { b: {} } } }];
    await call(session, { path, body: { model: MODEL, messages, tools } });
    expect(JSON.parse(upstream.requests[0]?.body ?? '')).toMatchObject({ messages, tools });
  });

  it.each([
    ['the model', { ...body, model: 'model-2' }, 403, 'model_not_allowed'],
    ['a hosted tool', { ...body, tools: [{ type: 'web_search_20250305' }] }, 403, 'hosted_tool'],
    ['a list', '[]', 400, 'malformed'],
    ['no JSON', '{"model":', 400, 'malformed'],
    ['nothing', '', 400, 'malformed'],
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0x7d]), 400, 'malformed'],
    ['JSON that is too deep', toDeep(200), 400, 'malformed'],
  ] as const)('is refused for %s', async (_, given, status, why) => {
    const { session, store } = await open();
    const response = await call(session, { path, body: given });
    expect(response).toMatchObject({ status, isWhole: true });
    expect(session.use()).toMatchObject({ calls: 0, refused: { [why]: 1 } });
    expect(session.use().lastRefusal).not.toBeNull();
    // The agent may go on without what was refused.
    expect(session.use().stoppedBy).toBeNull();
    expect(upstream.requests).toEqual([]);
    expect(store.spent({ scope: 'fixup', sessionId: parseSessionId('session-1') }).calls).toBe(0);
  });

  it('may be as deep as conversations get', async () => {
    const { session } = await open();
    expect((await call(session, { path, body: toDeep(199) })).status).toBe(200);
  });

  it.each(['gzip', 'zstd', 'br', 'identity, gzip'])('is refused where it is compressed with %s', async (encoding) => {
    const { session } = await open();
    const response = await call(session, { path, body, headers: { 'content-encoding': encoding } });
    expect(response.status).toBe(400);
    expect(session.use().refused).toEqual({ malformed: 1 });
  });
});

describe('the size of a body', () => {
  const big = { path, body: Buffer.alloc(200_000, 0x20) };

  it.each([
    ['with a length', {}],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('is bounded: one %s is refused', async (_, headers) => {
    const { session } = await open({ gatewayLimits: { maxBodyBytes: 100_000 } });
    const response = await call(session, { ...big, headers });
    expect(response).toMatchObject({ status: 413, isWhole: true });
    expect(session.use()).toMatchObject({ refused: { too_large: 1 }, stoppedBy: null });
    expect((await call(session, { path, body })).status).toBe(200);
  });

  it('is refused by its length alone, before any of it arrived', async () => {
    const { session } = await open();
    const socketText = `${HEAD(session.token)}content-length: ${200 * 1024 * 1024}\r\n\r\n`;
    const back = await sendRaw(session, socketText);
    expect(back).toMatch(/^HTTP\/1\.1 413/);
    expect(back).toMatch(/\r\nconnection: close\r\n/);
  });

  it('is bounded for all calls of a session together', async () => {
    const held: ServerResponse[] = [];
    upstream.answerWith((response) => held.push(response));
    const { session } = await open({ gatewayLimits: { maxBodiesBytes: 250_000 } });
    const request = { path, body: { ...body, system: 'x'.repeat(150_000) } };
    const first = call(session, request);
    await upstream.until(1);
    expect((await call(session, request)).status).toBe(413);
    held.forEach(answerWell);
    expect((await first).status).toBe(200);
    upstream.answerWith(answerWell);
    expect((await call(session, request)).status).toBe(200);
  });

  it('does not matter to a count of open calls, which is bounded, too', async () => {
    const held: ServerResponse[] = [];
    upstream.answerWith((response) => held.push(response));
    const { session } = await open({ gatewayLimits: { maxOpenCalls: 2 } });
    const calls = [call(session, { path, body }), call(session, { path, body })];
    await upstream.until(2);
    expect(await call(session, { path, body })).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    held.forEach(answerWell);
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
    upstream.answerWith(answerWell);
    expect((await call(session, { path, body })).status).toBe(200);
    expect(session.use()).toMatchObject({ calls: 3, refused: {}, faults: {} });
  });
});

describe('the socket of a session', () => {
  it('is in a folder that nobody can list and whose name nobody can guess', async () => {
    const { session, folder } = await open();
    const own = dirname(session.socketPath);
    const modes = [dirname(own), own, session.socketPath].map((place) => statSync(place).mode & 0o777);
    expect(modes.map((mode) => mode.toString(8))).toEqual(['711', '711', '666']);
    expect(basename(own)).toMatch(/^[\w-]{22}$/);
    expect(session.token).toMatch(/^[0-9a-f]{64}$/);
    await session.close();
    expect(readdirSync(join(folder, 's'))).toEqual([]);
  });

  it('does not outlive a crash', async () => {
    const { folder, endpoint } = await open();
    const left = join(folder, 't', 'left');
    mkdirSync(left, { recursive: true });
    writeFileSync(join(left, 'model.sock'), '');
    const { log } = recordingLog();
    const store = memoryStore();
    const again = createModelGateway({
      ...{
        folder: join(folder, 't'),
        ledger: store,
        switches: store,
        limits: {},
        clock: createFakeClock(),
        log,
        keys: createKeyFiles(() => undefined),
      },
    });
    await again.open(aSession(endpoint));
    expect(existsSync(left)).toBe(false);
    await again.close();
  });

  it.each([
    ['nothing', () => ''],
    ['half a head', (token: string) => HEAD(token)],
    ['half a body', (token: string) => `${HEAD(token)}content-length: 100\r\n\r\n{`],
    ['CONNECT', () => 'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['an upgrade', () => 'GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'],
    ['noise', () => '\u0000\r\n\r\n'],
  ])('is closed for agents that sent %s and do not leave', async (_, toText) => {
    const { session } = await open();
    const socket = connect({ path: session.socketPath, allowHalfOpen: true });
    socket.on('error', () => undefined).resume();
    const closed = new Promise((resolve) => socket.once('end', resolve));
    await new Promise((resolve) => socket.once('connect', resolve));
    const text = toText(session.token);
    if (text !== '') await new Promise((resolve) => socket.write(text, resolve));
    // The gateway has read it by the time it answers another one.
    await call(session, { path, body });
    await session.close();
    await closed;
    socket.destroy();
  });

  it('must have a short path', async () => {
    const { log } = recordingLog();
    const store = memoryStore();
    const keys = createKeyFiles(() => undefined);
    const create = (folder: string) =>
      createModelGateway({ folder, ledger: store, switches: store, limits: {}, clock: createFakeClock(), log, keys });
    expect(() => create(`/${'x'.repeat(77)}`)).not.toThrow();
    expect(() => create(`/${'x'.repeat(78)}`)).toThrow(ConfigError);
  });
});

describe('a session is not opened', () => {
  it.each([
    ['for a model that the agent does not have', { model: 'other' }, 'other is not one of the models of agent-1'],
    ['in USD without a price', { model: 'model-2', maxMicroUsd: 5 }, 'model-2 has no price'],
  ])('%s', async (_, session, message) => {
    await expect(open({ session })).rejects.toThrow(message);
  });

  it('without a price where a budget of others is in USD', async () => {
    const limits = { month: { maxMicroUsd: 5, maxCalls: null, maxTokens: null, maxTimeMs: null } };
    await expect(open({ session: { model: 'model-2' }, limits })).rejects.toThrow(ConfigError);
    const calls = { month: { maxMicroUsd: null, maxCalls: 5, maxTokens: null, maxTimeMs: null } };
    const { session } = await open({ session: { model: 'model-2' }, limits: calls });
    expect((await call(session, { path, body: { ...body, model: 'model-2' } })).status).toBe(200);
    expect(session.use()).toMatchObject({ microUsd: 0, tokens: { input: 10, output: 5 } });
  });

  it.each(['ftp://a', 'a', 'http://a?b=c', 'http://user:secret@a', 'http://a#b', ''])('for the URL %j', async (url) => {
    const opened = open({ endpoint: { url } });
    await expect(opened).rejects.toThrow('the URL of the model of agent-1');
    await expect(opened).rejects.not.toThrow('secret');
  });
});

describe('the path of the URL', () => {
  it('stands before every call', async () => {
    const { session } = await open({ endpoint: { url: `${upstream.url}/api/` } });
    await call(session, { path, body });
    expect(upstream.requests[0]?.target).toBe('/api/v1/messages');
  });
});

describe('the key file', () => {
  it.each([
    ['is missing', () => undefined, 'does not exist'],
    ['is empty', (folder: string) => writeKey(folder, ''), 'is empty'],
    ['has only blanks', (folder: string) => writeKey(folder, ' \n'), 'is empty'],
    [
      'is readable by its group',
      (folder: string) => writeKey(folder, KEY, 0o640),
      'must be readable by its owner alone',
    ],
    ['is readable by all', (folder: string) => writeKey(folder, KEY, 0o444), 'must be readable by its owner alone'],
    ['is a program', (folder: string) => writeKey(folder, KEY, 0o700), 'must be readable by its owner alone'],
    ['has two lines', (folder: string) => writeKey(folder, `${KEY}\nx-other: 1`), 'has more than a key in it'],
    ['has more than ASCII', (folder: string) => writeKey(folder, `${KEY}\u00e9`), 'has more than a key in it'],
    ['is too long', (folder: string) => writeKey(folder, 'x'.repeat(20_000)), 'is too long for a key'],
    ['is a folder', (folder: string) => mkdirSync(join(folder, 'key')), 'is not a file'],
  ])('must be usable: it %s', async (_, prepare, message) => {
    const { folder, openAnother, gateway, endpoint } = await open();
    rmSync(join(folder, 'key'));
    prepare(folder);
    const refused = openAnother();
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(`the key file ${join(folder, 'key')} ${message}`);
    await expect(refused).rejects.not.toThrow(KEY);
    await expect(gateway.fingerprint(endpoint)).rejects.toThrow(message);
    expect(await gateway.probe(endpoint, AbortSignal.timeout(5000))).toMatchObject({ kind: 'failed' });
  });

  it('must be readable', async () => {
    const { folder, openAnother, endpoint } = await open();
    const keyFile = join(folder, 'key', 'below');
    await expect(openAnother({ endpoint: { ...endpoint, keyFile } })).rejects.toThrow(`${keyFile} cannot be read`);
  });

  it.each([0o400, 0o600])('may have the mode %o, and be a link', async (mode) => {
    const { folder, openAnother, endpoint } = await open();
    writeKey(folder, `${KEY}\n`, mode);
    const link = join(folder, 'link');
    symlinkSync(join(folder, 'key'), link);
    const other = await openAnother({ endpoint: { ...endpoint, keyFile: link } });
    await call(other, { path, body });
    expect(upstream.requests[0]?.headers['x-api-key']).toBe(KEY);
  });

  it('is read again when it changes', async () => {
    const { folder, session } = await open();
    await call(session, { path, body });
    writeKey(folder, 'another-key');
    await call(session, { path, body });
    expect(upstream.requests.map(({ headers }) => headers['x-api-key'])).toEqual([KEY, 'another-key']);
    writeKey(folder, KEY, 0o644);
    const response = await call(session, { path, body });
    expect(response.status).toBe(402);
    expect(response.text).not.toContain(folder);
    expect(session.use()).toMatchObject({ calls: 2, stoppedBy: { why: 'misconfigured' } });
  });
});

describe('the fingerprint of an endpoint', () => {
  it('changes with all that matters, and with nothing else', async () => {
    const { gateway, endpoint, folder } = await open();
    const first = await gateway.fingerprint(endpoint);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    const prices = { b: PRICE, a: PRICE };
    const changes = [
      { name: 'b' },
      { dialect: 'openai' as const },
      { url: 'http://b' },
      { models: [MODEL] },
      { prices: {} },
      { prices },
      { maxOutputTokens: 5 },
    ];
    const others = await Promise.all(changes.map((change) => gateway.fingerprint({ ...endpoint, ...change })));
    expect(new Set([first, ...others]).size).toBe(changes.length + 1);
    const sorted = { a: PRICE, b: PRICE };
    expect(await gateway.fingerprint({ ...endpoint, prices: sorted })).toBe(others[5]);
    writeKey(folder, KEY, 0o400);
    expect(await gateway.fingerprint(endpoint)).toBe(first);
    writeKey(folder, `${KEY}2`);
    expect(await gateway.fingerprint(endpoint)).not.toBe(first);
  });
});
