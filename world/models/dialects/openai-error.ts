import type { JsonObject } from '../../json.ts';
import type { ModelFailure } from '../model-call.ts';

/** The body of an error of OpenAI's APIs. */
export function toOpenaiError({ openai: { type, code, message } }: ModelFailure): JsonObject {
  return { error: { message, type, param: null, code } };
}
