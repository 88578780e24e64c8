/** A JSON value with all its texts, and the names of its fields, redacted. */
export function redactValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((one: unknown) => redactValue(one, redact));
  return typeof value === 'object' && value !== null ? redactRecord({ ...value }, redact) : value;
}

/** The same for an object. */
export function redactRecord(
  record: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [redact(name), redactValue(value, redact)]));
}
