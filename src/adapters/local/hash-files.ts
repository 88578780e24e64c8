import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const HASHED_AT_ONCE = 32;

/** SHA-256 of the regular files among the paths below `root`, by path. Links, and what is gone, are left out. */
export async function hashFiles(root: string, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  for (let at = 0; at < paths.length; at += HASHED_AT_ONCE) {
    const chunk = paths.slice(at, at + HASHED_AT_ONCE);
    const found = await Promise.all(chunk.map((path) => hashFile(join(root, path))));
    for (const [index, path] of chunk.entries()) {
      const hash = found[index];
      if (typeof hash === 'string') hashes.set(path, hash);
    }
  }
  return hashes;
}

async function hashFile(path: string): Promise<string | null> {
  const found = await lstat(path).catch(() => null);
  if (found?.isFile() !== true) return null;
  const content = await readFile(path).catch(() => null);
  return content === null ? null : createHash('sha256').update(content).digest('hex');
}
