import type { z } from 'zod';

const MAX_SHOWN_LENGTH = 40;

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'entries' };

/** Describes a fault of a value in terms of YAML. Undefined if zod's message, or the schema's own, is clear enough. */
export function describeFault(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue);
    case 'invalid_value':
      return `expected ${toChoice(issue.values.map(String))}, not ${toShown(issue.input)}`;
    case 'too_small':
      if (issue.minimum === 1 && issue.origin in UNITS) return 'must not be empty';
      return `must be at least ${String(issue.minimum)}, not ${toShown(issue.input)}`;
    case 'too_big':
      if (issue.origin in UNITS) return `must have at most ${String(issue.maximum)} ${UNITS[issue.origin] ?? ''}`;
      return `must be at most ${String(issue.maximum)}, not ${toShown(issue.input)}`;
    default:
      return undefined;
  }
}

function describeType({ input, expected }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  if (input === undefined) return 'is required';
  const type = TYPES[expected] ?? expected;
  // The whole text may be a key, in a file that was named in place of another one.
  const shown = type === 'a mapping' && typeof input === 'string' ? 'text' : toShown(input);
  return `expected ${type}, not ${shown}`;
}

function toChoice(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
}

function toShown(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value !== 'string') return 'a mapping';
  return JSON.stringify(value.length > MAX_SHOWN_LENGTH ? `${value.slice(0, MAX_SHOWN_LENGTH)}…` : value);
}
