import { constants } from 'node:fs';
import { cp, lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Git, toPaths } from './local-git.ts';

/** Folders that are linked into the base, or that tools fill with caches. */
const LEFT_ALONE: ReadonlySet<string> = new Set([
  ...['node_modules', '.venv', 'venv', 'target', '__pycache__', '.git'],
  ...[
    '.cache',
    '.mypy_cache',
    '.ruff_cache',
    '.pytest_cache',
    '.tox',
    '.nox',
    '.gradle',
    '.turbo',
    '.next',
    '.parcel-cache',
  ],
]);
const MAX_FILES = 20_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** What was copied, and what is too large for that. Folders end with a slash. */
export interface CopiedIgnored {
  readonly copied: readonly string[];
  readonly left: readonly string[];
}

/**
 * Copies the files that git ignores, such as generated code, from the checkout to the folder, but for dependencies and caches. What
 * the folder has already stays. Copies, because tools take a link for the file that it leads to.
 */
export async function copyIgnored(
  { root, openGit }: { readonly root: string; readonly openGit: (folder: string) => Git },
  { folder }: { readonly folder: string },
  signal: AbortSignal,
): Promise<CopiedIgnored> {
  const listed = await openGit(root)(
    ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'],
    signal,
  );
  const all = toPaths(listed).filter((path) => !path.split('/').some((segment) => LEFT_ALONE.has(segment)));
  // git also lists a folder of which each file is listed by itself.
  const entries = all.filter(
    (path) => !all.some((other) => other !== path && path.endsWith('/') && other.startsWith(path)),
  );
  const room = { files: MAX_FILES, bytes: MAX_BYTES };
  const copied: string[] = [];
  const left: string[] = [];
  for (const entry of entries.toSorted()) {
    signal.throwIfAborted();
    const need = await measure(join(root, entry), room);
    if (need === null) {
      left.push(entry.replace(/\/$/u, ''));
      continue;
    }
    room.files -= need.files;
    room.bytes -= need.bytes;
    const filter = (path: string): boolean => !LEFT_ALONE.has(basename(path));
    const options = { recursive: true, force: false, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE, filter };
    await cp(join(root, entry), join(folder, entry), options);
    copied.push(entry);
  }
  return { copied, left };
}

interface Room {
  readonly files: number;
  readonly bytes: number;
}

/** null: it does not fit. */
async function measure(path: string, room: Room): Promise<Room | null> {
  const found = await lstat(path).catch(() => null);
  if (found === null || LEFT_ALONE.has(basename(path))) return { files: 0, bytes: 0 };
  if (!found.isDirectory()) return found.size > room.bytes || room.files < 1 ? null : { files: 1, bytes: found.size };
  let files = 0;
  let bytes = 0;
  for (const name of await readdir(path)) {
    const need = await measure(join(path, name), { files: room.files - files, bytes: room.bytes - bytes });
    if (need === null) return null;
    files += need.files;
    bytes += need.bytes;
  }
  return { files, bytes };
}
