import { constants, lstat, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * See `SessionFiles.readLeft`. Each folder on the way is looked at without following it: nobody can change one in between,
 * since what left them has ended.
 */
export async function readLeft(folder: string, path: string, maxBytes: number): Promise<string | null> {
  const steps = path.split('/');
  if (steps.some((step) => step === '' || step === '.' || step === '..')) return null;
  try {
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
      if (!(await lstat(join(folder, parent))).isDirectory()) return null;
    }
    return await readRegular(join(folder, path), maxBytes);
  } catch {
    return null;
  }
}

/** `O_NONBLOCK`: a pipe in its place must not make us wait for a writer. */
async function readRegular(file: string, maxBytes: number): Promise<string | null> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.size > maxBytes) return null;
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await handle.readFile());
  } finally {
    await handle.close();
  }
}
