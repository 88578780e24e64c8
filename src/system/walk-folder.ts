import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { toBytes } from './raw-path.ts';

/** An entry below the root. `path` is raw. */
export interface WalkedEntry {
  readonly path: string;
  readonly stats: BigIntStats;
}

/** Why a walk cannot go on: more entries than allowed, a path that the system cannot name, or a folder that cannot be listed. */
export type WalkProblem = 'too_many' | 'too_long' | 'unreadable';

/** What a walk does besides. */
export interface WalkOptions {
  readonly maxEntries: number;
  /** Entries that are not told of, and not walked. `name` is raw. */
  readonly isHidden: (path: string, name: string) => boolean;
  /** Folders whose insides are left out. */
  readonly isLeftOut?: (entry: WalkedEntry) => boolean;
  /** Called before a folder is listed. */
  readonly enter?: (folder: Buffer) => Promise<void>;
  /** What is thrown. */
  readonly toError: (problem: WalkProblem, cause: unknown) => Error;
}

/** Everything below `root`, folders before what is in them, in the order of their names. Follows no links. */
export async function* walkFolder(
  root: string,
  { maxEntries, isHidden, isLeftOut = () => false, enter = async () => {}, toError }: WalkOptions,
  signal: AbortSignal,
): AsyncGenerator<WalkedEntry> {
  let count = 0;
  const left = [''];
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    signal.throwIfAborted();
    const bytes = toBytes(root, folder);
    await enter(bytes);
    const inner: string[] = [];
    for (const name of await readNames(bytes, toError)) {
      count += 1;
      if (count > maxEntries) throw toError('too_many', null);
      const path = folder === '' ? name : `${folder}/${name}`;
      if (isHidden(path, name)) continue;
      const stats = await readStats(toBytes(root, path), toError);
      if (stats === null) continue;
      const entry = { path, stats };
      if (stats.isDirectory() && !isLeftOut(entry)) inner.push(path);
      yield entry;
    }
    left.push(...inner.toReversed());
  }
}

async function readNames(folder: Buffer, toError: WalkOptions['toError']): Promise<readonly string[]> {
  try {
    return (await readdir(folder, { encoding: 'buffer' })).map((name) => name.toString('latin1')).toSorted();
  } catch (error) {
    throw toError('unreadable', error);
  }
}

/** null: it is gone since its folder was listed. */
async function readStats(path: Buffer, toError: WalkOptions['toError']): Promise<BigIntStats | null> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') return null;
    // A command can nest folders deeper than a path can name.
    throw toError(code === 'ENAMETOOLONG' ? 'too_long' : 'unreadable', error);
  }
}
