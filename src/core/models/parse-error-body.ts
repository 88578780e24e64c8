import { isJsonObject, type JsonObject } from '../json/parse-json-object.ts';

/** The body of an answer that reports an error. */
export interface ErrorBody {
  /** All of it, as it was parsed. */
  readonly json: unknown;
  readonly error: JsonObject;
}

/** An error in any dialect: `{"error": {…}}`, the same in a list, or the error alone. null: the text is none. */
export function parseErrorBody(text: string): ErrorBody | null {
  const json = parseJson(text);
  const body: unknown = Array.isArray(json) ? json[0] : json;
  if (!isJsonObject(body)) return null;
  const error = toErrorObject(body['error']) ?? (typeof body['message'] === 'string' ? body : null);
  return error === null ? null : { json, error };
}

/** The value of a field `error`; null: it reports none. */
export function toErrorObject(value: unknown): JsonObject | null {
  if (typeof value === 'string') return { message: value };
  return isJsonObject(value) ? value : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
