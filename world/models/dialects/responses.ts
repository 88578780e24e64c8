import { type Json, type JsonObject, numberAt, objectAt, objectsAt, stringAt } from '../../json.ts';
import type { ModelAnswer, ModelApi, ModelCall, OfferedTool, TokenCount } from '../model-call.ts';
import { toOpenaiError } from './openai-error.ts';

/** OpenAI Responses: `POST /v1/responses`. */
export const RESPONSES: ModelApi = {
  name: 'responses',
  parse: (body) => ({
    model: stringAt(body, 'model') ?? '',
    isStream: body['stream'] === true,
    tools: toTools([
      ...objectsAt(body, 'tools'),
      ...objectsAt(body, 'input').flatMap((item) =>
        item['type'] === 'additional_tools' ? objectsAt(item, 'tools') : [],
      ),
    ]),
    results: objectsAt(body, 'input').filter((item) => stringAt(item, 'type')?.endsWith('_output')).length,
    text: JSON.stringify(body['input'] ?? []),
    maxOutput: numberAt(body, 'max_output_tokens'),
    wantsJson: false,
  }),
  toJson: (call, answer) => toResponse(call, answer, toItem(answer)),
  toEvents: (call, answer) => ({
    start: [
      toEvent('response.created', {
        response: { ...toResponse(call, answer, null), status: 'in_progress', output: [], usage: null },
      }),
      ...toItemStart(answer),
    ],
    piece: (delta) =>
      toEvent(`response.${PIECES[answer.step.kind]}.delta`, {
        ...{ output_index: 0, item_id: toItemId(answer), delta },
        ...(answer.step.kind === 'text' ? { content_index: 0 } : {}),
      }),
    end: [
      toEvent('response.output_item.done', { output_index: 0, item: toItem(answer) }),
      toEvent('response.completed', { response: toResponse(call, answer, toItem(answer)) }),
    ],
  }),
  toError: (failure) => ({ status: failure.openai.http, body: toOpenaiError(failure) }),
  toErrorEvent: ({ openai: { code, message } }) =>
    toEvent('response.failed', { response: { id: 'resp_1', status: 'failed', error: { code, message } } }),
};

const PIECES: Readonly<Record<ModelAnswer['step']['kind'], string>> = {
  tool: 'function_call_arguments',
  program: 'custom_tool_call_input',
  text: 'output_text',
};

/** Tools of namespaces among them. Of custom tools, only the one that runs programs is known. */
function toTools(tools: readonly JsonObject[]): readonly OfferedTool[] {
  return tools.flatMap((tool): readonly OfferedTool[] => {
    const name = stringAt(tool, 'name');
    if (tool['type'] === 'namespace') return toTools(objectsAt(tool, 'tools'));
    if (name === null) return [];
    if (tool['type'] === 'function') return [{ name, schema: objectAt(tool, 'parameters') }];
    return tool['type'] === 'custom' && name === 'exec' ? [{ name, schema: {}, takesProgram: true }] : [];
  });
}

function toEvent(type: string, data: JsonObject): { readonly event: string; readonly data: JsonObject } {
  return { event: type, data: { type, ...data } };
}

function toItemId({ step, number }: ModelAnswer): string {
  return step.kind === 'text' ? 'msg_1' : `fc_${number}`;
}

function toItem(answer: ModelAnswer): JsonObject {
  const { step, number } = answer;
  const id = toItemId(answer);
  if (step.kind === 'text') {
    const content = [{ type: 'output_text', text: step.text, annotations: [] }];
    return { type: 'message', id, role: 'assistant', status: 'completed', content };
  }
  const call = { id, call_id: `call_${number}`, name: step.name, status: 'completed' };
  return step.kind === 'tool'
    ? { type: 'function_call', ...call, arguments: JSON.stringify(step.args) }
    : { type: 'custom_tool_call', ...call, input: step.text };
}

function toItemStart(answer: ModelAnswer): readonly { readonly event: string; readonly data: JsonObject }[] {
  const item = { ...toItem(answer), status: 'in_progress' };
  if (answer.step.kind !== 'text') {
    const empty = answer.step.kind === 'tool' ? { arguments: '' } : { input: '' };
    return [toEvent('response.output_item.added', { output_index: 0, item: { ...item, ...empty } })];
  }
  const part = { type: 'output_text', text: '', annotations: [] };
  return [
    toEvent('response.output_item.added', { output_index: 0, item: { ...item, content: [] } }),
    toEvent('response.content_part.added', { item_id: toItemId(answer), output_index: 0, content_index: 0, part }),
  ];
}

function toResponse({ model }: ModelCall, { use }: ModelAnswer, item: Json): JsonObject {
  const base = { id: 'resp_1', object: 'response', created_at: 1, model, status: 'completed' };
  return { ...base, output: [item], usage: toUsage(use) };
}

/** OpenAI counts cached tokens as input, and has no price for writing them. */
function toUsage({ input, cached, written, output }: TokenCount): JsonObject {
  const all = input + cached + written;
  return {
    input_tokens: all,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: all + output,
  };
}
