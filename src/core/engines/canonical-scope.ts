/** A scope in its one form, or what is wrong with it: a line for each entry that cannot be used. */
export type CanonicalScope =
  | { readonly kind: 'scope'; readonly paths: readonly string[] }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

const ROOT = '.';
const ROOTED = /^(?:\/|[A-Za-z]:\/)/u;

/**
 * One form for all ways to name the same places below the root: `/` between segments, no `.`, no `..`, no slash at the end, no
 * duplicates, nothing that lies below another entry (a scope that names a folder and a file in it is the scope of the folder), in
 * the order of code units. `.` is the root and holds everything. An empty list stays empty: that is a scope, too.
 */
export function toCanonicalScope(paths: readonly string[]): CanonicalScope {
  const all = new Set<string>();
  const problems = new Set<string>();
  for (const path of paths) {
    const canonical = toCanonicalPath(path);
    if (canonical === null) problems.add(toProblem(path));
    else all.add(canonical);
  }
  if (problems.size > 0) return { kind: 'invalid', problems: [...problems].toSorted() };
  return { kind: 'scope', paths: [...all].filter((path) => !toParents(path).some((up) => all.has(up))).toSorted() };
}

/** A path relative to the root in its one form; null for what is empty, rooted, or leads outside of the root on its way. */
export function toCanonicalPath(path: string): string | null {
  const slashed = path.replaceAll('\\', '/');
  if (slashed === '' || ROOTED.test(slashed)) return null;
  const kept: string[] = [];
  for (const segment of slashed.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') kept.push(segment);
    else if (kept.pop() === undefined) return null;
  }
  return kept.length === 0 ? ROOT : kept.join('/');
}

/** Whether a canonical path is an entry of a canonical scope, or lies below one. */
export function createScopeMatcher(scope: readonly string[]): (path: string) => boolean {
  const entries = new Set(scope);
  return (path) => entries.has(path) || toParents(path).some((up) => entries.has(up));
}

/** The folders that hold a canonical path, nearest first; the last one is the root. The root has none. */
export function toParents(path: string): readonly string[] {
  if (path === ROOT) return [];
  const parents: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) parents.push(path.slice(0, at));
  return [...parents, ROOT];
}

function toProblem(path: string): string {
  return path === '' ? 'an entry is empty' : `${JSON.stringify(path)} leads outside of the repository`;
}
