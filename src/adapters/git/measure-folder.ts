import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from './remove-folder.ts';

/** Total size of all files below `folder`, in bytes. Files that vanish meanwhile are skipped; a missing folder is 0. */
export async function measureFolder(folder: string): Promise<number> {
  const open = [folder];
  let bytes = 0;
  for (let current = open.pop(); current !== undefined; current = open.pop()) {
    try {
      for await (const entry of await opendir(current)) {
        const path = join(current, entry.name);
        if (entry.isDirectory()) open.push(path);
        if (entry.isFile()) bytes += (await lstat(path)).size;
      }
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return bytes;
}
