/** An object of JSON: neither a list nor null. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The object that a text is; null where it is no JSON, or another value. Never throws. */
export function parseJsonObject(text: string): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
