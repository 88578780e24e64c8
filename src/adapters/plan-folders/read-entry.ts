import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises';
import type { FolderEntry } from '../../core/model/folder-state.ts';
import { toBytes } from '../../system/raw-path.ts';

const PERMISSIONS = 0o777;
const CHUNK_BYTES = 256 * 1024;

/** What a path is; null: a socket, pipe or device, or nothing. Follows no link at the end of the path. */
export async function readEntry(root: string, path: string): Promise<FolderEntry | null> {
  const bytes = toBytes(root, path);
  try {
    const status = await lstat(bytes);
    if (status.isSymbolicLink())
      return { kind: 'link', target: (await readlink(bytes, { encoding: 'buffer' })).toString('latin1') };
    if (status.isDirectory()) return { kind: 'folder', mode: toMode(status) };
    return status.isFile() ? await readFileEntry(bytes) : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The same for a path of which nobody knows whether its folders are folders: what lies behind a link counts as nothing. */
export async function readEntryBelow(root: string, path: string): Promise<FolderEntry | null> {
  return (await hasRealFolders(root, path)) ? readEntry(root, path) : null;
}

/** Whether all folders above the path exist and are no links, so that what is done there stays below the root. */
export async function hasRealFolders(root: string, path: string): Promise<boolean> {
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
    const status = await lstat(toBytes(root, path.slice(0, end))).catch(() => null);
    if (status?.isDirectory() !== true) return false;
  }
  return true;
}

export function toMode({ mode }: Stats): number {
  return mode & PERMISSIONS;
}

/** ELOOP: what was a file is a link now. ENOTDIR: a folder above it is none. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(String(error.code));
}

async function readFileEntry(path: Buffer): Promise<FolderEntry | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const status = await file.stat();
    return status.isFile() ? { kind: 'file', mode: toMode(status), hash: await hashContent(file) } : null;
  } finally {
    await file.close();
  }
}

async function hashContent(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(chunk.subarray(0, bytesRead));
  }
}
