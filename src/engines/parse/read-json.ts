import type { z } from 'zod';

/** What was read from a text, or what is wrong with it and where. */
export type Reading<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'invalid'; readonly why: string };

const MAX_WHY_LENGTH = 300;

/** Parses one JSON document and checks it with `schema`. Never throws. */
export function readJson<Schema extends z.ZodType>(text: string, schema: Schema): Reading<z.infer<Schema>> {
  const parsed = parse(text);
  if (parsed.kind === 'invalid') return parsed;
  const checked = schema.safeParse(parsed.value);
  if (checked.success) return { kind: 'ok', value: checked.data };
  const [first] = checked.error.issues;
  const place = first === undefined || first.path.length === 0 ? '' : `${first.path.map(String).join('.')}: `;
  return { kind: 'invalid', why: `${place}${first?.message ?? 'it has another shape'}`.slice(0, MAX_WHY_LENGTH) };
}

function parse(text: string): Reading<unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return { kind: 'ok', value };
  } catch (error) {
    return { kind: 'invalid', why: `no JSON: ${error instanceof Error ? error.message : ''}`.slice(0, MAX_WHY_LENGTH) };
  }
}
