/** The canonical form of a scope, or its problems: one line for each entry that cannot be used. */
export type CanonicalScope =
  | { readonly kind: 'scope'; readonly paths: readonly string[] }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

const ROOT = '.';
const ROOTED = /^(?:\/|[A-Za-z]:\/)/u;

/**
 * The canonical form of paths below the root: `/` as separator, no `.` or `..`, no trailing slash, no duplicates, nothing below
 * another entry (a folder covers the files in it), sorted by code units. `.` is the root and covers everything. An empty list is
 * a valid scope and stays empty. `root`: absolute path of the root, if it is known where an absolute path leads.
 */
export function toCanonicalScope(paths: readonly string[], root: string | null = null): CanonicalScope {
  const all = new Set<string>();
  const problems = new Set<string>();
  for (const path of paths) {
    const canonical = toCanonicalPath(path, root);
    if (canonical === null) problems.add(toProblem(path));
    else all.add(canonical);
  }
  if (problems.size > 0) return { kind: 'invalid', problems: [...problems].toSorted() };
  return { kind: 'scope', paths: [...all].filter((path) => !toParents(path).some((up) => all.has(up))).toSorted() };
}

/** The canonical form of a path relative to the root; null if it is empty, lies elsewhere, or leaves the root at any point. */
export function toCanonicalPath(path: string, root: string | null = null): string | null {
  const slashed = toRelative(path.replaceAll('\\', '/'), root);
  if (slashed === '' || ROOTED.test(slashed)) return null;
  const kept: string[] = [];
  for (const segment of slashed.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') kept.push(segment);
    else if (kept.pop() === undefined) return null;
  }
  return kept.length === 0 ? ROOT : kept.join('/');
}

/** An absolute path below the root without the root. */
function toRelative(slashed: string, root: string | null): string {
  if (root === null || !`${slashed}/`.startsWith(`${root}/`)) return slashed;
  return `.${slashed.slice(root.length)}`;
}

/** Matches canonical paths that are an entry of a canonical scope or lie below one. */
export function createScopeMatcher(scope: readonly string[]): (path: string) => boolean {
  const entries = new Set(scope);
  return (path) => entries.has(path) || toParents(path).some((up) => entries.has(up));
}

/** Parent folders of a canonical path, nearest first, ending with the root. The root has none. */
export function toParents(path: string): readonly string[] {
  if (path === ROOT) return [];
  const parents: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) parents.push(path.slice(0, at));
  return [...parents, ROOT];
}

function toProblem(path: string): string {
  return path === '' ? 'an entry is empty' : `${JSON.stringify(path)} leads outside of the repository`;
}
