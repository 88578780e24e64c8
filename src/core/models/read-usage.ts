import { isJsonObject, type JsonObject } from '../json/parse-json-object.ts';
import type { TokenUse } from '../model/model-use.ts';
import type { ModelApi } from './model-route.ts';
import { toErrorObject } from './parse-error-body.ts';

/** One answer, or one event of a streamed answer, as far as money and faults are concerned. */
export interface AnswerPart {
  /** null: the part says nothing about it. */
  readonly tokens: TokenUse | null;
  /** The answer is complete with this part. */
  readonly isLast: boolean;
  /** The error that the part reports; null: none. */
  readonly error: JsonObject | null;
}

/** Numbers beyond are no counts of tokens. */
const MAX_TOKENS = 1_000_000_000;

/** Reads one part of an answer. `event` is a whole answer, or an event of a stream. */
export function readAnswerPart(api: ModelApi, event: JsonObject): AnswerPart {
  switch (api) {
    case 'messages':
      return readMessages(event);
    case 'responses':
      return readResponses(event);
    case 'chat':
      return readChat(event);
    case 'generate':
      return readGenerate(event);
  }
}

function readMessages(event: JsonObject): AnswerPart {
  const message = toObject(event['message']);
  const usage = toObject(event['usage'] ?? message['usage']);
  return {
    tokens: toTokens(usage, {
      input: toCount(usage['input_tokens']),
      cached: toCount(usage['cache_read_input_tokens']),
      written: toCount(usage['cache_creation_input_tokens']),
      output: toCount(usage['output_tokens']),
    }),
    isLast: event['type'] === 'message_stop' || event['type'] === 'message',
    error: toErrorObject(event['error']),
  };
}

const LAST_RESPONSES = new Set(['response.completed', 'response.incomplete', 'response.failed']);

function readResponses(event: JsonObject): AnswerPart {
  const response = event['object'] === 'response' ? event : toObject(event['response']);
  const usage = toObject(response['usage']);
  const isLast = event === response || LAST_RESPONSES.has(String(event['type']));
  // An error event has its code and message beside its type.
  const error = event['type'] === 'error' ? (toErrorObject(event['error']) ?? event) : toErrorObject(response['error']);
  return { tokens: readOpenaiUsage(usage), isLast, error: error ?? toErrorObject(event['error']) };
}

function readChat(event: JsonObject): AnswerPart {
  const choices = Array.isArray(event['choices']) ? event['choices'].filter(isJsonObject) : [];
  // Some APIs put the use into the last choice, or below a name of their own.
  const usage = [event['usage'], toObject(event['x_groq'])['usage'], ...choices.map((choice) => choice['usage'])];
  return {
    tokens: readOpenaiUsage(toObject(usage.find(isJsonObject))),
    isLast: choices.some((choice) => typeof choice['finish_reason'] === 'string'),
    error: toErrorObject(event['error']),
  };
}

function readOpenaiUsage(usage: JsonObject): TokenUse | null {
  const gross = toCount(usage['input_tokens'] ?? usage['prompt_tokens']);
  const details = toObject(usage['input_tokens_details'] ?? usage['prompt_tokens_details']);
  const cached = Math.min(gross, toCount(details['cached_tokens'] ?? usage['prompt_cache_hit_tokens']));
  const written = Math.min(gross - cached, toCount(details['cache_write_tokens']));
  const output = toCount(usage['output_tokens'] ?? usage['completion_tokens']);
  // Some APIs leave the tokens of reasoning out of the output, but not out of the total.
  const rest = toCount(usage['total_tokens']) - gross;
  return toTokens(usage, { input: gross - cached - written, cached, written, output: Math.max(output, rest) });
}

function readGenerate(event: JsonObject): AnswerPart {
  const usage = toObject(event['usageMetadata']);
  const candidates = Array.isArray(event['candidates']) ? event['candidates'].filter(isJsonObject) : [];
  const gross = toCount(usage['promptTokenCount']) + toCount(usage['toolUsePromptTokenCount']);
  const cached = Math.min(gross, toCount(usage['cachedContentTokenCount']));
  const output = toCount(usage['candidatesTokenCount']) + toCount(usage['thoughtsTokenCount']);
  const rest = toCount(usage['totalTokenCount']) - gross;
  return {
    tokens: toTokens(usage, { input: gross - cached, cached, written: 0, output: Math.max(output, rest) }),
    isLast:
      candidates.some((candidate) => typeof candidate['finishReason'] === 'string') ||
      typeof toObject(event['promptFeedback'])['blockReason'] === 'string',
    error: toErrorObject(event['error']),
  };
}

function toTokens(usage: JsonObject, tokens: TokenUse): TokenUse | null {
  return Object.keys(usage).length === 0 ? null : tokens;
}

function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function toCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= MAX_TOKENS ? value : 0;
}
