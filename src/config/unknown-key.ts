import { z } from 'zod';
import { findNearest } from '../core/commands/find-nearest.ts';

const MAX_SHOWN_LENGTH = 80;

/**
 * Describes the unknown `key` below `path`. Suggests a similar key of the same section, otherwise a similar key of
 * another section, otherwise lists the known keys.
 */
export function describeUnknownKey(schema: z.ZodType, path: readonly PropertyKey[], key: string): string {
  const known = Object.keys(toShape(toSchemaAt(schema, path)));
  const meant = findNearest(key, known, toMaxDistance(key)) ?? findElsewhere(schema, key);
  const hint = meant === null ? `known keys are ${known.join(', ')}` : `did you mean \`${meant}\`?`;
  const name = [...path.map(String), key.slice(0, MAX_SHOWN_LENGTH)].join('.');
  return `unknown key ${JSON.stringify(name)}; ${hint}`;
}

function toMaxDistance(key: string): number {
  return Math.max(1, Math.floor(key.length / 3));
}

/** Full name of the most similar key in any section. */
function findElsewhere(schema: z.ZodType, key: string): string | null {
  const names = listNames(schema, '').filter((name) => name.includes('.'));
  const last = findNearest(key, names.map(toLast), toMaxDistance(key));
  return names.find((name) => toLast(name) === last) ?? null;
}

function toLast(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function listNames(schema: z.ZodType, prefix: string): readonly string[] {
  return Object.entries(toShape(schema)).flatMap(([key, inner]) => {
    const name = `${prefix}${key}`;
    return [name, ...listNames(inner, `${name}.`)];
  });
}

function toSchemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | null {
  let at: z.ZodType | null = schema;
  for (const part of path) at = at === null ? null : toInner(at, part);
  return at;
}

function toInner(schema: z.ZodType, part: PropertyKey): z.ZodType | null {
  const bare = unwrap(schema);
  if (bare instanceof z.ZodArray) return toType(bare.element);
  if (bare instanceof z.ZodRecord) return toType(bare.valueType);
  const shape = toShape(bare);
  if (Object.hasOwn(shape, part)) return shape[String(part)] ?? null;
  return bare instanceof z.ZodObject ? toType(bare.def.catchall) : null;
}

function toShape(schema: z.ZodType | null): Readonly<Record<string, z.ZodType>> {
  const bare = schema === null ? null : unwrap(schema);
  if (!(bare instanceof z.ZodObject)) return {};
  return Object.fromEntries(
    Object.entries(bare.shape).flatMap(([name, inner]) => {
      const type = toType(inner);
      return type === null ? [] : [[name, type]];
    }),
  );
}

/** Unwraps a schema to its mapping or list. For a union, the mapping; for a transformed value, the input. */
function unwrap(schema: z.ZodType): z.ZodType {
  const inner = toType(findWrapped(schema));
  return inner === null ? schema : unwrap(inner);
}

function findWrapped(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodNullable) return schema.unwrap();
  if (schema instanceof z.ZodPipe) return schema.in;
  if (!(schema instanceof z.ZodUnion)) return null;
  return schema.options.find((option) => option instanceof z.ZodType && unwrap(option) instanceof z.ZodObject);
}

function toType(schema: unknown): z.ZodType | null {
  return schema instanceof z.ZodType ? schema : null;
}
