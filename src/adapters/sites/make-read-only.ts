import type { Dirent } from 'node:fs';
import { chmod, lchown, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Changes the owner of a tree and removes all write permissions, without following links. Nobody may still write to the
 * tree: its creator's processes must have ended.
 */
export async function makeReadOnly(
  folder: string,
  owner: { readonly uid: number; readonly gid: number },
): Promise<void> {
  await lchown(folder, owner.uid, owner.gid);
  await chmod(folder, 0o750);
  // Streams the entries: there may be more than fit into memory.
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
