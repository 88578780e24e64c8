import { isJsonObject, type JsonObject } from '../json/parse-json-object.ts';
import type { Dialect } from '../model/model-use.ts';
import type { ModelApi } from './model-route.ts';

/** One message of a conversation with a model. */
export interface Turn {
  readonly from: 'user' | 'model';
  readonly text: string;
}

/** A conversation that the model continues. */
export interface Question {
  readonly model: string;
  readonly turns: readonly Turn[];
}

/** The calls that ask a question in a dialect, the first choice first: not every API that is called OpenAI's knows Responses. */
export const QUESTION_APIS: Readonly<Record<Dialect, readonly [ModelApi, ...ModelApi[]]>> = {
  anthropic: ['messages'],
  openai: ['responses', 'chat'],
  gemini: ['generate'],
};

/** Path and body of a call that asks the question. The answer is a stream of events: a whole answer would be a long silence. */
export function toQuestionCall(
  api: ModelApi,
  { model, turns }: Question,
): { readonly path: string; readonly body: JsonObject } {
  switch (api) {
    case 'messages':
      return { path: '/v1/messages', body: { model, stream: true, messages: turns.map(toMessage) } };
    case 'responses':
      return { path: '/v1/responses', body: { model, stream: true, store: false, input: turns.map(toMessage) } };
    case 'chat':
      return { path: '/v1/chat/completions', body: { model, stream: true, messages: turns.map(toMessage) } };
    case 'generate': {
      const contents = turns.map(({ from, text }) => ({ role: from, parts: [{ text }] }));
      return { path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`, body: { contents } };
    }
  }
}

function toMessage({ from, text }: Turn): JsonObject {
  return { role: from === 'user' ? 'user' : 'assistant', content: text };
}

/** What one event of an answer says. */
export interface AnswerPiece {
  /** The next part of the text; empty: none. Without the model's thoughts. */
  readonly text: string;
  /** `whole`: the answer ends here. Another text: it ends early, and why, in the provider's words. null: it goes on. */
  readonly end: string | null;
}

const WHOLE: ReadonlySet<string> = new Set(['end_turn', 'stop_sequence', 'stop', 'STOP']);

/** Reads one event of a streamed answer. Events that are not known say nothing. */
export function readAnswerPiece(api: ModelApi, event: JsonObject): AnswerPiece {
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

function readMessages({ type, delta: given }: JsonObject): AnswerPiece {
  const delta = toObject(given);
  return {
    text: type === 'content_block_delta' && delta['type'] === 'text_delta' ? toText(delta['text']) : '',
    end: type === 'message_delta' ? toEnd(delta['stop_reason']) : null,
  };
}

function readResponses({ type, delta, response }: JsonObject): AnswerPiece {
  if (type === 'response.output_text.delta') return { text: toText(delta), end: null };
  if (type === 'response.completed') return { text: '', end: 'whole' };
  if (type !== 'response.incomplete') return { text: '', end: null };
  return { text: '', end: toEnd(toObject(toObject(response)['incomplete_details'])['reason'] ?? 'incomplete') };
}

function readChat({ choices }: JsonObject): AnswerPiece {
  const choice = toFirst(choices);
  return { text: toText(toObject(choice['delta'])['content']), end: toEnd(choice['finish_reason']) };
}

function readGenerate({ candidates, promptFeedback }: JsonObject): AnswerPiece {
  const candidate = toFirst(candidates);
  const parts = toObject(candidate['content'])['parts'];
  const said = (Array.isArray(parts) ? parts.filter(isJsonObject) : []).filter(({ thought }) => thought !== true);
  return {
    text: said.map(({ text }) => toText(text)).join(''),
    end: toEnd(candidate['finishReason'] ?? toObject(promptFeedback)['blockReason']),
  };
}

function toEnd(reason: unknown): string | null {
  if (typeof reason !== 'string') return null;
  return WHOLE.has(reason) ? 'whole' : reason;
}

function toFirst(list: unknown): JsonObject {
  return Array.isArray(list) ? toObject(list[0]) : {};
}

function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
