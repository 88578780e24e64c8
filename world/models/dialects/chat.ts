import { type Json, type JsonObject, numberAt, objectAt, objectsAt, stringAt } from '../../json.ts';
import type { ModelAnswer, ModelApi, ModelCall, ServerEvent, TokenCount } from '../model-call.ts';
import { toOpenaiError } from './openai-error.ts';

/** OpenAI Chat Completions: `POST /v1/chat/completions`. Usage is streamed only to those who ask for it. */
export const CHAT: ModelApi = {
  name: 'chat',
  parse: (body) => ({
    model: stringAt(body, 'model') ?? '',
    isStream: body['stream'] === true,
    tools: objectsAt(body, 'tools').flatMap((tool) => {
      const described = objectAt(tool, 'function');
      const name = stringAt(described, 'name');
      return name === null ? [] : [{ name, schema: objectAt(described, 'parameters') }];
    }),
    results: objectsAt(body, 'messages').filter((message) => message['role'] === 'tool').length,
    text: JSON.stringify({ messages: body['messages'] ?? [], options: body['stream_options'] ?? null }),
    maxOutput: numberAt(body, 'max_completion_tokens') ?? numberAt(body, 'max_tokens'),
    wantsJson: false,
  }),
  toJson: (call, answer) => ({
    ...toBase(call, 'chat.completion'),
    choices: [
      {
        index: 0,
        finish_reason: toFinishReason(answer),
        message:
          answer.step.kind === 'tool'
            ? { role: 'assistant', content: null, tool_calls: [toToolCall(answer, JSON.stringify(answer.step.args))] }
            : { role: 'assistant', content: answer.step.text },
      },
    ],
    usage: toUsage(answer.use),
  }),
  toEvents: (call, answer) => ({
    start: [
      toChunk(call, { role: 'assistant', content: '' }),
      ...(answer.step.kind === 'tool' ? [toChunk(call, { tool_calls: [toToolCall(answer, '')] })] : []),
    ],
    piece: (text) =>
      toChunk(
        call,
        answer.step.kind === 'tool' ? { tool_calls: [{ index: 0, function: { arguments: text } }] } : { content: text },
      ),
    end: [
      toChunk(call, {}, toFinishReason(answer)),
      ...(call.text.includes('"include_usage":true')
        ? [{ event: null, data: { ...toBase(call, 'chat.completion.chunk'), choices: [], usage: toUsage(answer.use) } }]
        : []),
      { event: null, data: '[DONE]' },
    ],
  }),
  toError: (failure) => ({ status: failure.openai.http, body: toOpenaiError(failure) }),
  toErrorEvent: (failure) => ({ event: null, data: toOpenaiError(failure) }),
};

function toBase({ model }: ModelCall, object: string): JsonObject {
  return { id: 'chatcmpl-1', object, created: 1, model };
}

function toChunk(call: ModelCall, delta: JsonObject, finish: string | null = null): ServerEvent {
  const choices: readonly Json[] = [{ index: 0, delta, finish_reason: finish }];
  return { event: null, data: { ...toBase(call, 'chat.completion.chunk'), choices } };
}

function toToolCall({ step, number }: ModelAnswer, args: string): JsonObject {
  const name = step.kind === 'tool' ? step.name : '';
  return { index: 0, id: `call_${number}`, type: 'function', function: { name, arguments: args } };
}

function toFinishReason({ step }: ModelAnswer): string {
  return step.kind === 'tool' ? 'tool_calls' : 'stop';
}

/** OpenAI counts cached tokens as input, and has no price for writing them. */
function toUsage({ input, cached, written, output }: TokenCount): JsonObject {
  const all = input + cached + written;
  return {
    prompt_tokens: all,
    completion_tokens: output,
    total_tokens: all + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}
