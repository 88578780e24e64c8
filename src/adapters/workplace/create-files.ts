import { constants, lstatSync, type Stats } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readlink, rm, rmdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isTemporaryName } from '../../core/execution/plan-path.ts';
import { WorkplaceError } from '../../core/model/errors.ts';
import type { FileMode, FileRecord, PreImage } from '../../ports/workplace.ts';
import { atOnce, type Blobs } from './create-blobs.ts';
import type { Mine } from './give-entry.ts';
import { closeFolders, MODE_BITS, type OpenedFolder, openFolder } from './open-folder.ts';
import { isMissing, refuse, resolvePath } from './resolve-path.ts';

interface Ground {
  readonly root: string;
  readonly blobs: Blobs;
  readonly mine: Mine;
}

/** The single files of a workplace. See `Workplace`; nothing may change the folder while one of these runs. */
export interface Files {
  readonly read: (path: string, maxBytes: number) => Promise<Uint8Array | null>;
  readonly has: (path: string) => Promise<boolean>;
  /** Returns what waits until the content is on the disk. Others may go on meanwhile. */
  readonly write: (path: string, content: Uint8Array, mode: FileMode | null) => Promise<() => Promise<void>>;
  readonly remove: (path: string) => Promise<boolean>;
  readonly record: (path: string, of: 'entry' | 'target') => Promise<FileRecord>;
  readonly restore: (record: FileRecord) => Promise<void>;
}

const NEW_FILE_MODE = 0o644;
const NEW_FOLDER_MODE = 0o755;

export function createFiles(ground: Ground): Files {
  const { root } = ground;
  return {
    read: async (path, maxBytes) => readRegular(path, join(root, resolvePath(root, path, 'target')), maxBytes),
    has: async (path) => look(join(root, resolvePath(root, path, 'entry'))) !== null,
    write: (path, content, mode) => write(ground, path, { content, mode }),
    remove: async (path) => {
      const real = join(root, resolvePath(root, path, 'entry'));
      const stats = look(real);
      if (stats === null) return false;
      if (!stats.isFile() && !stats.isSymbolicLink()) throw notAFile(path);
      await rm(real);
      return true;
    },
    record: async (path, of) => {
      const real = resolvePath(root, path, of);
      return { path: real, was: await toPreImage(ground, real), newFolders: findNewFolders(root, real) };
    },
    restore: async (record) => {
      const opened = await openFoldersAbove(root, record.path);
      try {
        await restore(ground, record);
      } finally {
        await closeThere(opened);
      }
    },
  };
}

async function write(
  ground: Ground,
  path: string,
  { content, mode }: { readonly content: Uint8Array; readonly mode: FileMode | null },
): Promise<() => Promise<void>> {
  const { root, mine } = ground;
  const real = resolvePath(root, path, 'target');
  const before = look(join(root, real));
  if (before !== null && !before.isFile()) throw notAFile(path);
  await makeFolders(ground, real);
  const bits = toBits(mode) ?? (before === null ? NEW_FILE_MODE : before.mode & MODE_BITS);
  const opened: FileHandle[] = [];
  const closeAll = (): Promise<unknown> => Promise.all(opened.map((file) => file.close()));
  try {
    await atOnce(Buffer.from(join(root, real)), async (temporary) => {
      const file = await open(temporary, 'wx', 0o600);
      opened.push(file);
      await file.writeFile(content);
      await file.chmod(bits);
      await mine.give(temporary);
    });
  } catch (error) {
    await closeAll();
    throw error;
  }
  return async () => {
    try {
      for (const file of opened) await file.sync();
    } finally {
      await closeAll();
    }
  };
}

async function restore(ground: Ground, { path, was, newFolders }: FileRecord): Promise<void> {
  const { root, blobs, mine } = ground;
  // What a record names has no links. One that is there now was put there by somebody else.
  const real = resolvePath(root, path, 'entry');
  if (real !== path) throw refuse(path, 'a folder above it became a link');
  const there = look(join(root, path));
  if (there?.isDirectory() === true) throw new WorkplaceError('WRONG_KIND', `${show(path)} is a folder now`);
  const bytes = Buffer.from(join(root, path));
  await removeLeftovers(join(root, dirname(path)));
  if (was === null) {
    await rm(bytes, { force: true });
    for (const folder of newFolders.toReversed()) await removeIfEmpty(join(root, folder));
    return;
  }
  await makeFolders(ground, path);
  if (was.kind === 'file') return blobs.place(was.blob, bytes, was.mode);
  await atOnce(bytes, async (temporary) => {
    await symlink(Buffer.from(was.target, 'base64'), temporary);
    await mine.give(temporary);
  });
}

/** Opens the folders above the path, for a command may have closed them to their owner. Stops before what is no folder. */
async function openFoldersAbove(root: string, path: string): Promise<readonly OpenedFolder[]> {
  const opened: OpenedFolder[] = [];
  for (const folder of [
    '',
    ...path
      .split('/')
      .slice(0, -1)
      .map((_part, index, parts) => parts.slice(0, index + 1).join('/')),
  ]) {
    const host = Buffer.from(join(root, folder));
    if (look(host)?.isDirectory() !== true) break;
    const one = await openFolder(host);
    if (one !== null) opened.push(one);
  }
  return opened;
}

/** The undo may have removed some of them. */
async function closeThere(opened: readonly OpenedFolder[]): Promise<void> {
  const there: OpenedFolder[] = [];
  for (const one of opened) if (look(one.folder) !== null) there.push(one);
  await closeFolders(there);
}

/** What a process that was killed while it wrote a file left beside it. */
async function removeLeftovers(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(orNull);
  for (const entry of entries ?? []) {
    if (isTemporaryName(entry.name) && !entry.isDirectory()) await rm(join(folder, entry.name));
  }
}

/** The folders above the path that do not exist, the topmost first. */
function findNewFolders(root: string, path: string): readonly string[] {
  const missing: string[] = [];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const stats = look(join(root, folder));
    if (stats === null) missing.unshift(folder);
    else if (!stats.isDirectory()) throw new WorkplaceError('WRONG_KIND', `${show(folder)} is no folder`);
  }
  return missing;
}

async function makeFolders({ root, mine }: Ground, path: string): Promise<void> {
  for (const folder of findNewFolders(root, path)) {
    await mkdir(join(root, folder), { mode: NEW_FOLDER_MODE });
    await mine.give(Buffer.from(join(root, folder)));
  }
}

async function toPreImage({ root, blobs }: Ground, path: string): Promise<PreImage | null> {
  const host = join(root, path);
  const stats = look(host);
  if (stats === null) return null;
  if (stats.isSymbolicLink()) {
    return { kind: 'link', target: (await readlink(host, { encoding: 'buffer' })).toString('base64') };
  }
  if (!stats.isFile()) throw notAFile(path);
  return { kind: 'file', mode: stats.mode & MODE_BITS, blob: await blobs.keep(Buffer.from(host)) };
}

async function readRegular(path: string, host: string, maxBytes: number): Promise<Uint8Array | null> {
  const stats = look(host);
  if (stats === null) return null;
  if (!stats.isFile()) throw notAFile(path);
  if (stats.size > maxBytes) throw new WorkplaceError('TOO_LARGE', `${show(path)} is longer than ${maxBytes} bytes`);
  const file = await open(host, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const isLeft = error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'ENOENT');
    if (!isLeft) throw error;
  }
}

/** null: there is nothing, also where a folder above it is none. */
function look(path: string | Buffer): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    return orNull(error);
  }
}

function toBits(mode: FileMode | null): number | null {
  return mode === null ? null : Number.parseInt(mode.slice(-3), 8);
}

function orNull(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

function notAFile(path: string): WorkplaceError {
  return new WorkplaceError('WRONG_KIND', `${show(path)} is no regular file`);
}

function show(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}
