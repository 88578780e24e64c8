import { isObject, type Json, type JsonObject, objectAt, stringsAt } from '../json.ts';

/** When an event starts a workflow. A null filter matches everything. */
export type Trigger = {
  /** Actions of the event that start it; null: those that start it without a filter. */
  readonly types: readonly string[] | null;
  readonly branches: readonly string[] | null;
  readonly ignoredBranches: readonly string[];
  readonly paths: readonly string[] | null;
  readonly ignoredPaths: readonly string[];
};

const NO_FILTER: Trigger = { types: null, branches: null, ignoredBranches: [], paths: null, ignoredPaths: [] };

/** The trigger for an event in a workflow's `on`; null if `on` does not name the event. */
export function toTrigger(on: Json, event: string): Trigger | null {
  if (on === event || (Array.isArray(on) && on.includes(event))) return NO_FILTER;
  if (!isObject(on) || !(event in on)) return null;
  const filter = objectAt(on, event);
  return {
    types: patternsAt(filter, 'types'),
    branches: patternsAt(filter, 'branches'),
    ignoredBranches: stringsAt(filter, 'branches-ignore'),
    paths: patternsAt(filter, 'paths'),
    ignoredPaths: stringsAt(filter, 'paths-ignore'),
  };
}

function patternsAt(filter: JsonObject, key: string): readonly string[] | null {
  return key in filter ? stringsAt(filter, key) : null;
}

const DEFAULT_TYPES = ['opened', 'synchronize', 'reopened'];

/** Whether the trigger matches a branch, and the action of an event that has any. */
export function isTriggered(trigger: Trigger | null, branch: string, action: string | null = null): boolean {
  if (trigger === null || isAnyMatch(trigger.ignoredBranches, branch)) return false;
  if (action !== null && !(trigger.types ?? DEFAULT_TYPES).includes(action)) return false;
  return trigger.branches === null || isAnyMatch(trigger.branches, branch);
}

/** Whether the trigger depends on the changed files. */
export function hasPathFilter(trigger: Trigger | null): boolean {
  return trigger !== null && (trigger.paths !== null || trigger.ignoredPaths.length > 0);
}

/** Whether the changed files match the trigger. `paths-ignore` needs one file that is not ignored. */
export function isTouched(trigger: Trigger | null, files: readonly string[]): boolean {
  if (trigger === null) return false;
  const { paths, ignoredPaths } = trigger;
  if (paths !== null) return files.some((file) => isAnyMatch(paths, file));
  return ignoredPaths.length === 0 || files.some((file) => !isAnyMatch(ignoredPaths, file));
}

/** The last matching pattern decides. One that starts with `!` excludes. */
function isAnyMatch(patterns: readonly string[], text: string): boolean {
  const last = patterns.findLast((pattern) => toGlob(pattern.replace(/^!/u, '')).test(text));
  return last !== undefined && !last.startsWith('!');
}

/** GitHub's filter patterns: `*` stops at a slash, `**` does not, and `**` before a slash may match nothing. */
function toGlob(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/gu, '\\$&')
    .replaceAll('**/', '\u0000')
    .replaceAll('**', '\u0001')
    .replaceAll('*', '[^/]*')
    .replaceAll('\u0000', '(?:.*/)?')
    .replaceAll('\u0001', '.*');
  return new RegExp(`^${source}$`, 'u');
}
