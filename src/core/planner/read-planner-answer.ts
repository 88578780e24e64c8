import { findJsonObjects } from '../json/find-json-objects.ts';
import { isJsonObject, type JsonObject } from '../json/parse-json-object.ts';

/** What a planner's model answered. Everything in it is untrusted. */
export type PlannerAnswer =
  /** A plan that nobody has checked yet, and what the model says about it. `answers`: to the items of a review. */
  | { readonly kind: 'plan'; readonly plan: JsonObject; readonly summary: string; readonly answers: readonly unknown[] }
  /** It wants to see these files first. */
  | { readonly kind: 'read'; readonly paths: readonly string[] }
  /** It says that the task cannot be done. */
  | { readonly kind: 'gave_up'; readonly summary: string }
  | { readonly kind: 'invalid'; readonly why: string };

/** Longest answer that is read, in UTF-16 code units. */
export const MAX_ANSWER_CHARS = 512 * 1024;
/** A plan has 6 levels. */
const MAX_DEPTH = 16;
const MAX_PATHS = 20;
const MAX_PATH_CHARS = 4096;
const MAX_SUMMARY_CHARS = 2000;

/** Reads an answer: the one JSON object in it that has a meaning, with or without text and Markdown fences around it. */
export function readPlannerAnswer(text: string): PlannerAnswer {
  if (text.length > MAX_ANSWER_CHARS) return invalid('it is too long');
  const found = findJsonObjects(text, MAX_DEPTH);
  if (found.kind === 'too_deep') return invalid(`a JSON value in it nests deeper than ${MAX_DEPTH} levels`);
  if (found.kind === 'cut_off') return invalid('it ends in the middle of a JSON value');
  const meant = found.objects.filter((object) => ['steps', 'read', 'status'].some((key) => Object.hasOwn(object, key)));
  const [answer, ...others] = meant;
  if (answer === undefined) return invalid('there is no JSON object with `steps` in it');
  if (others.length > 0) return invalid('there is more than one JSON object with a plan or a request in it');
  return toAnswer(answer);
}

function toAnswer({ summary: said, answers, read, status, ...plan }: JsonObject): PlannerAnswer {
  const summary = typeof said === 'string' ? said.slice(0, MAX_SUMMARY_CHARS).toWellFormed() : '';
  if (Object.hasOwn(plan, 'steps'))
    return { kind: 'plan', plan, summary, answers: Array.isArray(answers) ? answers.filter(isJsonObject) : [] };
  if (read !== undefined) return toRead(read);
  return status === 'blocked' || status === 'failure' ? { kind: 'gave_up', summary } : invalid('it has no `steps`');
}

function toRead(read: unknown): PlannerAnswer {
  const paths = Array.isArray(read) ? read : [];
  const texts = paths.filter((path) => typeof path === 'string' && path.length <= MAX_PATH_CHARS);
  const isUsable = texts.length === paths.length && texts.length > 0 && texts.length <= MAX_PATHS;
  return isUsable ? { kind: 'read', paths: texts } : invalid(`\`read\` must be a list of 1 to ${MAX_PATHS} paths`);
}

function invalid(why: string): PlannerAnswer {
  return { kind: 'invalid', why };
}
