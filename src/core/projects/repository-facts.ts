import { toParents } from '../engines/canonical-scope.ts';

/** What detection knows of a repository. */
export interface RepositoryFacts {
  /** Canonical paths of the repository. */
  readonly files: readonly string[];
  /** Texts of files that `findDetectionFiles` names, by path; null or left out: there is no such file, or it cannot be read. */
  readonly texts: Readonly<Record<string, string | null>>;
}

/** Names of files whose content shows which engines a folder uses, or where its projects are. */
const NAME =
  /^(?:package\.json|pnpm-workspace\.ya?ml|pyproject\.toml|setup\.cfg|tox\.ini|\.?mypy\.ini|Cargo\.toml|go\.work|[jt]sconfig[\w.-]*\.json|\.?biome\.jsonc?|(?:vitest|vite|jest)\.(?:config|workspace)\.\w+)$/u;
/** More files are not read: those in the deepest folders are left out. */
const MAX_FILES = 8000;

/** The files that detection reads, those near the root first. */
export function findDetectionFiles(files: readonly string[]): readonly string[] {
  const found = files.filter((path) => NAME.test(toName(path)) && !isInstalled(path));
  if (found.length <= MAX_FILES) return found;
  const depthOf = (path: string): number => path.split('/').length;
  return found.toSorted((left, right) => depthOf(left) - depthOf(right)).slice(0, MAX_FILES);
}

export function toName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folder of a file. */
export function toFolder(path: string): string {
  return toParents(path)[0] ?? '.';
}

/** The path of a file in a folder. */
export function toPathIn(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}/${name}`;
}

/** Whether a path is below a folder of installed packages. */
export function isInstalled(path: string): boolean {
  return /(?:^|\/)node_modules\//u.test(`${path}/`);
}

/**
 * Folders that hold the code of others, or input of tests. A configuration there is meant for that code only.
 */
const FOREIGN =
  /^(?:bower_components|vendor|third[-_]party|testdata|[\w.-]*fixtures?_*|__mocks__|\.venv|venv|site-packages|.*\{\{.*)$/iu;

/** Whether a folder is not the person's own to check. */
export function isForeign(folder: string): boolean {
  return folder.split('/').some((segment) => FOREIGN.test(segment));
}
