import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { isTemporaryName } from '../../core/execution/plan-path.ts';
import { isGitFolder } from '../../core/judge/unsafe-entries.ts';
import { WorkplaceError } from '../../core/model/errors.ts';
import { closeFolders, type OpenedFolder, openFolder } from './open-folder.ts';
import { toBytes, toShown } from './raw-path.ts';

/** An entry below the root. `path` is raw. */
export interface WalkedEntry {
  readonly path: string;
  readonly stats: BigIntStats;
}

/** What a walk does besides. */
export interface WalkOptions {
  /** Folders whose insides are left out. */
  readonly isLeftOut: (entry: WalkedEntry) => boolean;
  /** Folders that were closed to their owner stay open after the walk. */
  readonly opensForGood: boolean;
  /** Told of what belongs to git, and of what a killed process left over. Neither is walked. */
  readonly onHidden?: (path: string, what: 'git' | 'temporary') => void;
}

const MAX_ENTRIES = 500_000;

/**
 * Everything below `root`, folders before what is in them, in the order of their names. A command may have locked its own user out of
 * a folder: that one is opened for the walk.
 */
export async function* walkFolder(
  root: string,
  { isLeftOut, opensForGood, onHidden }: WalkOptions,
  signal: AbortSignal,
): AsyncGenerator<WalkedEntry> {
  const opened: OpenedFolder[] = [];
  let count = 0;
  const left = [''];
  try {
    for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
      signal.throwIfAborted();
      const wasClosed = await openFolder(toBytes(root, folder));
      if (wasClosed !== null) opened.push(wasClosed);
      const inner: string[] = [];
      for (const name of await readNames(toBytes(root, folder))) {
        count += 1;
        if (count > MAX_ENTRIES)
          throw new WorkplaceError('TOO_LARGE', `the folder has more than ${MAX_ENTRIES} entries`);
        const path = folder === '' ? name : `${folder}/${name}`;
        const what = findHidden(name);
        if (what !== null) {
          onHidden?.(path, what);
          continue;
        }
        const entry = { path, stats: await readStats(toBytes(root, path)) };
        if (entry.stats.isDirectory() && !isLeftOut(entry)) inner.push(path);
        yield entry;
      }
      left.push(...inner.toReversed());
    }
  } finally {
    if (!opensForGood) await closeFolders(opened);
  }
}

async function readNames(folder: Buffer): Promise<readonly string[]> {
  return (await readdir(folder, { encoding: 'buffer' })).map((name) => name.toString('latin1')).toSorted();
}

function findHidden(name: string): 'git' | 'temporary' | null {
  if (isGitFolder(toShown(name))) return 'git';
  return isTemporaryName(name) ? 'temporary' : null;
}

async function readStats(path: Buffer): Promise<BigIntStats> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    // A command can nest folders deeper than a path can name.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENAMETOOLONG')) throw error;
    throw new WorkplaceError('TOO_LARGE', 'the folder has paths that are longer than the system allows', error);
  }
}
