/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object. A key may be `undefined`, which `JSON.stringify` leaves out. */
export type JsonObject = { readonly [key: string]: Json | undefined };

/** True when the value is a JSON object (not an array, not null). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON text; throws a `SyntaxError` if it is invalid. */
export function parseAnyJson(text: string): Json {
  const value: unknown = JSON.parse(text);
  if (isObject(value) || isJsonArray(value) || value === null) return value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw new TypeError('Expected JSON');
}

/** The entries of an object. */
export function entriesOf(value: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(value).map(([key, child]) => [key, child ?? null]);
}

/** An object of entries. */
export function toObject(entries: Iterable<readonly [string, Json]>): JsonObject {
  return Object.fromEntries(entries);
}

/** Parses JSON text that must be an object; throws a `TypeError` otherwise. */
export function parseJson(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new TypeError('Expected a JSON object');
  return value;
}

/** The object at `key`, or an empty object. */
export function objectAt(value: JsonObject, key: string): JsonObject {
  const found = value[key];
  return isObject(found) ? found : {};
}

/** The string at `key`, or null. */
export function stringAt(value: JsonObject, key: string): string | null {
  const found = value[key];
  return typeof found === 'string' ? found : null;
}

/** The number at `key`, or null. */
export function numberAt(value: JsonObject, key: string): number | null {
  const found = value[key];
  return typeof found === 'number' ? found : null;
}

/** The array at `key`, or an empty one. */
export function arrayAt(value: JsonObject, key: string): readonly Json[] {
  const found = value[key];
  return isJsonArray(found) ? found : [];
}

/** The objects of the array at `key`. */
export function objectsAt(value: JsonObject, key: string): readonly JsonObject[] {
  return arrayAt(value, key).filter(isObject);
}

/** The strings of the array at `key`. */
export function stringsAt(value: JsonObject, key: string): readonly string[] {
  return arrayAt(value, key).filter((item) => typeof item === 'string');
}

/** True when the value is a JSON array. */
export function isJsonArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}
