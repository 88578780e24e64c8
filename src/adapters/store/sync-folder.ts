import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the entry of `path` in its folder survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
