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

const KNOWN_BY_BOTH = [
  'model',
  'stream',
  'stream_options',
  'temperature',
  'top_p',
  'top_logprobs',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'parallel_tool_calls',
  'tools',
  'tool_choice',
  'reasoning',
  'verbosity',
];

const KNOWN_BY_RESPONSES = new Set([
  ...KNOWN_BY_BOTH,
  'input',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'include',
  'text',
  'truncation',
  'client_metadata',
  'store',
]);

/** With a few fields that only compatible APIs know: they change how the model samples or thinks. */
const KNOWN_BY_CHAT = new Set([
  ...KNOWN_BY_BOTH,
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'seed',
  'logprobs',
  'logit_bias',
  'presence_penalty',
  'frequency_penalty',
  'repetition_penalty',
  'top_k',
  'min_p',
  'response_format',
  'reasoning_effort',
  'functions',
  'function_call',
  'thinking',
  'enable_thinking',
  'thinking_budget',
  'chat_template_kwargs',
]);

/** Stored conversations and prompts of the account, work in the background, and the ways in which APIs offer a web search. */
const REFUSED = [
  'previous_response_id',
  'conversation',
  'prompt',
  'background',
  'mcp_servers',
  'container',
  'web_search_options',
  'web_search',
  'enable_search',
  'search_parameters',
  'plugins',
];

/** Tools that the agent itself runs, and the search in the request's own tools. */
const LOCAL_TOOLS = new Set(['function', 'custom', 'local_shell', 'apply_patch', 'tool_search']);

const JUDGE: PartJudge = {
  opaque: new Set(['parameters']),
  findRefused: (object) => {
    if (object['type'] === 'item_reference') return 'an item that the provider stores';
    if (object['file_id'] !== undefined && object['file_id'] !== null) return 'a file of the account';
    const fetched = Object.keys(object).find((name) => name.endsWith('_url') && !isInline(object[name]));
    if (fetched !== undefined) return `a ${toShownName(fetched)} that the provider fetches`;
    return findHostedTool(object['tools']);
  },
  mediaOf: (object) => {
    const { type } = object;
    if (type === 'input_image' || type === 'image_url' || type === 'computer_screenshot') return 'image';
    return 'file_data' in object || type === 'input_audio' || type === 'video_url' || type === 'audio_url'
      ? 'document'
      : null;
  },
};

/** Whether the content of an address stands in the request itself. */
function isInline(address: unknown): boolean {
  if (address === null) return true;
  const url = isJsonObject(address) ? address['url'] : address;
  return typeof url === 'string' && /^data:/i.test(url);
}

/** A request to OpenAI's Responses. It is never stored. */
export function rewriteResponses(body: JsonObject, limits: RequestLimits): RewrittenRequest {
  return rewrite(body, KNOWN_BY_RESPONSES, (kept) => {
    const outputTokens = lowerTo(kept['max_output_tokens'], limits.maxOutputTokens);
    return { outputTokens, set: { max_output_tokens: outputTokens, store: false } };
  });
}

/** A request to OpenAI's Chat Completions. Its stream ends with the use. */
export function rewriteChat(body: JsonObject, limits: RequestLimits): RewrittenRequest {
  return rewrite(body, KNOWN_BY_CHAT, (kept) => {
    const given = ['max_tokens', 'max_completion_tokens'].filter((name) => isGiven(kept[name]));
    const names = given.length > 0 ? given : ['max_completion_tokens'];
    const set = names.map((name) => [name, lowerTo(kept[name], limits.maxOutputTokens)] as const);
    const options = isJsonObject(kept['stream_options']) ? kept['stream_options'] : {};
    return {
      outputTokens: Math.max(...set.map(([, limit]) => limit)),
      set: {
        ...Object.fromEntries(set),
        ...(kept['stream'] === true && { stream_options: { ...options, include_usage: true } }),
      },
    };
  });
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function rewrite(
  body: JsonObject,
  known: ReadonlySet<string>,
  limit: (kept: JsonObject) => { readonly outputTokens: number; readonly set: JsonObject },
): RewrittenRequest {
  const hosted = findSetField(body, REFUSED);
  if (hosted !== null) return refuseHosted(hosted);
  const tools = toList(body['tools']);
  if (tools === null) return refuseMalformed('tools is not a list');
  const parts = judgeParts({ input: body['input'], messages: body['messages'], tools }, JUDGE);
  if (parts.refused !== null) return refuseHosted(parts.refused);
  const { kept, dropped } = keepFields(body, known);
  const { outputTokens, set } = limit(kept);
  return { kind: 'send', body: { ...kept, ...set }, outputTokens, media: parts.media, dropped };
}

function findHostedTool(tools: unknown): string | null {
  const list = toList(tools);
  if (list === null) return 'tools without a list';
  for (const tool of list) {
    if (!isJsonObject(tool)) return 'a tool that is not an object';
    const { type } = tool;
    const isLocal = typeof type === 'string' && (LOCAL_TOOLS.has(type) || isNamespace(tool) || isLocalShell(tool));
    if (!isLocal) return `the tool ${toShownName(type)}`;
  }
  return null;
}

/** Its tools are judged as those of any object. */
function isNamespace(tool: JsonObject): boolean {
  return tool['type'] === 'namespace' && Array.isArray(tool['tools']);
}

/** Without an environment of the agent, a shell runs in a container of the provider. */
function isLocalShell({ type, environment }: JsonObject): boolean {
  return type === 'shell' && isJsonObject(environment) && environment['type'] === 'local';
}
