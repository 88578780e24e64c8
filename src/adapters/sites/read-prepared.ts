import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { readRegular } from './read-left.ts';

/**
 * See `PreparedDependencies.readFile`. Package managers create links inside a set. Code of a pull request may have
 * created them too, so a link that leaves the set is not followed. Links cannot change meanwhile, because the process
 * that created them has ended.
 */
export async function readPrepared(source: string, path: string, maxBytes: number): Promise<Buffer | null> {
  try {
    const file = await resolveWithin(source, path);
    return file === null ? null : await readRegular(file, maxBytes);
  } catch {
    return null;
  }
}

/** See `PreparedDependencies.has`. The path `.` means the source itself, which may be a file. */
export async function hasPrepared(source: string, path: string): Promise<boolean> {
  try {
    const folder = path === '.' ? source : await resolveWithin(source, dirname(path));
    if (folder === null) return false;
    await lstat(path === '.' ? folder : join(folder, basename(path)));
    return true;
  } catch {
    return false;
  }
}

/** Resolves links; null if the result is outside `source`. Throws if nothing exists there. */
async function resolveWithin(source: string, path: string): Promise<string | null> {
  if (path.split('/').includes('..')) return null;
  const root = await realpath(source);
  const found = await realpath(join(root, path));
  const inside = relative(root, found);
  return inside === '..' || inside.startsWith('../') ? null : found;
}
