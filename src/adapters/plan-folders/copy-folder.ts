import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readlink, symlink, utimes } from 'node:fs/promises';
import { isTemporaryName } from '../../core/execution/plan-path.ts';
import { isGitFolder } from '../../core/judge/unsafe-entries.ts';
import { ConfigError, RepositoryError, toError } from '../../core/model/errors.ts';
import type { FolderEntry } from '../../core/model/folder-state.ts';
import type { CopiedFolder } from '../../ports/plan-folders.ts';
import { toBytes, toShown } from '../../system/raw-path.ts';
import { removeTree } from '../../system/remove-tree.ts';
import { type WalkedEntry, type WalkProblem, walkFolder } from '../../system/walk-folder.ts';
import { readEntry, toMode } from './read-entry.ts';

/** Half of what the sandbox lets a command have, so that the steps of a plan have room. */
const MAX_ENTRIES = 250_000;
const MAX_BYTES = 4 * 1024 ** 3;
/** A folder of the copy stays writable until all of it is there. */
const WHILE_COPYING = 0o700;

/**
 * See `PlanFolders.copy`. Contents are shared with the original where the file system can (reflink), and never by hard links: what a
 * command writes must not reach the original. Times of files are kept, because build tools compare them.
 */
export async function copyFolder(folder: string, copy: string, signal: AbortSignal): Promise<CopiedFolder> {
  if (!(await removeTree(copy)))
    throw new RepositoryError('DISK_FAILED', `${copy} cannot be removed`, { retry: 'now' });
  await mkdir(copy, { recursive: true, mode: WHILE_COPYING });
  const state = new Map<string, FolderEntry>();
  const left: string[] = [];
  const room = { bytes: MAX_BYTES };
  for await (const walked of walk(folder, signal)) {
    const entry = await copyEntry({ folder, copy, room }, walked);
    if (entry === null) left.push(toShown(walked.path));
    else state.set(walked.path, entry);
  }
  for (const [path, entry] of [...state].toReversed()) {
    if (entry.kind === 'folder') await chmod(toBytes(copy, path), entry.mode);
  }
  return { state, left };
}

interface Copying {
  readonly folder: string;
  readonly copy: string;
  readonly room: { bytes: number };
}

async function copyEntry(copying: Copying, { path, stats }: WalkedEntry): Promise<FolderEntry | null> {
  const { folder, copy } = copying;
  const [from, to] = [toBytes(folder, path), toBytes(copy, path)];
  try {
    if (stats.isSymbolicLink()) {
      const target = await readlink(from, { encoding: 'buffer' });
      await symlink(target, to);
      return { kind: 'link', target: target.toString('latin1') };
    }
    if (stats.isDirectory()) {
      await mkdir(to, { mode: WHILE_COPYING });
      return { kind: 'folder', mode: toMode(await lstat(from)) };
    }
    return stats.isFile() ? await copyContent(copying, path) : null;
  } catch (error) {
    if (error instanceof ConfigError || isOfDisk(error)) throw error;
    throw new ConfigError([`${toShown(path)} cannot be copied: ${toError(error).message}`]);
  }
}

async function copyContent({ folder, copy, room }: Copying, path: string): Promise<FolderEntry | null> {
  const [from, to] = [toBytes(folder, path), toBytes(copy, path)];
  const status = await lstat(from);
  room.bytes -= status.size;
  if (room.bytes < 0) throw new ConfigError([`${folder} has more than ${MAX_BYTES / 1024 ** 3} GiB`]);
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, toMode(status) | 0o400);
  // Of the copy, which nobody else changes.
  const entry = await readEntry(copy, path);
  await utimes(to, status.atime, status.mtime);
  await chmod(to, toMode(status));
  return entry?.kind === 'file' ? { ...entry, mode: toMode(status) } : null;
}

function isOfDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS'].includes(String(error.code));
}

/** Without `.git`, and what a killed process left over. */
function walk(root: string, signal: AbortSignal): AsyncGenerator<WalkedEntry> {
  const isHidden = (_path: string, name: string): boolean => isGitFolder(toShown(name)) || isTemporaryName(name);
  const toProblem = (problem: WalkProblem, cause: unknown): Error =>
    new ConfigError([
      problem === 'too_many'
        ? `${root} has more than ${MAX_ENTRIES} files and folders`
        : `${root}: a folder cannot be read: ${toError(cause).message}`,
    ]);
  return walkFolder(root, { maxEntries: MAX_ENTRIES, isHidden, toError: toProblem }, signal);
}

/** See `PlanFolders.read`. */
export async function readFolder(folder: string, signal: AbortSignal): Promise<CopiedFolder> {
  const state = new Map<string, FolderEntry>();
  const left: string[] = [];
  for await (const { path } of walk(folder, signal)) {
    const entry = await readEntry(folder, path);
    if (entry === null) left.push(toShown(path));
    else state.set(path, entry);
  }
  return { state, left };
}
