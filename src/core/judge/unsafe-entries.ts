import type { TreeChange } from '../model/tree-change.ts';
import { foldPath } from '../paths/path-globs.ts';

const SYMLINK = '120000';
const GITLINK = '160000';
const FILE_MODES: ReadonlySet<string> = new Set(['100644', '100755']);

/** Characters that some file systems ignore in names, so that `.g\u200cit` becomes `.git` (the list of git's own check). */
const IGNORED_IN_NAMES = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/gu;

/** Why the entry is unsafe in a tree, or null (T21, T24, T25). */
export function findUnsafeEntry(change: TreeChange): string | null {
  if (change.oldMode === GITLINK || change.newMode === GITLINK) return 'is a submodule';
  if (change.kind !== 'deleted') {
    if (change.newMode === SYMLINK) return 'is a symbolic link';
    if (!FILE_MODES.has(change.newMode)) return `has the mode ${change.newMode}`;
  }
  return findUnsafeName(change.path);
}

function findUnsafeName(path: string): string | null {
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(path)) return 'has control characters in its name';
  // A name that cannot be decoded would be written back as another name.
  if (path.includes('\uFFFD')) return 'has a name that is no UTF-8';
  const segments = path.split(/[/\\]/u);
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) return 'leaves its folder';
  if (segments.some(isGitFolder)) return 'lies in a `.git` folder';
  return null;
}

/** `.git` in any case, as its Windows short name (`GIT~1`), with a suffix that Windows drops, or with ignored characters. */
function isGitFolder(segment: string): boolean {
  const name = foldPath(segment.replaceAll(IGNORED_IN_NAMES, '')).replace(/(?::.*|[. ]+)$/u, '');
  return name === '.git' || /^git~\d+$/u.test(name);
}

/** Groups of paths that name one file on a case-insensitive file system. `headPaths`: the paths that the head tracks. */
export function findCollisions(
  changes: readonly TreeChange[],
  headPaths: readonly string[],
): readonly (readonly string[])[] {
  const changed = new Map(changes.map((change) => [change.path, change]));
  const present = headPaths.filter((path) => changed.get(path)?.kind !== 'deleted');
  const written = changes.filter(({ kind }) => kind !== 'deleted').map(({ path }) => path);
  const added = new Set(changes.filter(({ kind }) => kind === 'added').map(({ path }) => path));
  const groups = new Map<string, Set<string>>();
  for (const path of [...written, ...present]) {
    const folded = foldPath(path);
    const group = groups.get(folded);
    if (group === undefined) groups.set(folded, new Set([path]));
    else group.add(path);
  }
  // Collisions that the head already has are not reported.
  return [...groups.values()]
    .map((group) => [...group])
    .filter((group) => group.length > 1 && group.some((path) => added.has(path)));
}
