import { join } from 'node:path';
import { toShown } from '../../system/raw-path.ts';
import type { WalkedEntry } from '../../system/walk-folder.ts';
import { findIgnoredFolders } from './find-ignored.ts';
import { walkPlace } from './walk-folder.ts';

const MAX_FILES = 5000;

/**
 * Paths of at most 5,000 files below `root`, without links, packages and what git ignores. Those nearest to the root come first.
 * `scratch`: an empty folder outside of it.
 */
export async function listFiles(root: string, scratch: string, signal: AbortSignal): Promise<readonly string[]> {
  const ignored = await findIgnoredFolders({ root, gitDir: join(scratch, 'ignored.git'), repository: root }, signal);
  const isLeftOut = ({ path }: WalkedEntry): boolean => ignored.has(path) || /(?:^|\/)node_modules$/u.test(path);
  const files: string[] = [];
  for await (const { path, stats } of walkPlace(root, { isLeftOut, opensForGood: false }, signal)) {
    if (stats.isFile()) files.push(toShown(path));
    if (files.length >= MAX_FILES) break;
  }
  const depthOf = (path: string): number => path.split('/').length;
  return files.toSorted((left, right) => depthOf(left) - depthOf(right));
}
