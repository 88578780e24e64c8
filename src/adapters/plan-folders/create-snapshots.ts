import { randomBytes } from 'node:crypto';
import { chmod, constants, copyFile, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFolderChanges } from '../../core/execution/folder-changes.ts';
import { WorkplaceError } from '../../core/model/errors.ts';
import type { FolderEntry } from '../../core/model/folder-state.ts';
import { parseStoredPart, toStoredPart } from '../../schemas/stored-plan-files.ts';
import { readFolder } from './copy-folder.ts';
import { toBytes } from './raw-path.ts';
import { writeBack } from './write-back.ts';

/** Records whole folders, and brings them back. */
export interface Snapshots {
  readonly take: (signal: AbortSignal) => Promise<string>;
  readonly restore: (id: string, signal: AbortSignal) => Promise<void>;
}

/** Records of `root`. Each content is kept once below `blobs`, by its hash, so many records of a large folder cost little more than one. */
export function createSnapshots(root: string, blobs: string): Snapshots {
  return {
    take: async (signal) => {
      const { state } = await readFolder(root, signal);
      for (const [path, entry] of state) {
        signal.throwIfAborted();
        await keepContent(path, entry);
      }
      const id = randomBytes(15).toString('hex');
      await writeFile(join(blobs, `${id}.json`), JSON.stringify(toStoredPart(state)), { mode: 0o600, flag: 'wx' });
      return id;
    },
    restore: async (id, signal) => {
      if (!/^[\da-f]{30}$/u.test(id)) throw new WorkplaceError('this is not the id of a record');
      const wanted = parseStoredPart('before', JSON.parse(await readFile(join(blobs, `${id}.json`), 'utf8')));
      const { state } = await readFolder(root, signal);
      const changes = findFolderChanges(state, wanted);
      const { conflicts } = await writeBack(changes, { folder: root, copy: { blobs }, mode: 'rest' });
      if (conflicts.length > 0) throw new WorkplaceError(`${String(conflicts[0])} could not be brought back`);
    },
  };

  async function keepContent(path: string, entry: FolderEntry): Promise<void> {
    if (entry.kind !== 'file') return;
    const kept = join(blobs, entry.hash);
    if ((await stat(kept).catch(() => null)) !== null) return;
    const temporary = `${kept}.tmp`;
    await copyFile(toBytes(root, path), temporary, constants.COPYFILE_FICLONE);
    await chmod(temporary, 0o600);
    await rename(temporary, kept);
  }
}
