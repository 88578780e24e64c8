import type { Dirent } from 'node:fs';
import { chmod, lchown, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Gives a tree to `owner` and takes every write permission off it, links left unfollowed. The tree must be nobody's to write
 * to at that time: its maker's processes have ended.
 */
export async function makeReadOnly(
  folder: string,
  owner: { readonly uid: number; readonly gid: number },
): Promise<void> {
  await lchown(folder, owner.uid, owner.gid);
  await chmod(folder, 0o750);
  // Piece by piece: what made it may have made more files than fit into our memory.
  for await (const entry of await opendir(folder)) await makeEntryReadOnly(join(folder, entry.name), entry, owner);
}

async function makeEntryReadOnly(
  path: string,
  entry: Dirent,
  owner: { readonly uid: number; readonly gid: number },
): Promise<void> {
  if (entry.isDirectory()) {
    await makeReadOnly(path, owner);
    return;
  }
  await lchown(path, owner.uid, owner.gid);
  if (entry.isFile()) await chmod(path, 0o550);
}
