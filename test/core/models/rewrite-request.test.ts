import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json/parse-json-object.ts';
import type { ModelApi } from '../../../src/core/models/model-route.ts';
import type { RewrittenRequest } from '../../../src/core/models/request-parts.ts';
import { rewriteRequest, toReservedTokens } from '../../../src/core/models/rewrite-request.ts';

const LIMITS = { model: 'm', maxOutputTokens: 1000 };

function rewrite(api: ModelApi, body: JsonObject, isCount = false): RewrittenRequest {
  const model = api === 'generate' ? 'm' : null;
  return rewriteRequest({ kind: 'call', api, model, isCount, target: '/' }, { model: 'm', ...body }, LIMITS);
}

function sent(api: ModelApi, body: JsonObject, isCount = false): JsonObject {
  const rewritten = rewrite(api, body, isCount);
  if (rewritten.kind === 'refused') throw new Error(rewritten.detail);
  return rewritten.body;
}

describe('the model of a request', () => {
  it.each(['messages', 'responses', 'chat'] as const)('in %s must be the one of the session', (api) => {
    for (const model of ['other', 'M', 'm ', '', null, 7, ['m'], undefined]) {
      expect(rewrite(api, { model })).toMatchObject({ kind: 'refused', why: 'model_not_allowed' });
    }
    expect(rewrite(api, {})).toMatchObject({ kind: 'send' });
  });

  it('of Gemini is that of the path, whatever its body says', () => {
    const route = { kind: 'call', api: 'generate', model: 'other', isCount: false, target: '/' } as const;
    expect(rewriteRequest(route, { model: 'm' }, LIMITS)).toMatchObject({ why: 'model_not_allowed' });
    expect(sent('generate', { model: 'models/other' })).not.toHaveProperty('model');
    const count = sent('generate', { generateContentRequest: { model: 'models/other', contents: [] } }, true);
    expect(count).toMatchObject({ generateContentRequest: { model: 'models/m' } });
  });

  it('is named in a refusal, shortened', () => {
    expect(rewrite('chat', { model: 'x'.repeat(500) })).toMatchObject({
      detail: `the model "${'x'.repeat(80)}" is not the model of this session`,
    });
  });
});

describe('tools', () => {
  it.each([
    ['messages', { name: 'Bash', input_schema: {} }],
    ['messages', { type: 'custom', name: 'Bash', input_schema: {} }],
    ['messages', { type: null, name: 'Bash' }],
    ['messages', { type: 'bash_20250124', name: 'bash' }],
    ['messages', { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' }],
    ['messages', { type: 'memory_20250818', name: 'memory' }],
    ['responses', { type: 'function', name: 'exec_command' }],
    ['responses', { type: 'custom', name: 'apply_patch' }],
    ['responses', { type: 'local_shell' }],
    ['responses', { type: 'apply_patch' }],
    ['responses', { type: 'tool_search' }],
    ['responses', { type: 'shell', environment: { type: 'local' } }],
    ['responses', { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'spawn' }] }],
    ['chat', { type: 'function', function: { name: 'bash', parameters: {} } }],
    ['generate', { functionDeclarations: [{ name: 'shell' }] }],
    ['generate', { function_declarations: [{ name: 'shell' }] }],
    ['generate', {}],
  ] as const)('of the agent itself pass: %s %j', (api, tool) => {
    expect(sent(api, { tools: [tool] })['tools']).toEqual([tool]);
  });

  it.each([
    ['messages', { type: 'web_search_20250305', name: 'web_search' }],
    ['messages', { type: 'web_search_20260209', name: 'web_search' }],
    ['messages', { type: 'web_fetch_20250910', name: 'web_fetch' }],
    ['messages', { type: 'code_execution_20250825', name: 'code_execution' }],
    ['messages', { type: 'computer_20250124', name: 'computer' }],
    ['messages', { type: 'mcp_toolset', mcp_server_name: 'x' }],
    ['messages', { type: 'advisor_20260301', name: 'advisor' }],
    ['messages', { type: 'bash_20250124x', name: 'bash' }],
    ['messages', { type: 'Custom', name: 'x' }],
    ['messages', { type: ['custom'], name: 'x' }],
    ['messages', { input_schema: {} }],
    ['messages', 'web_search'],
    ['messages', null],
    ['responses', { type: 'web_search' }],
    ['responses', { type: 'web_search_preview' }],
    ['responses', { type: 'web_search_preview_2025_03_11' }],
    ['responses', { type: 'code_interpreter', container: { type: 'auto' } }],
    ['responses', { type: 'file_search', vector_store_ids: [] }],
    ['responses', { type: 'image_generation' }],
    ['responses', { type: 'computer_use_preview' }],
    ['responses', { type: 'mcp', server_url: 'https://other.example' }],
    ['responses', { type: 'mcp', connector_id: 'connector_gmail' }],
    ['responses', { type: 'shell' }],
    ['responses', { type: 'shell', environment: { type: 'container_auto' } }],
    ['responses', { type: 'namespace', name: 'a', tools: [{ type: 'mcp', server_url: 'https://other.example' }] }],
    ['responses', { type: 'namespace', name: 'a', tools: [{ type: 'namespace', tools: [{ type: 'web_search' }] }] }],
    ['responses', { type: 'namespace', name: 'a', tools: { type: 'web_search' } }],
    ['responses', { type: 'some_new_tool' }],
    ['responses', { name: 'exec_command' }],
    ['responses', 7],
    ['chat', { type: 'web_search', web_search: { enable: true } }],
    ['chat', { type: 'builtin_function', function: { name: '$web_search' } }],
    ['chat', { function: { name: 'bash' } }],
    ['generate', { googleSearch: {} }],
    ['generate', { google_search: {} }],
    ['generate', { googleSearchRetrieval: {} }],
    ['generate', { google_search_retrieval: {} }],
    ['generate', { urlContext: {} }],
    ['generate', { url_context: {} }],
    ['generate', { codeExecution: {} }],
    ['generate', { googleMaps: {} }],
    ['generate', { fileSearch: {} }],
    ['generate', { computerUse: {} }],
    ['generate', { mcpServers: [] }],
    ['generate', { functionDeclarations: [], googleSearch: {} }],
    ['generate', 'googleSearch'],
  ] as const)('of the provider are refused, and unknown ones: %s %j', (api, tool) => {
    expect(rewrite(api, { tools: [tool] })).toMatchObject({ kind: 'refused', why: 'hosted_tool' });
    expect(rewrite(api, { tools: [{ functionDeclarations: [] }, tool] })).toMatchObject({ why: 'hosted_tool' });
  });

  it('of the provider are refused in what an agent found, too', () => {
    const found = { type: 'tool_search_output', tools: [{ type: 'mcp', server_url: 'https://other.example' }] };
    expect(rewrite('responses', { input: [found] })).toMatchObject({ why: 'hosted_tool' });
    expect(rewrite('responses', { input: [{ tools: 7 }] })).toMatchObject({ why: 'hosted_tool' });
    const own = { type: 'tool_search_output', tools: [{ type: 'function', name: 'a' }] };
    expect(sent('responses', { input: [own] })['input']).toEqual([own]);
  });

  it.each(['messages', 'responses', 'chat', 'generate'] as const)('of %s must be a list', (api) => {
    for (const tools of [{}, 'web_search', 7, true]) {
      expect(rewrite(api, { tools })).toMatchObject({ kind: 'refused', why: 'malformed' });
    }
    for (const tools of [null, []]) expect(rewrite(api, { tools })).toMatchObject({ kind: 'send' });
  });

  it('are named in a refusal', () => {
    expect(rewrite('responses', { tools: [{ type: 'web_search' }] })).toMatchObject({
      detail: 'the tool "web_search" is not allowed: it does not stay with the model',
    });
    expect(rewrite('responses', { tools: [{}] })).toMatchObject({
      detail: 'the tool without a name is not allowed: it does not stay with the model',
    });
  });
});

describe('fields that reach beyond the model', () => {
  it.each([
    ['messages', { mcp_servers: [{ type: 'url', url: 'https://other.example' }] }],
    ['messages', { container: 'container_1' }],
    ['messages', { container: { skills: [] } }],
    ['messages', { context_management: { edits: [{ type: 'compact_20260112' }] } }],
    ['messages', { context_management: { edits: [{}] } }],
    ['messages', { context_management: { edits: ['clear_x'] } }],
    ['messages', { context_management: { edits: { type: 'compact_20260112' } } }],
    ['messages', { cache_control: { type: 'ephemeral', ttl: '1h' } }],
    ['messages', { system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } }] }],
    ['messages', { tools: [{ name: 'a', cache_control: { ttl: 3600 } }] }],
    ['responses', { previous_response_id: 'resp_1' }],
    ['responses', { conversation: 'conv_1' }],
    ['responses', { conversation: { id: 'conv_1' } }],
    ['responses', { prompt: { id: 'pmpt_1' } }],
    ['responses', { background: true }],
    ['responses', { input: [{ type: 'item_reference', id: 'rs_1' }] }],
    ['chat', { web_search_options: {} }],
    ['chat', { web_search: true }],
    ['chat', { enable_search: true }],
    ['chat', { search_parameters: { mode: 'on' } }],
    ['chat', { plugins: [{ id: 'web' }] }],
    ['generate', { cachedContent: 'cachedContents/1' }],
    ['generate', { cached_content: 'cachedContents/1' }],
  ] as const)('are refused: %s %j', (api, body) => {
    expect(rewrite(api, body)).toMatchObject({ kind: 'refused', why: 'hosted_tool' });
  });

  it.each([
    ['messages', { mcp_servers: [], container: null }],
    ['messages', { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } }],
    ['messages', { context_management: {} }],
    ['messages', { context_management: null }],
    [
      'messages',
      { cache_control: { type: 'ephemeral' }, system: [{ cache_control: { type: 'ephemeral', ttl: '5m' } }] },
    ],
    ['responses', { previous_response_id: null, background: false, conversation: null, prompt: '' }],
    ['chat', { web_search: false, plugins: [] }],
  ] as const)('may be there without effect: %s %j', (api, body) => {
    expect(rewrite(api, body)).toMatchObject({ kind: 'send' });
  });

  it('are left out where they are not known', () => {
    expect(
      rewrite('messages', { speed: 'fast', service_tier: 'priority', fallbacks: [{ model: 'other' }] }),
    ).toMatchObject({
      body: { model: 'm', max_tokens: 1000 },
      dropped: ['speed', 'service_tier', 'fallbacks'],
    });
    expect(rewrite('chat', { n: 5, best_of: 5, Tools: [{ type: 'web_search' }], models: ['other'] })).toMatchObject({
      body: { model: 'm', max_completion_tokens: 1000 },
      dropped: ['n', 'best_of', 'Tools', 'models'],
    });
    const generationConfig = { candidateCount: 8, responseModalities: ['AUDIO'], max_output_tokens: 99_999, topK: 1 };
    expect(rewrite('generate', { generationConfig, labels: {} })).toMatchObject({
      body: { generationConfig: { maxOutputTokens: 1000, topK: 1 } },
      dropped: ['model', 'labels', 'candidateCount', 'responseModalities'],
    });
  });
});

describe('what a conversation holds', () => {
  const inMessage = (block: unknown): JsonObject => ({ messages: [{ role: 'user', content: [block] }] });
  const inInput = (part: unknown): JsonObject => ({ input: [{ role: 'user', content: [part] }] });
  const inContents = (part: unknown): JsonObject => ({ contents: [{ parts: [part] }] });

  it.each([
    ['messages', inMessage({ type: 'image', source: { type: 'url', url: 'https://other.example/a?data' } })],
    ['messages', inMessage({ type: 'document', source: { type: 'url', url: 'https://other.example' } })],
    ['messages', inMessage({ type: 'document', source: { type: 'file', file_id: 'file_1' } })],
    ['messages', inMessage({ type: 'document', source: {} })],
    ['messages', inMessage({ type: 'container_upload', file_id: 'file_1' })],
    ['messages', inMessage({ type: 'tool_result', content: [{ type: 'image', source: { type: 'url' } }] })],
    ['messages', inMessage({ type: 'document', source: { type: 'content', content: [{ source: { type: 'url' } }] } })],
    ['messages', { system: [{ type: 'image', source: { type: 'url' } }] }],
    ['responses', inInput({ type: 'input_image', image_url: 'https://other.example/a.png' })],
    ['responses', inInput({ type: 'input_image', image_url: 'HTTP://other.example' })],
    ['responses', inInput({ type: 'input_image', file_id: 'file_1' })],
    ['responses', inInput({ type: 'input_file', file_url: 'https://other.example' })],
    ['responses', inInput({ type: 'input_file', file_id: 'file_1' })],
    [
      'responses',
      { input: [{ type: 'function_call_output', output: [{ type: 'input_image', image_url: 'http://a' }] }] },
    ],
    ['chat', inMessage({ type: 'image_url', image_url: { url: 'https://other.example' } })],
    ['chat', inMessage({ type: 'image_url', image_url: { url: 7 } })],
    ['chat', inMessage({ type: 'video_url', video_url: { url: 'https://other.example' } })],
    ['chat', inMessage({ type: 'file', file: { file_id: 'file_1' } })],
    ['generate', inContents({ fileData: { fileUri: 'gs://other/file' } })],
    ['generate', inContents({ file_data: { file_uri: 'https://youtu.be/a' } })],
    ['generate', inContents({ functionResponse: { name: 'a', parts: [{ fileData: { fileUri: 'https://a' } }] } })],
    ['generate', { systemInstruction: { parts: [{ fileData: {} }] } }],
    ['generate', { system_instruction: { parts: [{ fileData: {} }] } }],
  ] as const)('must not make the provider read elsewhere: %s %j', (api, body) => {
    expect(rewrite(api, body)).toMatchObject({ kind: 'refused', why: 'hosted_tool' });
  });

  it.each([
    ['messages', inMessage({ type: 'image', source: { type: 'base64', data: 'aaaa' } }), { images: 1, documents: 0 }],
    ['messages', inMessage({ type: 'document', source: { type: 'base64', data: 'a' } }), { images: 0, documents: 1 }],
    ['messages', inMessage({ type: 'document', source: { type: 'text', data: 'a' } }), { images: 0, documents: 0 }],
    ['messages', inMessage({ type: 'search_result', source: 'https://a', content: [] }), { images: 0, documents: 0 }],
    ['messages', inMessage({ type: 'document', source: 'a' }), { images: 0, documents: 0 }],
    // What a tool was called with is data, and no part of the conversation.
    ['messages', inMessage({ type: 'tool_use', input: { source: { type: 'url' } } }), { images: 0, documents: 0 }],
    ['responses', inInput({ type: 'input_image', image_url: 'data:image/png;base64,aa' }), { images: 1, documents: 0 }],
    ['responses', inInput({ type: 'input_image', image_url: null, file_id: null }), { images: 1, documents: 0 }],
    ['responses', inInput({ type: 'input_file', file_data: 'data:application/pdf' }), { images: 0, documents: 1 }],
    ['responses', { input: [{ output: { type: 'computer_screenshot' } }] }, { images: 1, documents: 0 }],
    ['chat', inMessage({ type: 'image_url', image_url: { url: 'data:image/png' } }), { images: 1, documents: 0 }],
    ['chat', inMessage({ type: 'input_audio', input_audio: { data: 'a' } }), { images: 0, documents: 1 }],
    ['chat', inMessage({ type: 'video_url', video_url: { url: 'data:video/mp4' } }), { images: 0, documents: 1 }],
    ['chat', inMessage({ type: 'audio_url', audio_url: { url: 'data:audio/mp3' } }), { images: 0, documents: 1 }],
    [
      'chat',
      {
        tools: [{ type: 'function', function: { name: 'a', parameters: { properties: { a_url: {}, file_id: {} } } } }],
      },
      { images: 0, documents: 0 },
    ],
    ['generate', inContents({ inlineData: { mimeType: 'image/png', data: 'a' } }), { images: 1, documents: 0 }],
    ['generate', inContents({ inline_data: { mime_type: 'IMAGE/png', data: 'a' } }), { images: 1, documents: 0 }],
    ['generate', inContents({ inlineData: { mimeType: 'video/mp4', data: 'a' } }), { images: 0, documents: 1 }],
    ['generate', inContents({ functionCall: { args: { fileData: 'a' } } }), { images: 0, documents: 0 }],
    ['generate', inContents({ functionResponse: { response: { fileData: 'a' } } }), { images: 0, documents: 0 }],
  ] as const)('may hold the content itself: %s %j', (api, body, media) => {
    expect(rewrite(api, body)).toMatchObject({ kind: 'send', body, media });
  });
});

describe('the output limit', () => {
  it.each([
    [undefined, 1000],
    [null, 1000],
    [500, 500],
    [1000, 1000],
    [1001, 1000],
    [0, 1000],
    [-5, 1000],
    [1.5, 1000],
    ['500', 1000],
    [Number.POSITIVE_INFINITY, 1000],
    [2 ** 60, 1000],
  ])('of %j becomes %j', (given, limit) => {
    const outputTokens = limit;
    expect(rewrite('messages', { max_tokens: given })).toMatchObject({ body: { max_tokens: limit }, outputTokens });
    expect(rewrite('responses', { max_output_tokens: given })).toMatchObject({
      body: { max_output_tokens: limit },
      outputTokens,
    });
    expect(rewrite('chat', { max_completion_tokens: given })).toMatchObject({
      body: { max_completion_tokens: limit },
      outputTokens,
    });
    expect(rewrite('generate', { generationConfig: { maxOutputTokens: given } })).toMatchObject({
      body: { generationConfig: { maxOutputTokens: limit } },
      outputTokens,
    });
  });

  it('of Chat Completions has two names, and both are lowered', () => {
    expect(sent('chat', { max_tokens: 5000 })).toEqual({ model: 'm', max_tokens: 1000 });
    const both = rewrite('chat', { max_tokens: 200, max_completion_tokens: 5000 });
    expect(both).toMatchObject({ body: { max_tokens: 200, max_completion_tokens: 1000 }, outputTokens: 1000 });
  });

  it('stays above the part for thinking', () => {
    const thinking = { type: 'enabled', budget_tokens: 31_999 };
    expect(sent('messages', { max_tokens: 32_000, thinking })).toMatchObject({
      max_tokens: 1000,
      thinking: { type: 'enabled', budget_tokens: 999 },
    });
    const small = { type: 'enabled', budget_tokens: 100 };
    expect(sent('messages', { max_tokens: 500, thinking: small })['thinking']).toEqual(small);
    expect(sent('messages', { thinking: { type: 'adaptive' } })['thinking']).toEqual({ type: 'adaptive' });
    expect(sent('messages', { thinking: 'x' })['thinking']).toBe('x');
  });

  it('is not sent where tokens are counted', () => {
    expect(rewrite('messages', { max_tokens: 5, stream: true }, true)).toMatchObject({
      body: { model: 'm' },
      outputTokens: 0,
    });
    expect(sent('messages', { max_tokens: 5 }, true)).toEqual({ model: 'm' });
    expect(rewrite('generate', { contents: [] }, true)).toMatchObject({ body: { contents: [] }, outputTokens: 0 });
    const inner = { contents: [], tools: [{ googleSearch: {} }] };
    expect(rewrite('generate', { generateContentRequest: inner }, true)).toMatchObject({ why: 'hosted_tool' });
    expect(rewrite('generate', { generateContentRequest: 7 }, true)).toMatchObject({ why: 'malformed' });
    expect(rewrite('generate', { generateContentRequest: { contents: [] } }, true)).toMatchObject({ outputTokens: 0 });
  });
});

describe('a request that is sent', () => {
  it('is not stored', () => {
    expect(sent('responses', { store: true })).toMatchObject({ store: false });
    expect(sent('chat', { store: true })).not.toHaveProperty('store');
  });

  it('ends its stream with its use', () => {
    const stream_options = { include_usage: false, other: 1 };
    expect(sent('chat', { stream: true, stream_options })).toMatchObject({
      stream_options: { include_usage: true, other: 1 },
    });
    expect(sent('chat', { stream: true, stream_options: 7 })).toMatchObject({
      stream_options: { include_usage: true },
    });
    expect(sent('chat', { stream: false })).not.toHaveProperty('stream_options');
  });

  it('has one spelling of each field for Gemini', () => {
    expect(
      sent('generate', { generation_config: { max_output_tokens: 5 }, tool_config: { a: 1 }, contents: [] }),
    ).toEqual({
      generationConfig: { maxOutputTokens: 5 },
      toolConfig: { a: 1 },
      contents: [],
    });
    const twice = { generationConfig: { maxOutputTokens: 5, max_output_tokens: 9999 }, generation_config: { topK: 1 } };
    expect(sent('generate', twice)).toEqual({ generationConfig: { maxOutputTokens: 5 } });
    expect(sent('generate', { generationConfig: 7 })).toEqual({ generationConfig: { maxOutputTokens: 1000 } });
  });
});

describe('toReservedTokens', () => {
  it('counts each byte as a token of input, and images and documents by their highest counts', () => {
    const nothing = { bodyBytes: 0, outputTokens: 0, media: { images: 0, documents: 0 } };
    const base = toReservedTokens('anthropic', nothing).input;
    expect(toReservedTokens('anthropic', { ...nothing, bodyBytes: 100, outputTokens: 7 })).toEqual({
      input: base + 100,
      cached: 0,
      written: 0,
      output: 7,
    });
    const media = { images: 2, documents: 1 };
    expect(toReservedTokens('anthropic', { ...nothing, media }).input).toBe(base + 2 * 8192 + 300_000);
    expect(toReservedTokens('openai', { ...nothing, media }).input).toBe(base + 2 * 50_000 + 300_000);
    expect(base).toBe(4096);
  });
});
