import { isObject, type JsonObject, numberAt, objectAt, objectsAt, stringAt } from '../../json.ts';
import type { ModelApi, ModelCall, ModelFailure, TokenCount } from '../model-call.ts';

/** Gemini: `POST /v1beta/models/MODEL:generateContent` and `:streamGenerateContent`. */
export const GENERATE: ModelApi = {
  name: 'generate',
  parse: (body, path) => ({
    model: /\/models\/(?<model>[^:/]+)/u.exec(path)?.groups?.['model'] ?? '',
    isStream: path.endsWith(':streamGenerateContent'),
    tools: objectsAt(body, 'tools')
      .flatMap((tool) => objectsAt(tool, 'functionDeclarations'))
      .flatMap((tool) => {
        const name = stringAt(tool, 'name');
        const schema = objectAt(tool, 'parametersJsonSchema');
        return name === null
          ? []
          : [{ name, schema: Object.keys(schema).length > 0 ? schema : objectAt(tool, 'parameters') }];
      }),
    results: objectsAt(body, 'contents')
      .flatMap((content) => objectsAt(content, 'parts'))
      .filter((part) => isObject(part['functionResponse'])).length,
    text: JSON.stringify(body['contents'] ?? []),
    maxOutput: numberAt(objectAt(body, 'generationConfig'), 'maxOutputTokens'),
    wantsJson: objectAt(body, 'generationConfig')['responseMimeType'] === 'application/json',
  }),
  toJson: (call, { step, use, number }) => {
    const part =
      step.kind === 'tool'
        ? { functionCall: { id: `fc_${number}`, name: step.name, args: step.args } }
        : { text: step.text };
    return toReply(call, [part], use);
  },
  toEvents: (call, { step, use, number }) => ({
    start: [],
    // A call of a tool is never split.
    piece: (text) => ({
      event: null,
      data: toReply(
        call,
        [step.kind === 'tool' ? { functionCall: { id: `fc_${number}`, name: step.name, args: step.args } } : { text }],
        null,
      ),
    }),
    end: [{ event: null, data: toReply(call, [], use) }],
  }),
  toError: ({ gemini }) => ({ status: gemini.http, body: toError(gemini) }),
  toErrorEvent: ({ gemini }) => ({ event: null, data: toError(gemini) }),
};

function toError({ http: code, status, message, reason }: ModelFailure['gemini']): JsonObject {
  const type = 'type.googleapis.com/google.rpc.ErrorInfo';
  const details = reason === undefined ? {} : { details: [{ '@type': type, reason, domain: 'googleapis.com' }] };
  return { error: { code, message, status, ...details } };
}

/** `use` is null in the events before the last. */
function toReply({ model }: ModelCall, parts: readonly JsonObject[], use: TokenCount | null): JsonObject {
  const content = { role: 'model', parts: parts.length === 0 ? [{ text: '' }] : parts };
  const candidate = { content, index: 0, ...(use === null ? {} : { finishReason: 'STOP' }) };
  const usage = use === null ? {} : { usageMetadata: toUsage(use) };
  return { candidates: [candidate], ...usage, modelVersion: model, responseId: 'r1' };
}

/** Gemini counts cached tokens as part of the prompt, and has no price for writing them. */
function toUsage({ input, cached, written, output }: TokenCount): JsonObject {
  const prompt = input + cached + written;
  return {
    promptTokenCount: prompt,
    cachedContentTokenCount: cached,
    candidatesTokenCount: output,
    totalTokenCount: prompt + output,
  };
}
