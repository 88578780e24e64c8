import { describe, expect, it } from 'vitest';
import type { ModelApi } from '../../../src/core/models/model-route.ts';
import { createUsageMeter, type Metered } from '../../../src/core/models/usage-meter.ts';

const NOTHING = { input: 0, cached: 0, written: 0, output: 0 };

function read(api: ModelApi, answer: unknown): Metered {
  const meter = createUsageMeter(api, false);
  meter.push(typeof answer === 'string' ? answer : JSON.stringify(answer));
  return meter.end();
}

function stream(api: ModelApi, ...events: readonly unknown[]): Metered {
  const meter = createUsageMeter(api, true);
  for (const event of events) meter.push(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  return meter.end();
}

describe('the use of an answer', () => {
  it.each([
    [
      'messages',
      {
        type: 'message',
        usage: { input_tokens: 10, cache_read_input_tokens: 20, cache_creation_input_tokens: 5, output_tokens: 7 },
      },
      { input: 10, cached: 20, written: 5, output: 7 },
    ],
    ['messages', { type: 'message', usage: { input_tokens: 10, output_tokens: 7 } }, { input: 10, output: 7 }],
    [
      'responses',
      {
        object: 'response',
        usage: {
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
          output_tokens: 7,
          total_tokens: 107,
        },
      },
      { input: 30, cached: 60, written: 10, output: 7 },
    ],
    [
      'chat',
      {
        choices: [],
        usage: { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } },
      },
      { input: 40, cached: 60, output: 7 },
    ],
    [
      'chat',
      { usage: { prompt_tokens: 100, prompt_cache_hit_tokens: 60, completion_tokens: 1 } },
      { input: 40, cached: 60, output: 1 },
    ],
    // More cached than there is.
    [
      'chat',
      { usage: { prompt_tokens: 10, prompt_cache_hit_tokens: 60, completion_tokens: 1 } },
      { cached: 10, output: 1 },
    ],
    // Reasoning only in the total.
    ['chat', { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 100 } }, { input: 10, output: 90 }],
    ['chat', { x_groq: { usage: { prompt_tokens: 10, completion_tokens: 5 } } }, { input: 10, output: 5 }],
    ['chat', { choices: [{ usage: { prompt_tokens: 10, completion_tokens: 5 } }] }, { input: 10, output: 5 }],
    [
      'generate',
      {
        usageMetadata: {
          promptTokenCount: 100,
          cachedContentTokenCount: 60,
          candidatesTokenCount: 5,
          thoughtsTokenCount: 6,
          toolUsePromptTokenCount: 3,
        },
      },
      { input: 43, cached: 60, output: 11 },
    ],
    ['generate', { usageMetadata: { promptTokenCount: 10, totalTokenCount: 50 } }, { input: 10, output: 40 }],
  ] as const)('of %s is %j: %j', (api, answer, tokens) => {
    expect(read(api, answer)).toEqual({
      tokens: { ...NOTHING, ...tokens },
      isSeen: true,
      isComplete: true,
      isReadable: true,
      error: null,
    });
  });

  it.each([-1, 1.5, '7', null, 2e9, {}, true])('takes %j for no count', (count) => {
    expect(read('messages', { usage: { input_tokens: count, output_tokens: 3 } }).tokens).toEqual({
      ...NOTHING,
      output: 3,
    });
  });

  it.each(['messages', 'responses', 'chat', 'generate'] as const)('is not seen where %s does not say it', (api) => {
    const name = api === 'generate' ? 'usageMetadata' : 'usage';
    for (const answer of [{}, { [name]: null }, { [name]: {} }, { [name]: 7 }, { choices: 7, candidates: 7 }]) {
      expect(read(api, answer)).toMatchObject({ isSeen: false, isComplete: true, tokens: NOTHING });
    }
  });

  it.each(['', '<html>', '{"usage": {"inp', '[]', '7', 'null'])('cannot be read in %j', (text) => {
    expect(read('messages', text)).toMatchObject({ isReadable: false, isComplete: false });
  });

  it('is not looked for in an answer that is too long', () => {
    const meter = createUsageMeter('messages', false);
    const piece = 'x'.repeat(1_048_576);
    for (let count = 0; count < 19; count += 1) expect(meter.push(piece)).toBe(false);
    expect(meter.end()).toMatchObject({ isSeen: false, isReadable: true, isComplete: true });
  });
});

describe('the use of a stream', () => {
  const start = { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } };
  const growing = (output: number) => ({ type: 'message_delta', usage: { output_tokens: output } });

  it('is the largest that was seen, since it grows', () => {
    const metered = stream('messages', start, growing(5), growing(3), { type: 'message_stop' });
    expect(metered).toMatchObject({ tokens: { ...NOTHING, input: 10, output: 5 }, isSeen: true, isComplete: true });
  });

  it('is known as soon as it passes', () => {
    const meter = createUsageMeter('messages', true);
    expect(meter.push(`data: ${JSON.stringify(start)}\n`)).toBe(false);
    expect(meter.push('\n')).toBe(true);
    expect(meter.metered()).toMatchObject({ tokens: { ...NOTHING, input: 10, output: 1 }, isComplete: false });
    expect(meter.push('data: {"type":"content_block_delta","delta":{"text":"\\"usage\\": {}"}}\n\n')).toBe(false);
    expect(meter.push(`data: ${JSON.stringify(growing(9))}\n\n`)).toBe(true);
    expect(meter.push('event: message_stop\ndata: {"type":"message_stop"}\n\n')).toBe(true);
    expect(meter.push('data: {"type":"message_stop"}\n\n')).toBe(false);
    expect(meter.metered()).toMatchObject({ isComplete: true });
  });

  it.each([
    ['responses', { type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 2 } } }],
    ['responses', { type: 'response.incomplete', response: { usage: { input_tokens: 1, output_tokens: 2 } } }],
    ['chat', { choices: [{ finish_reason: 'stop' }], usage: { prompt_tokens: 1, completion_tokens: 2 } }],
    [
      'generate',
      { candidates: [{ finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 } },
    ],
    [
      'generate',
      { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 } },
    ],
  ] as const)('of %s ends with %j', (api, last) => {
    const expected = { isComplete: true, isSeen: true, tokens: { ...NOTHING, input: 1, output: 2 }, error: null };
    expect(stream(api, '{"type":"response.created","response":{"usage":null}}', last)).toMatchObject(expected);
  });

  it.each([
    ['messages', start],
    ['responses', { type: 'response.in_progress', response: { usage: null } }],
    ['chat', { choices: [{ finish_reason: null, delta: {} }] }],
    ['generate', { candidates: [{}], usageMetadata: { promptTokenCount: 1 } }],
  ] as const)('of %s has no end with %j', (api, event) => {
    expect(stream(api, event)).toMatchObject({ isComplete: false, isReadable: true });
  });

  it('of Chat Completions ends with its mark, too', () => {
    expect(stream('chat', '[DONE]')).toMatchObject({ isComplete: true, isSeen: false });
  });

  it('cannot be read where its last event is broken', () => {
    expect(stream('chat', '{"id":"1","ch')).toMatchObject({ isReadable: false, isComplete: false });
    expect(stream('chat', '{"usage": {"prompt')).toMatchObject({ isReadable: false });
    // It came to its end all the same.
    expect(stream('chat', '[DONE]', '{"id":"1","ch')).toMatchObject({ isReadable: true });
    expect(stream('chat')).toMatchObject({ isReadable: true, isComplete: false });
  });

  it('is read from pieces of any length, with any ends of lines', () => {
    const text =
      'event: a\r\ndata: {"usage": {"prompt_tokens": 1,\r\ndata:"completion_tokens": 2}}\r\n\r\n: ping\n\ndata: [DONE]\n\n';
    for (const size of [1, 2, 3, 7, 1000]) {
      const meter = createUsageMeter('chat', true);
      for (let at = 0; at < text.length; at += size) meter.push(text.slice(at, at + size));
      expect(meter.end(), `pieces of ${size}`).toMatchObject({
        tokens: { ...NOTHING, input: 1, output: 2 },
        isComplete: true,
      });
    }
  });

  it('is read from the last event without an empty line after it', () => {
    const meter = createUsageMeter('chat', true);
    meter.push('data: {"usage": {"prompt_tokens": 1, "completion_tokens": 2}}');
    expect(meter.metered().isSeen).toBe(false);
    expect(meter.end().isSeen).toBe(true);
  });

  it.each(['one line', 'many lines', 'many pieces'])(
    'skips an event that is too long, of %s, and reads the next one',
    (how) => {
      const meter = createUsageMeter('responses', true);
      const long = 'x'.repeat(3_000_000);
      if (how === 'one line') meter.push(`data: {"type":"response.output","text":"${long}"}\n`);
      if (how === 'many lines') for (let line = 0; line < 3000; line += 1) meter.push(`data: ${'x'.repeat(1000)}\n`);
      if (how === 'many pieces') {
        meter.push('data: ');
        for (let piece = 0; piece < 300; piece += 1) meter.push('x'.repeat(10_000));
        meter.push('\n');
      }
      meter.push('\n');
      meter.push('data: {"type":"response.completed","response":{"usage":{"input_tokens":1,"output_tokens":2}}}\n\n');
      expect(meter.end()).toMatchObject({ isSeen: true, isComplete: true, isReadable: true });
    },
  );

  it('knows a last event that is too long by its beginning', () => {
    const meter = createUsageMeter('responses', true);
    meter.push(`data: {"type":"response.completed","response":{"output":"${'x'.repeat(2_000_000)}"}}\n\n`);
    expect(meter.end()).toMatchObject({ isComplete: true, isSeen: false });
    const other = createUsageMeter('responses', true);
    other.push(`data: {"type":"response.output_text.done","text":"${'x'.repeat(2_000_000)}"}\n\n`);
    expect(other.end()).toMatchObject({ isComplete: false, isReadable: true });
  });
});

describe('an error in an answer', () => {
  it.each([
    ['messages', { type: 'error', error: { type: 'overloaded_error' } }, { type: 'overloaded_error' }],
    [
      'responses',
      { type: 'error', code: 'server_error', message: 'a' },
      { type: 'error', code: 'server_error', message: 'a' },
    ],
    ['responses', { type: 'error', error: { code: 'a' } }, { code: 'a' }],
    [
      'responses',
      { type: 'response.failed', response: { error: { code: 'rate_limit_exceeded' } } },
      { code: 'rate_limit_exceeded' },
    ],
    ['responses', { error: { code: 'a' } }, { code: 'a' }],
    ['chat', { error: { message: 'a' } }, { message: 'a' }],
    ['chat', { error: 'text' }, { message: 'text' }],
    ['generate', { error: { code: 503, status: 'UNAVAILABLE' } }, { code: 503, status: 'UNAVAILABLE' }],
  ] as const)('is found in a stream of %s: %j', (api, event, error) => {
    expect(stream(api, event, { error: { type: 'a second one' } }).error).toEqual(error);
    expect(read(api, event).error).toEqual(error);
  });

  it('is none where it is null', () => {
    expect(stream('responses', { type: 'response.completed', response: { error: null } })).toMatchObject({
      error: null,
      isComplete: true,
    });
  });
});
