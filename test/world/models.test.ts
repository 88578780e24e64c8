import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../world/json.ts';
import type { Behavior } from '../../world/models/behavior.ts';
import { type Models, startModels } from '../../world/models/start-models.ts';
import { startWorld } from '../../world/start-world.ts';

const KEY = 'the-key';
const SCHEMA = {
  type: 'object',
  properties: { file_path: { type: 'string' }, old_string: {}, new_string: {}, why: { type: 'string' } },
  required: ['why'],
} as const;
const SHELL = { type: 'object', properties: { command: { type: 'string' } } } as const;
const PROMPT = 'Fix it. { "run_id": "run-1", "task_id": "run-1-ci" }';

/** How a client of each API asks, with `results` results of tools so far. */
type Client = {
  readonly path: string;
  readonly streamPath?: string;
  readonly key: Readonly<Record<string, string>>;
  readonly ask: (results: number, isStream: boolean) => JsonObject;
};

const repeat = <Item>(count: number, item: Item): readonly Item[] => Array.from({ length: count }, () => item);

const CLIENTS: Readonly<Record<string, Client>> = {
  messages: {
    path: '/v1/messages?beta=true',
    key: { 'x-api-key': KEY },
    ask: (results, stream) => ({
      ...{ model: 'm', max_tokens: 1000, stream },
      tools: [
        { name: 'Read', input_schema: SCHEMA },
        { name: 'Edit', input_schema: SCHEMA },
        { name: 'Bash', input_schema: SHELL },
      ],
      messages: [
        { role: 'user', content: PROMPT },
        ...repeat(results, { role: 'user', content: [{ type: 'tool_result', content: 'ok' }] }),
      ],
    }),
  },
  responses: {
    path: '/v1/responses',
    key: { authorization: `Bearer ${KEY}` },
    ask: (results, stream) => ({
      ...{ model: 'm', max_output_tokens: 1000, stream },
      tools: [
        { type: 'function', name: 'shell_command', parameters: SHELL },
        { type: 'web_search', name: 'shell' },
      ],
      input: [
        { type: 'message', role: 'user', content: PROMPT },
        ...repeat(results, { type: 'function_call_output', output: 'ok' }),
      ],
    }),
  },
  chat: {
    path: '/v1/chat/completions',
    key: { authorization: `Bearer ${KEY}` },
    ask: (results, stream) => ({
      ...{ model: 'm', max_tokens: 1000, stream, stream_options: { include_usage: true } },
      tools: [
        { type: 'function', function: { name: 'read_file', parameters: SCHEMA } },
        { type: 'function', function: { name: 'edit', parameters: SCHEMA } },
        { type: 'function', function: { name: 'bash', parameters: SHELL } },
      ],
      messages: [{ role: 'user', content: PROMPT }, ...repeat(results, { role: 'tool', content: 'ok' })],
    }),
  },
  generate: {
    path: '/v1beta/models/m:generateContent',
    streamPath: '/v1beta/models/m:streamGenerateContent?alt=sse',
    key: { 'x-goog-api-key': KEY },
    ask: (results) => ({
      generationConfig: { maxOutputTokens: 1000 },
      tools: [
        {
          functionDeclarations: [
            { name: 'read_file', parametersJsonSchema: SCHEMA },
            { name: 'replace', parameters: SCHEMA },
            { name: 'run_shell_command', parameters: SHELL },
          ],
        },
      ],
      contents: [
        { role: 'user', parts: [{ text: PROMPT }] },
        ...repeat(results, { role: 'user', parts: [{ functionResponse: { name: 'x', response: {} } }] }),
      ],
    }),
  },
};
const NAMES = Object.keys(CLIENTS);
const MODES = NAMES.flatMap((name) => [false, true].map((isStream): [string, boolean] => [name, isStream]));

let models: Models;

beforeAll(async () => {
  models = await startModels({
    key: KEY,
    script: {
      steps: [
        { do: 'read', file: 'sum.js' },
        { do: 'edit', file: 'sum.js', find: "a - 'b'", replace: 'a + b' },
        { do: 'run', command: 'npm test' },
      ],
    },
    toUse: () => ({ input: 800, cached: 200, written: 0, output: 50 }),
  });
});

afterEach(() => {
  models.reset();
});

afterAll(() => models.close());

async function ask(
  name: string,
  { results = 0, isStream = false, key }: { results?: number; isStream?: boolean; key?: Record<string, string> } = {},
  signal = AbortSignal.timeout(5000),
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  const client = CLIENTS[name];
  if (client === undefined) throw new Error(`no client ${name}`);
  const path = isStream ? (client.streamPath ?? client.path) : client.path;
  const body = JSON.stringify(client.ask(results, isStream));
  const response = await fetch(models.url + path, { method: 'POST', headers: key ?? client.key, body, signal });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Asks, and leaves once the condition is true. */
async function giveUp(name: string, how: Parameters<typeof ask>[1], when: () => boolean): Promise<void> {
  const leave = new AbortController();
  const asking = ask(name, how, leave.signal);
  const ended = expect(asking).rejects.toThrow('left');
  await models.until(when, { what: 'the call to arrive' });
  leave.abort(new Error('left'));
  await ended;
}

/** Without escapes, so that a text within a text can be compared. */
const flat = (text: string): string => text.replaceAll('\\', '');

describe.each(MODES)('the API %s, streamed: %s', (name, isStream) => {
  it('follows the script by the tools that it is offered, and repeats the ids of the request at the end', async () => {
    const answers = [];
    for (let results = 0; results < 4; results += 1) answers.push(flat((await ask(name, { results, isStream })).text));
    const [read = '', edit = '', run = '', end = ''] = answers;

    expect(read).toMatch(/\/workspace\/sum\.js|cat 'sum\.js'/u);
    expect(edit).toContain('a + b');
    expect(edit).toMatch(/a - 'b'|a - '''b'''/u);
    expect(run).toContain('npm test');
    expect(end).toContain('"schema_version":1,"run_id":"run-1","task_id":"run-1-ci","status":"success"');
    expect(end).not.toContain('npm test');
  });

  it('counts calls, tokens and cost, and says the same in its own words', async () => {
    const { text } = await ask(name, { isStream });

    expect(models.spent()).toEqual({
      calls: 1,
      tokens: { input: 800, cached: 200, written: 0, output: 50 },
      microUsd: 800 * 3 + 200 * 0.3 + 50 * 15,
    });
    const cached = /"(?:cache_read_input_tokens|cached_tokens|cachedContentTokenCount)":200\b/u;
    expect(text).toMatch(cached);
    expect(text).toMatch(/"(?:output_tokens|completion_tokens|candidatesTokenCount)":50\b/u);
    expect(text).toMatch(
      name === 'messages' ? /"input_tokens":800\b/u : /"(?:input_tokens|prompt_tokens|promptTokenCount)":1000\b/u,
    );
  });

  it('charges input, and no output, for an answer that breaks off', async () => {
    models.behave({ kind: 'cut' });

    await expect(ask(name, { isStream })).rejects.toThrow();
    models.behave({ kind: 'stall' });
    await giveUp(name, { isStream }, () => models.spent().calls === 2);

    expect(models.spent()).toMatchObject({ calls: 2, tokens: { input: 1600, cached: 400, output: 0 } });
  });

  it('never ends where it is endless', async () => {
    models.behave({ kind: 'endless' });

    expect(flat((await ask(name, { isStream, results: 700 })).text)).toContain('echo 700');
  });

  it.each<[string, Behavior, number, RegExp]>([
    ['a page', { kind: 'html' }, 200, /^<!DOCTYPE html>/u],
    ['a page with a status', { kind: 'html', status: 502 }, 502, /^<!DOCTYPE html>/u],
    ['broken JSON', { kind: 'broken_json' }, 200, /\{"id":"1","ch\s*$/u],
  ])('answers with %s', async (_what, behavior, status, text) => {
    models.behave(behavior);

    const answer = await ask(name, { isStream });

    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(text);
    expect(models.spent()).toMatchObject({ calls: 1, microUsd: 0 });
  });
});

describe.each(NAMES)('the API %s', (name) => {
  const status = (anthropic: number, openai: number, gemini: number): number =>
    ({ messages: anthropic, generate: gemini })[name] ?? openai;

  it.each<[Extract<Behavior, { readonly kind: 'fail' }>['as'], number, RegExp]>([
    ['401', status(401, 401, 401), /not valid/u],
    ['402', status(402, 402, 402), /not active/u],
    ['403', status(403, 403, 403), /may not use/u],
    ['no_credit', status(400, 429, 429), /credit|quota/u],
    ['429', status(429, 429, 429), /rate limit|exhausted/iu],
    ['500', status(500, 500, 500), /Internal/u],
    ['529', status(529, 503, 503), /overloaded/iu],
    ['too_long', status(400, 400, 400), /maximum/u],
    ['bad_request', status(400, 400, 400), /not valid/u],
  ])('fails with %s as its provider does, and charges nothing', async (as, expected, text) => {
    models.behave({ kind: 'fail', as, headers: { 'retry-after': '7' } });

    const answer = await ask(name, { isStream: true });

    expect(answer.status).toBe(expected);
    expect(answer.text).toMatch(text);
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(models.spent()).toMatchObject({ calls: 1, microUsd: 0 });
  });

  it('refuses another key and counts nothing', async () => {
    const answer = await ask(name, { key: { authorization: 'Bearer other' } });

    expect(answer.status).toBe(status(401, 401, 400));
    expect(models.spent().calls).toBe(0);
    expect(models.calls()).toEqual([]);
    expect(models.requests).toHaveLength(1);
  });

  it('sends an error in a stream that began with 200', async () => {
    models.behave({ kind: 'error_in_stream', as: '529' });

    const answer = await ask(name, { isStream: true });

    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/overloaded/iu);
    expect(answer.text).not.toMatch(/message_stop|response\.completed|\[DONE\]|"STOP"/u);
  });

  it('does not answer where it hangs', async () => {
    models.behave({ kind: 'hang' });

    await giveUp(name, {}, () => models.spent().calls === 1);
    expect(models.spent()).toMatchObject({ calls: 1, tokens: { output: 0 } });
  });

  it('sends as many pieces as it should, and charges each', async () => {
    models.behave({ kind: 'slow', events: 40, bytes: 8, everyMs: 1 });
    const startedAt = performance.now();

    const { text } = await ask(name, { isStream: true });

    expect(text.split('........').length - 1).toBe(40);
    expect(performance.now() - startedAt).toBeGreaterThan(38);
    expect(models.spent().tokens.output).toBe(80);
  });
});

it.each([false, true])('follows the script by a tool that takes programs, streamed: %s', async (stream) => {
  const exec = { type: 'custom', name: 'exec', description: 'Run JavaScript', format: { type: 'grammar' } };
  const functions = { type: 'namespace', name: 'functions', tools: [exec, { type: 'custom', name: 'apply_patch' }] };
  const input = [
    { type: 'additional_tools', role: 'developer', tools: [functions] },
    { type: 'message', role: 'user', content: PROMPT },
    ...repeat(2, { type: 'custom_tool_call_output', output: 'ok' }),
  ];

  const response = await fetch(`${models.url}/v1/responses`, {
    method: 'POST',
    headers: CLIENTS['responses']?.key ?? {},
    body: JSON.stringify({ model: 'm', stream, input }),
  });

  const text = flat(await response.text());
  expect(text).toContain('"type":"custom_tool_call","id":"fc_2","call_id":"call_2","name":"exec"');
  expect(text).toContain('await tools.exec_command({ cmd: "npm test" })');
  expect(text.includes('response.custom_tool_call_input.delta')).toBe(stream);
});

it('stops a stream without end when its reader leaves', async () => {
  models.behave({ kind: 'slow', events: Infinity, bytes: 1000, everyMs: 1 });

  await giveUp('messages', { isStream: true }, () => models.spent().tokens.output > 1000);

  await models.until(() => models.open() === 0, { what: 'the stream to stop' });
});

it('behaves for a model, from a call on, and for some calls', async () => {
  models.behave({ kind: 'fail', as: '500' }, { after: 1, times: 1 });
  models.behave({ kind: 'fail', as: '429' }, { model: 'another' });

  const statuses = [];
  for (let call = 0; call < 3; call += 1) statuses.push((await ask('chat')).status);

  expect(statuses).toEqual([200, 500, 200]);
});

it('estimates tokens from the bytes, and chooses its script by the call', async () => {
  models.setUse(null);
  models.setScript((call) => ({ steps: [], end: `for ${call.model}` }));
  const { text } = await ask('messages');

  const [request] = models.calls();
  const { input, cached, output } = models.spent().tokens;
  expect(text).toContain('for m');
  expect(input + cached).toBe(Math.ceil((request?.body.length ?? 0) / 4));
  expect(output).toBe(2);
});

it('answers what clients ask beside calls, without a charge', async () => {
  const send = async (method: string, path: string): Promise<number> => {
    const init = { method, headers: { 'x-api-key': KEY }, ...(method === 'POST' ? { body: '{"model":"m"}' } : {}) };
    return (await fetch(models.url + path, init)).status;
  };

  expect(await send('POST', '/v1/messages/count_tokens')).toBe(200);
  expect(await send('POST', '/v1beta/models/m:countTokens')).toBe(200);
  expect(await send('GET', '/v1/models')).toBe(200);
  expect(await send('HEAD', '/')).toBe(200);
  expect(await send('GET', '/elsewhere')).toBe(404);
  expect(models.spent()).toMatchObject({ calls: 0, microUsd: 0 });
});

it('starts with a world, and ends with it', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
  const { url } = await world.startModels();

  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  await world.close();
  await expect(fetch(url, { method: 'HEAD' })).rejects.toThrow();
});
