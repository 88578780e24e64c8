import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { chmod, copyFile, lstat, open, readlink, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WorkplaceError } from '../../core/model/errors.ts';
import type { FileMode, PreImage, Workplace } from '../../ports/workplace.ts';
import { makeSafePath, toSafePath } from './safe-path.ts';

interface PlaceFilesOptions {
  readonly root: string;
  readonly blobs: string;
  /** Gives what was made to the user of the commands. */
  readonly own: (path: string) => Promise<void>;
}

const PERMISSIONS = 0o777;
const EXECUTABLE_BITS = 0o111;
const NEW_COPY = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

/** The files of a workplace, while no command runs in it. */
export function createPlaceFiles({
  root,
  blobs,
  own,
}: PlaceFilesOptions): Pick<Workplace, 'readFile' | 'writeFile' | 'removeFile' | 'record' | 'restore'> {
  async function put(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
    const target = await makeSafePath(root, path, own);
    const temporary = join(dirname(target), `.ratchet-${randomBytes(10).toString('hex')}.tmp`);
    await write(temporary);
    await own(temporary);
    await rename(temporary, target);
  }

  async function find(path: string): Promise<{ readonly at: string; readonly status: Stats } | null> {
    const at = await toSafePath(root, path);
    const status = at === null ? null : await lstat(at).catch(() => null);
    return at === null || status === null ? null : { at, status };
  }

  return {
    readFile: async (path, maxBytes) => readSafely(await toSafePath(root, path), maxBytes),
    writeFile: async (path, content, mode) => {
      const found = await find(path);
      if (found?.status.isDirectory() === true) throw new WorkplaceError(`${path} is a folder`);
      const bits = toBits(mode, found?.status ?? null);
      await put(path, async (temporary) => {
        await writeFile(temporary, content, { flag: 'wx' });
        await chmod(temporary, bits);
      });
    },
    removeFile: async (path) => {
      const found = await find(path);
      if (found === null) throw new WorkplaceError(`${path} does not exist`);
      await unlink(found.at);
    },
    record: async (path) => {
      const found = await find(path);
      return { path, was: found === null ? null : await keep(found, { path, blobs }) };
    },
    restore: async ({ path, was }) => {
      if (was === null) {
        const found = await find(path);
        if (found !== null) await rm(found.at, { force: true });
        return;
      }
      await put(path, async (temporary) => {
        if (was.kind === 'link') {
          await symlink(was.target, temporary);
          return;
        }
        const blob = join(blobs, was.blob);
        await copyFile(blob, temporary, NEW_COPY);
        await chmod(temporary, (await lstat(blob)).mode & PERMISSIONS);
      });
    },
  };
}

/** What is at a path, with a copy of its content in `blobs`. */
async function keep(
  { at, status }: { readonly at: string; readonly status: Stats },
  { path, blobs }: { readonly path: string; readonly blobs: string },
): Promise<PreImage> {
  if (status.isSymbolicLink()) return { kind: 'link', target: await readlink(at) };
  if (!status.isFile()) throw new WorkplaceError(`${path} is no regular file`);
  const blob = randomBytes(15).toString('hex');
  await copyFile(at, join(blobs, blob), NEW_COPY);
  // The type knows only whether it is executable. All of the mode is kept here.
  await chmod(join(blobs, blob), status.mode & PERMISSIONS);
  return { kind: 'file', mode: (status.mode & EXECUTABLE_BITS) === 0 ? '100644' : '100755', blob };
}

function toBits(mode: FileMode | null, old: Stats | null): number {
  if (mode !== null) return mode === '100755' ? 0o755 : 0o644;
  return old?.isFile() === true ? old.mode & PERMISSIONS : 0o644;
}

async function readSafely(path: string | null, maxBytes: number): Promise<Uint8Array | null> {
  if (path === null) return null;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return null;
  try {
    const status = await file.stat();
    return status.isFile() && status.size <= maxBytes ? await file.readFile() : null;
  } finally {
    await file.close();
  }
}
