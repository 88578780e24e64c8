import { WorkplaceError } from '../../../core/model/errors.ts';

/** Reads parameters that the schema of the plan has checked. What a model or another caller got wrong throws. */
export function readText(params: Readonly<Record<string, unknown>>, name: string): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  throw new WorkplaceError(`the parameter ${name} is missing`);
}

/** null: not given. */
export function readWords(params: Readonly<Record<string, unknown>>, name: string): readonly string[] | null {
  const value = params[name];
  return Array.isArray(value) && value.length > 0 ? value.map(String) : null;
}
