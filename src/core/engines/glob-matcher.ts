import picomatch from 'picomatch';
import { MAX_PATH_GLOB_LENGTH } from '../paths/path-globs.ts';

/**
 * Matches files, dotfiles included, against any of the globs. `src` matches only a file of that name and nothing below it, unlike
 * the policy's globs for changes: what an engine reads must be stated exactly. A glob above the length limit matches nothing.
 */
export function createGlobMatcher(globs: readonly string[]): (path: string) => boolean {
  const usable = globs.filter((glob) => glob !== '' && glob.length <= MAX_PATH_GLOB_LENGTH);
  const matches = usable.map((glob) => picomatch(glob, { dot: true, nonegate: true }));
  return (path) => matches.some((match) => match(path));
}
