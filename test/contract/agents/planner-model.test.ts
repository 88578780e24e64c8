import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createPlannerModel } from '../../../src/adapters/agents/create-planner-model.ts';
import { DIALECTS } from '../../../src/core/model/model-use.ts';
import type { Asked } from '../../../src/ports/planner.ts';
import type { Behavior } from '../../../world/models/behavior.ts';
import { type Models, startModels } from '../../../world/models/start-models.ts';

const TEXT = '{"steps": [], "summary": "ä🙂"}';
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start(behavior?: Behavior): Promise<Models> {
  const models = await startModels({ key: 'token', script: { steps: [], end: TEXT } });
  if (behavior !== undefined) models.behave(behavior);
  closing.push(models.close);
  return models;
}

function ask(
  address: string,
  dialect: (typeof DIALECTS)[number],
  signal = AbortSignal.timeout(60_000),
): Promise<Asked> {
  const model = createPlannerModel(dialect, { address, token: 'token', model: 'm', maxUsd: null });
  return model.ask(
    [
      { from: 'user', text: 'one' },
      { from: 'model', text: 'two' },
      { from: 'user', text: 'three' },
    ],
    signal,
  );
}

describe('the client of a planner’s model (004.R33)', () => {
  it.each(DIALECTS)('reads the whole answer: %s', async (dialect) => {
    const models = await start();
    expect(await ask(models.url, dialect)).toEqual({ kind: 'answer', text: TEXT, end: 'whole' });
    expect(models.calls()).toHaveLength(1);
    expect(models.calls()[0]?.call).toMatchObject({ model: 'm', isStream: true, tools: [] });
  });

  it('uses Chat Completions where Responses are not known, also for the next question', async () => {
    const paths: string[] = [];
    const inner = await start();
    const server = createServer((request, response) => {
      paths.push(request.url ?? '');
      if (request.url === '/v1/responses') {
        response.writeHead(404).end('{"detail": "Not Found"}');
        return;
      }
      void forward(inner.url, request, response);
    });
    const address = await listen(server);
    const model = createPlannerModel('openai', { address, token: 'token', model: 'm', maxUsd: null });
    for (const text of ['one', 'two'])
      expect(await model.ask([{ from: 'user', text }], AbortSignal.timeout(60_000))).toMatchObject({ text: TEXT });
    expect(paths).toEqual(['/v1/responses', '/v1/chat/completions', '/v1/chat/completions']);
  });

  it.each<[string, Behavior, RegExp]>([
    ['an exhausted budget', { kind: 'fail', as: '402' }, /^402 /u],
    ['a limit', { kind: 'fail', as: '429' }, /^429 /u],
    ['an error in the stream', { kind: 'error_in_stream', as: '529' }, /^an error in the answer: /u],
    ['a cut stream', { kind: 'cut' }, /aborted|hang up/u],
    ['a page of a proxy', { kind: 'html' }, /^the answer has no end$/u],
    ['broken JSON', { kind: 'broken_json' }, /^the answer has no end$/u],
  ])('repeats no call that failed: %s', async (_, behavior, why) => {
    for (const dialect of DIALECTS) {
      const models = await start(behavior);
      const asked = await ask(models.url, dialect);
      expect(asked.kind === 'failed' ? asked.why : asked).toMatch(why);
      expect(models.requests).toHaveLength(1);
    }
  });

  it('stops reading an answer that never ends', async () => {
    const models = await start({ kind: 'slow', events: Infinity, bytes: 64 * 1024, everyMs: 1 });
    const asked = await ask(models.url, 'anthropic');
    expect(asked).toMatchObject({ kind: 'answer', end: 'too long' });
    expect(asked.kind === 'answer' && asked.text.length).toBe(512 * 1024);
    await models.until(() => models.open() === 0, { what: 'the call ended' });
  });

  it('stops at once when it is told to', async () => {
    const models = await start({ kind: 'hang' });
    const stop = new AbortController();
    const asked = ask(models.url, 'gemini', stop.signal);
    await models.until(() => models.requests.length > 0, { what: 'the call' });
    stop.abort(new Error('stopped'));
    await expect(asked).rejects.toThrow('stopped');
  });

  it('says that nobody listens', async () => {
    expect(await ask('http://127.0.0.1:1', 'openai')).toMatchObject({ kind: 'failed' });
  });
});

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${String(address.port)}`;
}

async function forward(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  const answer = await fetch(`${url}${request.url ?? ''}`, {
    method: 'POST',
    headers: { authorization: request.headers.authorization ?? '' },
    body: Buffer.concat(chunks),
  });
  response.writeHead(answer.status, { 'content-type': 'text/event-stream' }).end(await answer.text());
}
