import picomatch from 'picomatch';
import { MAX_PATH_GLOB_LENGTH } from '../paths/path-globs.ts';

/**
 * Whether a file matches one of the globs, files that begin with a dot included. Unlike the globs of a policy for changes, `src`
 * names a file only, and not what lies below: what an engine reads has to be said exactly. A glob that is too long matches nothing.
 */
export function createGlobMatcher(globs: readonly string[]): (path: string) => boolean {
  const usable = globs.filter((glob) => glob !== '' && glob.length <= MAX_PATH_GLOB_LENGTH);
  const matches = usable.map((glob) => picomatch(glob, { dot: true, nonegate: true }));
  return (path) => matches.some((match) => match(path));
}
