import picomatch from 'picomatch';

/** Longest path glob of a policy. A longer one matches nothing, so it allows nothing. */
export const MAX_PATH_GLOB_LENGTH = 512;

/** Matches paths against any of the globs. `tests/` and plain `tests` also match everything below. */
export function createPathMatcher(globs: readonly string[]): (path: string) => boolean {
  const patterns = globs.filter((glob) => glob.length <= MAX_PATH_GLOB_LENGTH).flatMap(toPatterns);
  const isMatch = patterns.map((pattern) => picomatch(pattern, { dot: true, nonegate: true, strictSlashes: true }));
  return (path) => isMatch.some((matches) => matches(path));
}

/** Like `createPathMatcher`, but ignores case and Unicode composition, as some file systems do. */
export function createFoldedPathMatcher(globs: readonly string[]): (path: string) => boolean {
  const matches = createPathMatcher(globs.map(foldPath));
  return (path) => matches(foldPath(path));
}

/** The form under which a case-insensitive, normalising file system would find `path`. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/** Whether one of the globs that match `path` ends in its exact name. `**` names nothing. */
export function isNamedBy(globs: readonly string[] | null, path: string): boolean {
  const name = toFoldedName(path);
  const naming = (globs ?? []).filter((glob) => toFoldedName(glob) === name);
  return createPathMatcher(naming)(path);
}

/** The last segment, as a case-insensitive file system compares it. */
export function toFoldedName(path: string): string {
  return foldPath(path.slice(path.lastIndexOf('/') + 1));
}

function toPatterns(glob: string): readonly string[] {
  const plain = glob.replace(/^(?:\.?\/)+/u, '').replace(/\/+$/u, '');
  if (plain === '') return [];
  return [plain, `${plain}/**`];
}
