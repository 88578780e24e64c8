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

const KNOWN = new Set(['contents', 'systemInstruction', 'generationConfig', 'tools', 'toolConfig', 'safetySettings']);

/** Without more candidates, sounds and images in the answer: they cost more than the limit of the output says. */
const KNOWN_CONFIG = new Set([
  'temperature',
  'topP',
  'topK',
  'seed',
  'stopSequences',
  'maxOutputTokens',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'presencePenalty',
  'frequencyPenalty',
  'thinkingConfig',
  'mediaResolution',
]);

const JUDGE: PartJudge = {
  opaque: new Set(['args', 'response']),
  findRefused: (object) =>
    object['fileData'] !== undefined || object['file_data'] !== undefined ? 'a file that the provider fetches' : null,
  mediaOf: (object) => {
    const data = object['inlineData'] ?? object['inline_data'];
    if (!isJsonObject(data)) return null;
    return /^image\//i.test(String(data['mimeType'] ?? data['mime_type'])) ? 'image' : 'document';
  },
};

/**
 * A request to Gemini's generateContent, or to count its tokens. The API takes each field in two spellings; only one of them
 * is sent.
 */
export function rewriteGenerate(given: JsonObject, isCount: boolean, limits: RequestLimits): RewrittenRequest {
  const body = toCamelKeys(given);
  if (isCount && body['generateContentRequest'] !== undefined) return rewriteCount(body, limits);
  const hosted = findSetField(body, ['cachedContent']) ?? findHostedTool(body['tools']);
  if (hosted !== null) return refuseHosted(hosted);
  if (toList(body['tools']) === null) return refuseMalformed('tools is not a list');
  const parts = judgeParts([body['contents'], body['systemInstruction']], JUDGE);
  if (parts.refused !== null) return refuseHosted(parts.refused);
  const { kept, dropped } = keepFields(body, KNOWN);
  if (isCount) return { kind: 'send', body: kept, outputTokens: 0, media: parts.media, dropped };
  const config = keepFields(
    isJsonObject(kept['generationConfig']) ? toCamelKeys(kept['generationConfig']) : {},
    KNOWN_CONFIG,
  );
  const outputTokens = lowerTo(config.kept['maxOutputTokens'], limits.maxOutputTokens);
  return {
    kind: 'send',
    body: { ...kept, generationConfig: { ...config.kept, maxOutputTokens: outputTokens } },
    outputTokens,
    media: parts.media,
    dropped: [...dropped, ...config.dropped],
  };
}

/** Counts the tokens of a whole request. */
function rewriteCount(body: JsonObject, limits: RequestLimits): RewrittenRequest {
  const inner = body['generateContentRequest'];
  if (!isJsonObject(inner)) return refuseMalformed('generateContentRequest is not an object');
  const rewritten = rewriteGenerate(inner, false, limits);
  if (rewritten.kind === 'refused') return rewritten;
  const request = { ...rewritten.body, model: `models/${limits.model}` };
  return { ...rewritten, body: { generateContentRequest: request }, outputTokens: 0 };
}

function findHostedTool(tools: unknown): string | null {
  for (const tool of toList(tools) ?? []) {
    if (!isJsonObject(tool)) return 'a tool that is not an object';
    const hosted = Object.keys(toCamelKeys(tool)).find((name) => name !== 'functionDeclarations');
    if (hosted !== undefined) return `the tool ${toShownName(hosted)}`;
  }
  return null;
}

/** The keys of one object, `max_tokens` as `maxTokens`. The first spelling of a key wins. */
function toCamelKeys(object: JsonObject): JsonObject {
  const camel = new Map<string, unknown>();
  for (const [name, value] of Object.entries(object)) {
    const key = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (!camel.has(key)) camel.set(key, value);
  }
  return Object.fromEntries(camel);
}
