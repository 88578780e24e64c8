import type { TreeChange } from '../model/tree-change.ts';
import { foldPath } from '../paths/path-globs.ts';
import { isHiddenName } from './find-hidden-text.ts';

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
  return findUnsafeName(change.path) ?? (change.kind === 'added' ? findUnwantedName(change.path) : null);
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

/** Names that a repository may have, but that nobody means to add. */
function findUnwantedName(path: string): string | null {
  if (isHiddenName(path)) return 'has characters in its name that nobody can see';
  const segments = path.split('/');
  if (segments.some(isGitFileAlias)) return "is the Windows short name of one of git's own files";
  return segments.some(isRefusedByWindows) ? 'has a name that Windows cannot have' : null;
}

/** `.git` in any case, as its Windows short name (`GIT~1`), with a suffix that Windows drops, or with ignored characters. */
export function isGitFolder(segment: string): boolean {
  const name = toWindowsName(segment);
  return name === '.git' || /^git~\d+$/u.test(name);
}

/** The short names that Windows gives to `.gitmodules`, `.gitattributes`, `.gitignore` and `.mailmap` (the list of git's fsck). */
function isGitFileAlias(segment: string): boolean {
  return /^(?:gitmod|gitatt|gitign|mailma|gi7eba|gi7d29|gi250a|maba30)~\d+$/u.test(toWindowsName(segment));
}

/** A device, a character that no file can have there, or an end that Windows drops. */
function isRefusedByWindows(segment: string): boolean {
  return (
    /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\..*)?$/u.test(toWindowsName(segment)) ||
    /[<>:"|?*]|[. ]$/u.test(segment)
  );
}

/** As Windows compares names: it drops a stream, and dots and blanks at the end. */
function toWindowsName(segment: string): string {
  return foldPath(segment.replaceAll(IGNORED_IN_NAMES, '')).replace(/(?::.*|[. ]+)$/u, '');
}

/**
 * Added or changed files that make their folder look like a bare repository to git, which reads the `config` of one that it is
 * started in. `headPaths`: the paths that the head tracks.
 */
export function findBareRepositories(changes: readonly TreeChange[], headPaths: readonly string[]): readonly string[] {
  const written = changes.filter(({ kind }) => kind !== 'deleted').map(({ path }) => path);
  const parts = written.filter((path) => PART_OF_BARE.test(path));
  if (parts.length === 0) return [];
  const present = [...headPaths, ...written].map(foldPath);
  return parts.filter((path) => {
    const folder = foldPath(path.replace(PART_OF_BARE, ''));
    const has = (name: string): boolean => present.some((other) => other.startsWith(`${folder}${name}`));
    return present.includes(`${folder}head`) && has('objects/') && has('refs/');
  });
}

const PART_OF_BARE = /(?:^|(?<=\/))(?:HEAD|config|objects\/.*|refs\/.*|hooks\/.*)$/iu;

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
