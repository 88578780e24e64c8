import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The kind of what lies at a path below `folder`. `behind_link`: a parent is no folder, or the entry is a link or special. The host
 * must not mount or move such an entry: a link can lead anywhere.
 */
export async function findRealEntry(
  folder: string,
  path: string,
): Promise<'folder' | 'file' | 'nothing' | 'behind_link'> {
  const parts = path.split('/');
  for (const count of parts.keys()) {
    const entry = await lstat(join(folder, ...parts.slice(0, count + 1))).catch(() => null);
    if (entry === null) return 'nothing';
    const isLast = count === parts.length - 1;
    if (!entry.isDirectory()) return isLast ? toKind(entry) : 'behind_link';
  }
  return 'folder';
}

function toKind(entry: Stats): 'file' | 'behind_link' {
  return entry.isFile() ? 'file' : 'behind_link';
}
