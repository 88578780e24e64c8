import type { ErrorObject } from 'ajv';

const MAX_ERRORS = 8;

/** Formats schema errors, one line each: where, path, problem. At most eight. */
export function renderErrors(where: string, errors: readonly ErrorObject[] | null | undefined): readonly string[] {
  return (errors ?? []).slice(0, MAX_ERRORS).map((error) => {
    const detail = 'additionalProperty' in error.params ? ` (${String(error.params['additionalProperty'])})` : '';
    return `${where}: ${error.instancePath || '/'} ${error.message ?? error.keyword}${detail}`;
  });
}
