import { isObject, type Json, type JsonObject, objectAt, stringsAt } from '../json.ts';

/** When a workflow starts for an event. A null filter lets everything through. */
export type Trigger = {
  readonly branches: readonly string[] | null;
  readonly ignoredBranches: readonly string[];
  readonly paths: readonly string[] | null;
  readonly ignoredPaths: readonly string[];
};

const NO_FILTER: Trigger = { branches: null, ignoredBranches: [], paths: null, ignoredPaths: [] };

/** The trigger of an event in a workflow's `on`; null when the event is not named there. */
export function toTrigger(on: Json, event: string): Trigger | null {
  if (on === event || (Array.isArray(on) && on.includes(event))) return NO_FILTER;
  if (!isObject(on) || !(event in on)) return null;
  const filter = objectAt(on, event);
  return {
    branches: patternsAt(filter, 'branches'),
    ignoredBranches: stringsAt(filter, 'branches-ignore'),
    paths: patternsAt(filter, 'paths'),
    ignoredPaths: stringsAt(filter, 'paths-ignore'),
  };
}

function patternsAt(filter: JsonObject, key: string): readonly string[] | null {
  return key in filter ? stringsAt(filter, key) : null;
}

/** True when the trigger lets a branch through. */
export function isTriggered(trigger: Trigger | null, branch: string): boolean {
  if (trigger === null || isAnyMatch(trigger.ignoredBranches, branch)) return false;
  return trigger.branches === null || isAnyMatch(trigger.branches, branch);
}

/** True when the answer depends on the files that changed. */
export function hasPathFilter(trigger: Trigger | null): boolean {
  return trigger !== null && (trigger.paths !== null || trigger.ignoredPaths.length > 0);
}

/** True when one of the changed files lets the workflow start; `paths-ignore` needs one that is not ignored. */
export function isTouched(trigger: Trigger | null, files: readonly string[]): boolean {
  if (trigger === null) return false;
  const { paths, ignoredPaths } = trigger;
  if (paths !== null) return files.some((file) => isAnyMatch(paths, file));
  return ignoredPaths.length === 0 || files.some((file) => !isAnyMatch(ignoredPaths, file));
}

/** The last pattern that fits decides; one with `!` before it takes back. */
function isAnyMatch(patterns: readonly string[], text: string): boolean {
  const last = patterns.findLast((pattern) => toGlob(pattern.replace(/^!/u, '')).test(text));
  return last !== undefined && !last.startsWith('!');
}

/** GitHub's filter patterns: `*` stops at a slash, `**` does not, and `**` with a slash behind it may be nothing. */
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
