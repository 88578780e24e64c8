import type { z } from 'zod';
import { CodedError } from '../core/model/errors.ts';

/** Input that does not match its schema. `problems` has one line for each problem, with its place. */
export class InvalidInputError extends CodedError {
  readonly code = 'INVALID_INPUT';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '), 'never');
    this.problems = problems;
  }
}

const MAX_PROBLEMS = 5;
const MAX_PROBLEM_LENGTH = 200;

/** Parses `value` with `schema`. @throws InvalidInputError that names each problem, its place and unknown keys. */
export function parseBySchema<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InvalidInputError(parsed.error.issues.slice(0, MAX_PROBLEMS).map(toProblem));
}

function toProblem(issue: z.core.$ZodIssue): string {
  const place = issue.path.length === 0 ? 'the input' : issue.path.map(String).join('.');
  return `${place}: ${issue.message}`.replaceAll(/\s+/gu, ' ').slice(0, MAX_PROBLEM_LENGTH);
}
