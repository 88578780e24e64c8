import type { Dirent } from 'node:fs';
import { chmod, mkdir, opendir, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RepositoryError } from '../../core/model/errors.ts';
import { removeTree } from '../../system/remove-tree.ts';

const SEPARATOR = Buffer.from('/');
const GIT_NAME = /^\.git$/i;

/**
 * Prepares a tree written by an agent for `git add`. Removes nested `.git` entries at any depth and in any case, because git
 * would obey a nested repository's configuration (threat T21), and files that git cannot store (pipes, sockets). Follows no
 * links. Keeps the top-level `.git`: Ratchet's own git never opens it. Handles names as bytes, so names that are not UTF-8
 * are cleaned too. Folders are first moved to `discardDir`, which must be on the same disk. Returns the number of removed
 * entries. Throws `RepositoryError` (`GIT_FAILED`) if there are more than `maxEntries` entries.
 */
export async function cleanFolder(
  workDir: string,
  options: { readonly discardDir: string; readonly maxEntries: number },
): Promise<number> {
  const top = Buffer.from(workDir);
  const folders = [top];
  let seen = 0;
  let removed = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readEntries(folder, options.maxEntries - seen);
    if (entries === null) throw unusable(`it has more than ${options.maxEntries} entries`);
    seen += entries.length;
    for (const entry of entries) {
      const path = Buffer.concat([folder, SEPARATOR, toBytes(entry.name)]);
      const what = classifyEntry(entry, folder === top);
      if (what === 'enter') folders.push(path);
      if (what !== 'remove') continue;
      removed += 1;
      await removeEntry(path, entry, { folder, discarded: join(options.discardDir, String(removed)) });
    }
  }
  await removeTree(options.discardDir);
  return removed;
}

function classifyEntry(entry: Dirent, isTop: boolean): 'remove' | 'enter' | 'leave' {
  const { name } = entry;
  if (GIT_NAME.test(name)) return isTop && name === '.git' ? 'leave' : 'remove';
  if (entry.isDirectory()) return 'enter';
  return entry.isFile() || entry.isSymbolicLink() ? 'leave' : 'remove';
}

/**
 * The entries of `folder`, or null if there are more than `maxEntries`. Streams them, because an agent can create more
 * files than fit into memory. Names are latin1 strings, one character for each byte.
 */
async function readEntries(folder: Buffer, maxEntries: number): Promise<readonly Dirent[] | null> {
  return withPermission(folder, async () => {
    const entries: Dirent[] = [];
    for await (const entry of await opendir(folder, { encoding: 'latin1' })) {
      if (entries.length >= maxEntries) return null;
      entries.push(entry);
    }
    return entries;
  });
}

function toBytes(latin1: string): Buffer {
  return Buffer.from(latin1, 'latin1');
}

async function removeEntry(
  path: Buffer,
  entry: Dirent,
  place: { readonly folder: Buffer; readonly discarded: string },
): Promise<void> {
  if (!entry.isDirectory()) {
    await withPermission(place.folder, () => unlink(path));
    return;
  }
  await mkdir(dirname(place.discarded), { recursive: true, mode: 0o700 });
  // Move it to a plain name first: the programs behind `removeTree` take text, not bytes.
  await chmod(path, 0o700);
  await withPermission(place.folder, () => rename(path, place.discarded));
}

/** Retries with the permissions of `folder` restored. This works if Ratchet runs as the same user as the agent. */
async function withPermission<Result>(folder: Buffer, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!isDenied(error)) throw unusable('a folder of it cannot be read or changed', error);
    await chmod(folder, 0o755);
    return act();
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
}

function unusable(why: string, cause?: unknown): RepositoryError {
  return new RepositoryError('GIT_FAILED', `the workspace cannot be imported: ${why}`, { retry: 'never', cause });
}
