import { findJsonObjects } from '../json/find-json-objects.ts';
import type { JsonObject } from '../json/parse-json-object.ts';

/** The JSON object at the end of an agent's output, or why there is none. */
export type ExtractedResult =
  | { readonly kind: 'found'; readonly value: JsonObject }
  | { readonly kind: 'invalid'; readonly why: string };

/** Longest output that is read, in UTF-16 code units. Only the end of a longer one is read. */
export const MAX_RESULT_CHARS = 64 * 1024;
/** Deepest nesting of a result; the object itself is level 1. */
export const MAX_RESULT_DEPTH = 16;

/**
 * Finds an agent's result: the last top-level JSON object of its output. Log lines, colour codes and Markdown fences around it
 * are ignored, and so are earlier JSON objects, unless one of them also has `schema_version` and `task_id`: two results are
 * ambiguous and neither is accepted (resolution C15). Never throws. Takes time linear in the length.
 */
export function extractResult(output: string): ExtractedResult {
  const scanned = findJsonObjects(output.slice(-MAX_RESULT_CHARS), MAX_RESULT_DEPTH);
  if (scanned.kind === 'too_deep') return invalid(`a JSON value in it nests deeper than ${MAX_RESULT_DEPTH} levels`);
  if (scanned.kind === 'cut_off') return invalid('it ends in the middle of a JSON value');
  const found = [...scanned.objects];
  const last = found.pop();
  if (last === undefined) return invalid('there is no JSON object in it');
  if (found.some(isResultLike)) return invalid('there is more than one result in it');
  return { kind: 'found', value: last };
}

function isResultLike(value: JsonObject): boolean {
  return Object.hasOwn(value, 'schema_version') && Object.hasOwn(value, 'task_id');
}

function invalid(why: string): ExtractedResult {
  return { kind: 'invalid', why };
}
