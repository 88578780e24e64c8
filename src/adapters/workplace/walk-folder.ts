import type { BigIntStats } from 'node:fs';
import { chmod, lstat, readdir } from 'node:fs/promises';
import { findNameProblem } from '../../core/execution/plan-path.ts';
import { WorkplaceError } from '../../core/model/errors.ts';
import { toBytes } from './raw-path.ts';

/** An entry below the root. `path` is raw. */
export interface WalkedEntry {
  readonly path: string;
  readonly stats: BigIntStats;
}

const MAX_ENTRIES = 500_000;
const OWNER_ALL = 0o700;
const MODE_BITS = 0o7777;

/**
 * Everything below `root`, folders before what is in them, in the order of their names. Leaves out what belongs to git, and the insides
 * of folders that `isLeftOut` names. A command may have locked its own user out of a folder: that one is opened for the time of the
 * walk, or for good if it `opensForGood`.
 */
export async function* walkFolder(
  root: string,
  { isLeftOut, opensForGood }: { readonly isLeftOut: (path: string) => boolean; readonly opensForGood: boolean },
  signal: AbortSignal,
): AsyncGenerator<WalkedEntry> {
  const opened: { readonly folder: Buffer; readonly mode: number }[] = [];
  let count = 0;
  const left = [''];
  try {
    for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
      signal.throwIfAborted();
      const inner: string[] = [];
      for (const name of await readNames(toBytes(root, folder), opened)) {
        const path = folder === '' ? name : `${folder}/${name}`;
        const stats = await lstat(toBytes(root, path), { bigint: true });
        count += 1;
        if (count > MAX_ENTRIES)
          throw new WorkplaceError('TOO_LARGE', `the folder has more than ${MAX_ENTRIES} entries`);
        if (stats.isDirectory() && !isLeftOut(path)) inner.push(path);
        yield { path, stats };
      }
      left.push(...inner.toReversed());
    }
  } finally {
    if (!opensForGood) for (const { folder, mode } of opened.toReversed()) await chmod(folder, mode);
  }
}

async function readNames(
  folder: Buffer,
  opened: { readonly folder: Buffer; readonly mode: number }[],
): Promise<readonly string[]> {
  const read = async (): Promise<readonly string[]> => {
    const names = (await readdir(folder, { encoding: 'buffer' })).map((name) => name.toString('latin1'));
    return names.filter((name) => findNameProblem(name) === null).toSorted();
  };
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error;
    opened.push({ folder, mode: (await lstat(folder)).mode & MODE_BITS });
    await chmod(folder, OWNER_ALL);
    return read();
  }
}
