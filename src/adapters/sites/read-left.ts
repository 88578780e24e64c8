import { constants, lstat, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Reads a file that untrusted code left. Null if it is missing, not a regular file, or larger than `maxBytes`. */
export async function readLeft(folder: string, path: string, maxBytes: number): Promise<Buffer | null> {
  try {
    return (await isReachable(folder, path)) ? await readRegular(join(folder, path), maxBytes) : null;
  } catch {
    return null;
  }
}

/** Whether untrusted code left anything at `path`. */
export async function hasLeft(folder: string, path: string): Promise<boolean> {
  try {
    if (!(await isReachable(folder, path))) return false;
    await lstat(join(folder, path));
    return true;
  } catch {
    return false;
  }
}

/** Removes what untrusted code left at `path`. */
export async function removeLeft(folder: string, path: string): Promise<void> {
  if (await hasLeft(folder, path)) await rm(join(folder, path), { recursive: true, force: true });
}

/** Whether all parents of `path` are real folders. They cannot change: what left them has ended. Throws if one is missing. */
async function isReachable(folder: string, path: string): Promise<boolean> {
  if (path === '.') return true;
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) return false;
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    if (!(await lstat(join(folder, parent))).isDirectory()) return false;
  }
  return true;
}

/**
 * Reads a regular file; null if it is another kind of file or larger than `maxBytes`. `O_NONBLOCK` avoids waiting for
 * the writer of a pipe. Follows a link only with `followsLinks`.
 */
export async function readRegular(file: string, maxBytes: number, followsLinks = false): Promise<Buffer | null> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followsLinks ? 0 : constants.O_NOFOLLOW);
  const handle = await open(file, flags);
  try {
    const found = await handle.stat();
    return found.isFile() && found.size <= maxBytes ? await handle.readFile() : null;
  } finally {
    await handle.close();
  }
}
