import { isJsonObject, type JsonObject } from '../json/parse-json-object.ts';
import {
  findSetField,
  judgeParts,
  keepFields,
  lowerTo,
  type PartJudge,
  type RequestLimits,
  type RewrittenRequest,
  refuseHosted,
  refuseMalformed,
  toList,
  toShownName,
} from './request-parts.ts';

const COUNTED = [
  'model',
  'messages',
  'system',
  'thinking',
  'tool_choice',
  'tools',
  'context_management',
  'output_config',
  'cache_control',
];

const KNOWN = [
  ...COUNTED,
  'max_tokens',
  'metadata',
  'stop_sequences',
  'stream',
  'temperature',
  'top_k',
  'top_p',
  'output_format',
];

/** Fields that reach a server, a container or files beside the model. */
const REFUSED = ['mcp_servers', 'container'];

/** Tools that the agent itself runs. */
const LOCAL_TOOL = /^(?:custom|(?:bash|text_editor|memory)_\d{8})$/;

const JUDGE: PartJudge = {
  opaque: new Set(['input', 'input_schema', 'input_examples']),
  findRefused: (object) => {
    const { source, cache_control: cache } = object;
    if (isJsonObject(source) && !isInline(source)) return `a source of the type ${toShownName(source['type'])}`;
    if (object['file_id'] !== undefined) return 'a file of the account';
    if (isJsonObject(cache) && (cache['ttl'] ?? '5m') !== '5m') return 'a cache that costs more than the price says';
    return null;
  },
  mediaOf: ({ type, source }) => {
    if (type === 'image') return 'image';
    return type === 'document' && isJsonObject(source) && source['type'] === 'base64' ? 'document' : null;
  },
};

function isInline(source: JsonObject): boolean {
  return source['type'] === 'base64' || source['type'] === 'text' || source['type'] === 'content';
}

/** A request to Anthropic's Messages, or to count its tokens. */
export function rewriteMessages(body: JsonObject, isCount: boolean, limits: RequestLimits): RewrittenRequest {
  const hosted = findSetField(body, REFUSED) ?? findHostedTool(body['tools']) ?? findDearEdit(body);
  if (hosted !== null) return refuseHosted(hosted);
  const tools = toList(body['tools']);
  if (tools === null) return refuseMalformed('tools is not a list');
  const parts = judgeParts([body['messages'], body['system'], tools, { cache_control: body['cache_control'] }], JUDGE);
  if (parts.refused !== null) return refuseHosted(parts.refused);
  const { kept, dropped } = keepFields(body, new Set(isCount ? COUNTED : KNOWN));
  if (isCount) return { kind: 'send', body: kept, outputTokens: 0, media: parts.media, dropped };
  const outputTokens = lowerTo(kept['max_tokens'], limits.maxOutputTokens);
  const lowered = { ...kept, max_tokens: outputTokens, ...lowerThinking(kept['thinking'], outputTokens) };
  return { kind: 'send', body: lowered, outputTokens, media: parts.media, dropped };
}

/** The API wants the part for thinking to be below the limit. */
function lowerThinking(thinking: unknown, outputTokens: number): JsonObject {
  if (!isJsonObject(thinking) || thinking['budget_tokens'] === undefined) return {};
  return { thinking: { ...thinking, budget_tokens: lowerTo(thinking['budget_tokens'], outputTokens - 1) } };
}

function findHostedTool(tools: unknown): string | null {
  for (const tool of toList(tools) ?? []) {
    if (!isJsonObject(tool)) return 'a tool that is not an object';
    const { type } = tool;
    if (type === undefined || type === null) {
      if (typeof tool['name'] !== 'string') return 'a tool without a name';
    } else if (typeof type !== 'string' || !LOCAL_TOOL.test(type)) {
      return `the tool ${toShownName(type)}`;
    }
  }
  return null;
}

/** Edits of the context that call the model once more, beside its own answer. */
function findDearEdit(body: JsonObject): string | null {
  const management = body['context_management'];
  if (!isJsonObject(management)) return null;
  const edits = toList(management['edits']) ?? [null];
  const dear = edits.find((edit) => !isJsonObject(edit) || !/^clear_/.test(String(edit['type'])));
  if (dear === undefined) return null;
  return `the edit of the context ${toShownName(isJsonObject(dear) ? dear['type'] : dear)}`;
}
