import { mkdir, readdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { removeTree } from '../../system/remove-tree.ts';

/**
 * Moves `folder` into `trash`, which frees its path at once, and removes it there. What cannot be removed stays in the
 * trash until `emptyTrash`. Returns whether the folder is gone; true if it was missing.
 */
export async function discardFolder(folder: string, trash: string, id: string): Promise<boolean> {
  await mkdir(trash, { recursive: true, mode: 0o700 });
  const grave = join(trash, `${basename(folder)}.${id}`);
  try {
    await rename(folder, grave);
  } catch (error) {
    if (isMissing(error)) return true;
    return removeTree(folder);
  }
  return removeTree(grave);
}

/** Retries removing everything in the trash. Returns the names that are left. */
export async function emptyTrash(trash: string): Promise<readonly string[]> {
  const left: string[] = [];
  for (const name of await readNames(trash)) {
    if (!(await removeTree(join(trash, name)))) left.push(name);
  }
  return left;
}

/** Names in a folder; empty if the folder is missing. */
export async function readNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw new Error(`cannot read the folder ${basename(dirname(folder))}/${basename(folder)}`, { cause: error });
  }
}

/** Whether the error is ENOENT. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
