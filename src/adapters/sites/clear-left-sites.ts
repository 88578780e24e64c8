import { mkdir, readdir, rename, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewId } from '../../ports/clock.ts';
import { removeTree } from '../../system/remove-tree.ts';

/** With less, the service waits until the folders are removed: it needs space to start. */
const MIN_FREE_BYTES = 1024 ** 3;
/** Of the inodes. */
const MIN_FREE_SHARE = 0.02;

/**
 * Clears away the sites that an earlier process of the service left, before anything else is written: their commands died with
 * it, and what they wrote may have filled the disk. Their folders are moved to the trash, which housekeeping empties. On a disk
 * that is nearly full they are removed now. The caller must hold the lock of the data folder.
 */
export async function clearLeftSites({
  dataDir,
  newId,
  minFreeBytes = MIN_FREE_BYTES,
}: {
  readonly dataDir: string;
  readonly newId: NewId;
  readonly minFreeBytes?: number;
}): Promise<void> {
  const sessions = join(dataDir, 'sessions');
  const trash = join(dataDir, 'trash');
  const graves: string[] = [];
  for (const name of await readdir(sessions).catch(() => [])) {
    const grave = join(trash, `${name}.${newId()}`);
    try {
      await mkdir(trash, { recursive: true, mode: 0o700 });
      await rename(join(sessions, name, 'sites'), grave);
      graves.push(grave);
    } catch {
      // It has no sites, or is removed with its session.
    }
  }
  if (graves.length === 0 || !(await isNearlyFull(dataDir, minFreeBytes))) return;
  for (const name of await readdir(trash)) await removeTree(join(trash, name));
}

async function isNearlyFull(folder: string, minFreeBytes: number): Promise<boolean> {
  const { bavail, bsize, ffree, files } = await statfs(folder);
  return bavail * bsize < minFreeBytes || ffree < files * MIN_FREE_SHARE;
}
