import { arrayAt, isObject, type JsonObject, numberAt, objectAt, objectsAt, stringAt } from '../../json.ts';
import type { ModelAnswer, ModelApi, ModelCall, ModelFailure, TokenCount } from '../model-call.ts';

/** Anthropic Messages: `POST /v1/messages`. */
export const MESSAGES: ModelApi = {
  name: 'messages',
  parse: (body) => ({
    model: stringAt(body, 'model') ?? '',
    isStream: body['stream'] === true,
    tools: objectsAt(body, 'tools').flatMap((tool) => {
      const name = stringAt(tool, 'name');
      return name === null ? [] : [{ name, schema: objectAt(tool, 'input_schema') }];
    }),
    results: objectsAt(body, 'messages')
      .flatMap((message) => arrayAt(message, 'content'))
      .filter((part) => isObject(part) && part['type'] === 'tool_result').length,
    text: JSON.stringify(body['messages'] ?? []),
    maxOutput: numberAt(body, 'max_tokens'),
    wantsJson: false,
  }),
  toJson: (call, answer) => ({
    ...toMessage(call),
    content: [toBlock(answer)],
    stop_reason: toStopReason(answer),
    usage: toUsage(answer.use),
  }),
  toEvents: (call, answer) => ({
    start: [
      toEvent('message_start', {
        message: {
          ...toMessage(call),
          content: [],
          stop_reason: null,
          usage: { ...toUsage(answer.use), output_tokens: 1 },
        },
      }),
      toEvent('content_block_start', {
        index: 0,
        content_block:
          answer.step.kind === 'tool' ? { ...toBlock(answer), input: {} } : { ...toBlock(answer), text: '' },
      }),
    ],
    piece: (text) =>
      toEvent('content_block_delta', {
        index: 0,
        delta:
          answer.step.kind === 'tool' ? { type: 'input_json_delta', partial_json: text } : { type: 'text_delta', text },
      }),
    end: [
      toEvent('content_block_stop', { index: 0 }),
      toEvent('message_delta', {
        delta: { stop_reason: toStopReason(answer), stop_sequence: null },
        usage: { output_tokens: answer.use.output },
      }),
      toEvent('message_stop', {}),
    ],
  }),
  toError: ({ anthropic }) => ({ status: anthropic.http, body: toError(anthropic) }),
  toErrorEvent: ({ anthropic }) => ({ event: 'error', data: toError(anthropic) }),
};

function toEvent(type: string, data: JsonObject): { readonly event: string; readonly data: JsonObject } {
  return { event: type, data: { type, ...data } };
}

function toError({ type, message }: ModelFailure['anthropic']): JsonObject {
  return { type: 'error', error: { type, message } };
}

function toMessage({ model }: ModelCall): JsonObject {
  return { id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null };
}

function toBlock({ step, number }: ModelAnswer): JsonObject {
  return step.kind === 'tool'
    ? { type: 'tool_use', id: `toolu_${number}`, name: step.name, input: step.args }
    : { type: 'text', text: step.text };
}

function toStopReason({ step }: ModelAnswer): string {
  return step.kind === 'tool' ? 'tool_use' : 'end_turn';
}

function toUsage({ input, cached, written, output }: TokenCount): JsonObject {
  return {
    input_tokens: input,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    output_tokens: output,
  };
}
