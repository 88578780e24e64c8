import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  lchown,
  lstat,
  mkdir,
  realpath,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
  utimes,
} from 'node:fs/promises';
import { geteuid } from 'node:process';
import { judgeFolderChange } from '../../core/execution/folder-changes.ts';
import { toTemporaryName } from '../../core/execution/plan-path.ts';
import { sha256 } from '../../core/hash/sha256.ts';
import type { FolderChange, FolderEntry } from '../../core/model/folder-state.ts';
import type { PlanFolders, WriteBack } from '../../ports/plan-folders.ts';
import { toBytes, toShown } from '../../system/raw-path.ts';
import { hasRealFolders, readEntryBelow } from './read-entry.ts';

const AT_ONCE = 16;

/** See `PlanFolders.writeBack`. */
export const writeBack: PlanFolders['writeBack'] = async (changes, { folder, copy, mode }) => {
  const isMoved = (await realpath(folder).catch(() => null)) !== folder;
  const conflicts = isMoved ? changes : await findConflicts(changes, folder);
  if (isMoved || (conflicts.length > 0 && mode === 'all-or-nothing')) return toResult([], conflicts);
  const written: FolderChange[] = [];
  const refused: FolderChange[] = [];
  for (const group of toGroups(changes)) {
    const isDone = await Promise.all(group.map((change) => carryOut(change, { folder, copy })));
    for (const [index, change] of group.entries()) (isDone[index] === true ? written : refused).push(change);
  }
  // Last, for a folder may become one that nobody writes to.
  for (const { path, after } of written.toReversed()) {
    if (after?.kind === 'folder') await chmod(toBytes(folder, path), after.mode);
  }
  return toResult(written, refused);
};

function toResult(written: readonly FolderChange[], conflicts: readonly FolderChange[]): WriteBack {
  const show = (all: readonly FolderChange[]): readonly string[] => all.map(({ path }) => toShown(path)).toSorted();
  return { written: show(written), conflicts: show(conflicts) };
}

async function findConflicts(changes: readonly FolderChange[], folder: string): Promise<readonly FolderChange[]> {
  const found: FolderChange[] = [];
  for (let start = 0; start < changes.length; start += AT_ONCE) {
    const group = changes.slice(start, start + AT_ONCE);
    const now = await Promise.all(group.map(({ path }) => readEntryBelow(folder, path)));
    found.push(...group.filter((change, index) => judgeFolderChange(change, now[index] ?? null) === 'conflict'));
  }
  return found;
}

/** Changes that may be carried out at once, in their order: files that are written. Everything else may be what the next one needs. */
function toGroups(changes: readonly FolderChange[]): readonly (readonly FolderChange[])[] {
  const groups: FolderChange[][] = [];
  let isOpen = false;
  for (const change of changes) {
    const isFile = change.after?.kind === 'file' && change.before?.kind !== 'folder';
    const last = groups.at(-1);
    if (isFile && isOpen && last !== undefined && last.length < AT_ONCE) last.push(change);
    else groups.push([change]);
    isOpen = isFile;
  }
  return groups;
}

interface Places {
  readonly folder: string;
  readonly copy: string;
}

/** False: somebody else's work is in the way. */
async function carryOut(change: FolderChange, { folder, copy }: Places): Promise<boolean> {
  const { path, after } = change;
  // Looked at right before, since the look at all of them takes time.
  const verdict = judgeFolderChange(change, await readEntryBelow(folder, path));
  if (verdict !== 'write') return verdict === 'done';
  if (after === null) return remove(change, toBytes(folder, path));
  if (!(await hasRealFolders(folder, path))) return false;
  const to = toBytes(folder, path);
  try {
    if (after.kind === 'folder') await putFolder(change, to);
    else {
      if (change.before?.kind === 'folder') await rmdir(to);
      await putFile({ copy, folder }, path, after);
    }
    return true;
  } catch (error) {
    if (isInTheWay(error)) return false;
    throw error;
  }
}

async function remove({ before }: FolderChange, at: Buffer): Promise<boolean> {
  if (before?.kind !== 'folder') {
    await unlink(at);
    return true;
  }
  try {
    await rmdir(at);
  } catch (error) {
    // Somebody put files into it meanwhile. They keep their folder.
    if (!isInTheWay(error)) throw error;
  }
  return true;
}

async function putFolder({ before }: FolderChange, at: Buffer): Promise<void> {
  if (before?.kind === 'folder') return;
  if (before !== null) await unlink(at);
  await mkdir(at);
  await keepOwner(at, at);
}

/**
 * Written beside its place and renamed, so nobody sees half of it. The name is the same in every try of a run: a crash leaves one at most,
 * and two runs never take each other's file.
 */
async function putFile(
  { copy, folder }: Places,
  path: string,
  after: Exclude<FolderEntry, { readonly kind: 'folder' }>,
): Promise<void> {
  const parent = path.slice(0, path.lastIndexOf('/') + 1);
  const temporary = toBytes(folder, `${parent}${toTemporaryName(sha256(`${copy}\0${path}`).slice(0, 20))}`);
  await rm(temporary, { force: true });
  if (after.kind === 'link') await symlink(Buffer.from(after.target, 'latin1'), temporary);
  else {
    const from = toBytes(copy, path);
    const { atime, mtime } = await lstat(from);
    await copyFile(from, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await utimes(temporary, atime, mtime);
    await chmod(temporary, after.mode);
  }
  await keepOwner(temporary, toBytes(folder, path));
  await rename(temporary, toBytes(folder, path));
}

/** For root: gives what is new to the owner of what it replaces, else of the folder that it lies in. */
async function keepOwner(made: Buffer, place: Buffer): Promise<void> {
  if (geteuid?.() !== 0) return;
  const parent = place.subarray(0, place.lastIndexOf('/'));
  const replaced = made.equals(place) ? null : await lstat(place).catch(() => null);
  const { uid, gid } = replaced ?? (await lstat(parent));
  await lchown(made, uid, gid);
}

function isInTheWay(error: unknown): boolean {
  const codes = ['EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'EISDIR', 'ENOENT'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
