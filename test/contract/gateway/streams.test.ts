import { rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  aMessage,
  begin,
  CALLS,
  call,
  type GatewayFixture,
  type GatewayOptions,
  KEY,
  MODEL,
  openGateway,
  PRICE,
  STREAMS,
  startUpstream,
  toEvents,
  type Upstream,
} from './gateway-fixture.ts';

const EVENTS = { 'content-type': 'text/event-stream; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json' };
const START = { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } };
const DELTA = { type: 'message_delta', usage: { output_tokens: 5 } };
const STOP = { type: 'message_stop' };
const CHARGED = 10 * PRICE.input + 5 * PRICE.output;

let upstream: Upstream;
let fixture: GatewayFixture | null = null;

beforeAll(async () => {
  upstream = await startUpstream((response) => response.destroy());
});
afterAll(() => upstream.close());
beforeEach(() => upstream.clear());
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

async function open(answer: (response: ServerResponse) => void, options: GatewayOptions = {}): Promise<GatewayFixture> {
  upstream.answerWith(answer);
  fixture = await openGateway(upstream.url, options);
  return fixture;
}

describe('a stream', () => {
  it('passes unchanged, byte by byte, as it arrives', async () => {
    const text = `event: x\r\n${toEvents(START, { text: '\u00e9\ud83d\ude00' }, DELTA, STOP)}: the end\n\n`;
    const next = { write: (): void => undefined };
    const { session } = await open((response) => {
      response.writeHead(200, EVENTS);
      let at = 0;
      const bytes = Buffer.from(text);
      next.write = () => {
        at += 1;
        if (at <= bytes.length) response.write(bytes.subarray(at - 1, at));
        else response.end();
      };
      next.write();
    });
    const message = await begin(session, STREAMS.messages);
    expect(message.headers).toMatchObject({ 'content-type': 'text/event-stream' });
    let back = '';
    message.setEncoding('utf8').on('data', (chunk: string) => {
      back += chunk;
      next.write();
    });
    // A byte that is a part of a character is no text yet.
    const more = setInterval(() => next.write(), 1);
    await new Promise((resolve) => message.once('close', resolve));
    clearInterval(more);
    expect(back).toBe(text);
    expect(session.use()).toMatchObject({ lastCall: 'ok', microUsd: CHARGED });
  });

  it('is charged where its agent leaves after the last event', async () => {
    const { session, store } = await open((response) =>
      response.writeHead(200, EVENTS).write(toEvents(START, DELTA, STOP)),
    );
    const message = await begin(session, STREAMS.messages);
    await new Promise((resolve) => message.once('data', resolve));
    message.destroy();
    await expect.poll(() => session.use().lastCall).toBe('ok');
    expect(session.use()).toMatchObject({ microUsd: CHARGED, faults: {} });
    expect(store.spent({ scope: 'day', repositoryId: 100, at: fixture?.clock.now() ?? 0 }).microUsd).toBe(CHARGED);
  });

  it('that ends well in the middle of an answer was cut', async () => {
    const { session } = await open((response) => response.writeHead(200, EVENTS).end(toEvents(START)));
    expect(await call(session, STREAMS.messages)).toMatchObject({ status: 200, isWhole: true });
    expect(session.use()).toMatchObject({ lastCall: 'cut', faults: { cut: 1 } });
  });

  it('without any use is charged what was reserved', async () => {
    const { session } = await open((response) => response.writeHead(200, EVENTS).end('data: [DONE]\n\n'), {
      dialect: 'openai',
    });
    await call(session, STREAMS.chat);
    expect(session.use()).toMatchObject({ lastCall: 'ok', tokens: { output: 1000 } });
    expect(session.use().microUsd).toBeGreaterThan(4096 * PRICE.written);
  });

  it('with a line of 5 MB passes, and is read on', async () => {
    const long = `data: ${'x'.repeat(5_000_000)}\n\n`;
    const { session } = await open((response) =>
      response.writeHead(200, EVENTS).end(toEvents(START) + long + toEvents(DELTA, STOP)),
    );
    const response = await call(session, STREAMS.messages);
    expect(response.text).toHaveLength(long.length + toEvents(START, DELTA, STOP).length);
    expect(session.use()).toMatchObject({ lastCall: 'ok', microUsd: CHARGED });
  });

  it('is cut where it never ends', async () => {
    const { session } = await open(pour, { gatewayLimits: { maxAnswerBytes: 1_000_000 } });
    const response = await call(session, STREAMS.messages);
    expect(response.isWhole).toBe(false);
    expect(response.text.length).toBeLessThanOrEqual(1_000_000);
    expect(session.use()).toMatchObject({ lastCall: 'cut', faults: { cut: 1 } });
    expect(session.use().microUsd).toBe(10 * PRICE.input + 100 * PRICE.output);
  });

  it('ends with the time of its call', async () => {
    const drip = (response: ServerResponse): void => {
      response.writeHead(200, EVENTS).write(toEvents(START));
      const timer = setInterval(() => response.write(': ping\n\n'), 5);
      response.once('close', () => clearInterval(timer));
    };
    const { session } = await open(drip, { gatewayLimits: { callMs: 1500, silenceMs: 5000 } });
    expect((await call(session, STREAMS.messages)).isWhole).toBe(false);
    expect(session.use()).toMatchObject({ calls: 1 });
  });

  it('waits for a slow reader, without keeping what it does not read', async () => {
    let written = 0;
    const counted = (response: ServerResponse): void => {
      const write = response.write.bind(response);
      response.write = (chunk: Buffer) => {
        written += chunk.length;
        return write(chunk);
      };
      pour(response);
    };
    const { session } = await open(counted, { gatewayLimits: { slowReaderMs: 5000 } });
    const message = await begin(session, STREAMS.messages);
    message.on('error', () => undefined);
    // Sockets and streams have buffers; then everybody waits.
    let before = -1;
    await expect
      .poll(
        () => {
          const isQuiet = written === before && written > 0;
          before = written;
          return isQuiet;
        },
        { interval: 30 },
      )
      .toBe(true);
    expect(written).toBeLessThan(8_000_000);
    let read = 0;
    await new Promise<void>((resolve) => {
      message.on('data', (chunk: Buffer) => {
        read += chunk.length;
        if (read > 12_000_000) resolve();
      });
    });
    expect(written).toBeGreaterThan(12_000_000);
    expect(session.use().lastCall).toBeNull();
    message.destroy();
  });

  it('leaves a reader who reads nothing', async () => {
    const { session } = await open(pour, { gatewayLimits: { slowReaderMs: 40, silenceMs: 5000 } });
    const message = await begin(session, STREAMS.messages);
    message.on('error', () => undefined);
    await expect.poll(() => session.use().microUsd).toBe(10 * PRICE.input + 100 * PRICE.output);
    expect(session.use()).toMatchObject({ lastCall: null, faults: {} });
    message.resume();
    await new Promise((resolve) => message.once('close', resolve));
    expect(message.complete).toBe(false);
  });
});

/** Writes for ever, as fast as it is read. */
function pour(response: ServerResponse): void {
  const chunk = Buffer.from(`data: ${JSON.stringify({ type: 'content_block_delta', text: 'x'.repeat(65_000) })}\n\n`);
  response.writeHead(200, EVENTS).write(toEvents(START));
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

describe('an answer', () => {
  it.each([301, 302, 303, 307, 308])('that redirects (%i) is followed nowhere', async (status) => {
    const location = 'http://127.0.0.1:1/v1/messages';
    const { session } = await open((response) => response.writeHead(status, { location }).end());
    const response = await call(session, CALLS.messages);
    expect(response.status).toBe(502);
    expect(response.headers).not.toHaveProperty('location');
    expect(session.use()).toMatchObject({ lastCall: 'unreadable', faults: { unreadable: 1 }, microUsd: 0 });
    expect(upstream.requests).toHaveLength(1);
  });

  it.each([
    ['another type', { 'content-type': 'application/octet-stream' }],
    ['no type', {}],
    ['a type that only looks like JSON', { 'content-type': 'application/jsonp' }],
    ['a compressed body', { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  ])('with %s is no answer of a model', async (_, headers) => {
    const { session } = await open((response) => response.writeHead(200, headers).end(aMessage()));
    const response = await call(session, CALLS.messages);
    expect(response).toMatchObject({ status: 502, isWhole: true });
    expect(JSON.parse(response.text)).toMatchObject({ error: { type: 'api_error' } });
    expect(session.use().lastCall).toBe('unreadable');
  });

  it('that switches protocols is none', async () => {
    const { session } = await open((response) => {
      response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
    });
    expect((await call(session, CALLS.messages)).status).toBe(502);
    expect(session.use().lastCall).toBe('cut');
  });

  it('brings no header along that the agent does not need', async () => {
    const headers = { ...JSON_TYPE, 'set-cookie': 'a=b', 'x-api-key': KEY, 'request-id': 'req_1', connection: 'close' };
    const { session } = await open((response) => response.writeHead(200, headers).end(aMessage()));
    const response = await call(session, CALLS.messages);
    const names = ['connection', 'content-type', 'date', 'request-id', 'transfer-encoding'];
    expect(Object.keys(response.headers).toSorted()).toEqual(names);
  });

  it('uses a connection again', async () => {
    const before = upstream.connections();
    const { session } = await open((response) => response.writeHead(200, JSON_TYPE).end(aMessage()));
    for (let count = 0; count < 5; count += 1) await call(session, CALLS.messages);
    expect(upstream.connections() - before).toBe(1);
  });

  it('that is lost is not asked for again', async () => {
    const { session } = await open((response) => response.writeHead(200, JSON_TYPE).end(aMessage()));
    await call(session, CALLS.messages);
    // On a connection that was kept open.
    upstream.answerWith((response) => response.socket?.destroy());
    expect((await call(session, CALLS.messages)).status).toBe(502);
    expect(upstream.requests).toHaveLength(2);
    expect(session.use()).toMatchObject({ calls: 2, lastCall: 'cut', tokens: { output: 105 } });
  });
});

describe('the key', () => {
  it.each([400, 401, 403, 429, 500])('is in no answer with %i, though the API repeats it', async (status) => {
    const error = { type: 'authentication_error', message: `the key ${KEY} is wrong` };
    const { session, lines } = await open((response) => {
      response.writeHead(status, { ...JSON_TYPE, 'request-id': KEY }).end(JSON.stringify({ type: 'error', error }));
    });
    const response = await call(session, CALLS.messages);
    expect(response.status).toBe(status);
    expect(JSON.stringify([response, lines, session.use()])).not.toContain(KEY);
  });

  it('is in no part of what the API says about it', async () => {
    const message = `Incorrect API key provided: ${KEY.slice(0, 4)}***${KEY.slice(-4)}`;
    const { session } = await open((response) => {
      response.writeHead(401, JSON_TYPE).end(JSON.stringify({ error: { type: 'authentication_error', message } }));
    });
    const { text } = await call(session, CALLS.messages);
    expect(text).not.toContain(KEY.slice(-4));
    expect(JSON.parse(text)).toMatchObject({ error: { type: 'authentication_error' } });
  });

  it('is in no part of a page', async () => {
    const { session } = await open((response) => {
      response.writeHead(500, { 'content-type': 'text/html' }).end(`<html>${KEY.slice(0, 20)}`);
    });
    const { text } = await call(session, CALLS.messages);
    expect(JSON.parse(text)).toEqual({
      type: 'error',
      error: { type: 'api_error', message: 'Ratchet: the model answered 500' },
    });
  });

  it('is in no line of the log, whatever happens', async () => {
    const { session, lines, folder } = await open((response) => response.destroy());
    await call(session, CALLS.messages);
    await call(session, { path: '/v1/files' });
    await call(session, { ...CALLS.messages, headers: { authorization: 'Bearer x' } });
    upstream.answerWith((response) => response.writeHead(401).end(KEY));
    await call(session, CALLS.messages);
    await call(session, CALLS.messages);
    await call(session, CALLS.messages);
    rmSync(`${folder}/key`);
    await call(session, CALLS.messages);
    expect(lines.length).toBeGreaterThan(4);
    const text = JSON.stringify(lines, (_, value: unknown) => (value instanceof Error ? String(value.stack) : value));
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(session.token);
  });
});

describe('when to come back', () => {
  it('is what the API says, even in the middle of a stream', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' }];
    const error = { code: 429, status: 'RESOURCE_EXHAUSTED', details };
    const { session, clock } = await open((response) => response.writeHead(200, EVENTS).end(toEvents({ error })), {
      dialect: 'gemini',
    });
    await call(session, STREAMS.generate);
    expect(session.use()).toMatchObject({ lastCall: 'rate_limited', retryAt: clock.now() + 34_000 });
  });

  it('is found in a list of errors', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '5s' }];
    const { session, clock } = await open(
      (response) => response.writeHead(429, JSON_TYPE).end(JSON.stringify([{ error: { code: 429, details } }])),
      { dialect: 'gemini' },
    );
    expect((await call(session, STREAMS.generate)).status).toBe(429);
    expect(session.use()).toMatchObject({ lastCall: 'rate_limited', retryAt: clock.now() + 5000 });
  });
});

describe('a probe', () => {
  const whole = (usage: object) => JSON.stringify({ object: 'response', usage, usageMetadata: usage });

  it.each([
    ['anthropic', '/v1/messages', { model: MODEL, max_tokens: 16 }],
    ['openai', '/v1/responses', { model: MODEL, max_output_tokens: 16, store: false }],
    ['gemini', `/v1beta/models/${MODEL}:generateContent`, { generationConfig: { maxOutputTokens: 16 } }],
  ] as const)('of %s is one small call', async (dialect, target, body) => {
    const { gateway, endpoint, lines } = await open(
      (response) => response.writeHead(200, JSON_TYPE).end(whole({ input_tokens: 1 })),
      { dialect },
    );
    expect(await gateway.probe(endpoint, AbortSignal.timeout(5000))).toEqual({ kind: 'ok', model: MODEL });
    expect(upstream.requests).toMatchObject([{ target }]);
    expect(JSON.parse(upstream.requests[0]?.body ?? '')).toMatchObject(body);
    expect(JSON.stringify(upstream.requests[0]?.headers)).toContain(KEY);
    expect(lines).toEqual([]);
  });

  it('of an API that is only compatible tries its other path', async () => {
    const { gateway, endpoint } = await open(() => undefined, { dialect: 'openai' });
    upstream.answerWith((response, { url }) => {
      if (url === '/v1/responses') response.writeHead(404).end();
      else response.writeHead(200, JSON_TYPE).end(whole({ prompt_tokens: 1 }));
    });
    expect(await gateway.probe(endpoint, AbortSignal.timeout(5000))).toEqual({ kind: 'ok', model: MODEL });
  });

  it.each([
    [401, '{}', 'the key is not accepted (401): check the key file'],
    [402, '{}', 'the account of the key has no credit (402)'],
    [429, '{}', "the model's API limits the rate (429): try again later"],
    [500, '{}', "the model's API failed (500): try again later"],
    [404, '{}', "the model's API refused the call (404): check the URL and the name of the model"],
    [302, '', 'the answer is not one of a model (302): check the URL'],
    [200, '<html>', 'the answer is not one of a model (200): check the URL'],
    [200, '{"status":"ok"}', 'the answer is not one of a model (200): check the URL'],
  ])('answered with %i %s says what to do', async (status, text, why) => {
    const { gateway, endpoint } = await open((response) => response.writeHead(status, JSON_TYPE).end(text));
    expect(await gateway.probe(endpoint, AbortSignal.timeout(5000))).toEqual({ kind: 'failed', why });
  });

  it('that reaches nobody says what to do', async () => {
    const { gateway, endpoint } = await open(() => undefined);
    const nobody = { ...endpoint, url: 'http://127.0.0.1:1' };
    const why = "the connection to the model's API failed: check the URL and the network";
    expect(await gateway.probe(nobody, AbortSignal.timeout(5000))).toEqual({ kind: 'failed', why });
    expect(await gateway.probe({ ...endpoint, models: [] }, AbortSignal.timeout(5000))).toMatchObject({
      kind: 'failed',
    });
    expect(await gateway.probe({ ...endpoint, url: 'x' }, AbortSignal.timeout(5000))).toMatchObject({ kind: 'failed' });
  });

  it('ends with its signal', async () => {
    const { gateway, endpoint } = await open(() => undefined);
    expect(await gateway.probe(endpoint, AbortSignal.timeout(20))).toMatchObject({ kind: 'failed' });
    expect(await gateway.probe(endpoint, AbortSignal.abort())).toMatchObject({ kind: 'failed' });
  });
});
