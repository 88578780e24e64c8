import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { toTemporaryName } from '../../core/execution/plan-path.ts';
import type { Mine } from './give-entry.ts';

/** Contents of files by their SHA-256, in a folder that no command sees. */
export interface Blobs {
  readonly keep: (path: Buffer) => Promise<string>;
  /** Puts the content at the path at once. `mode` is the whole of the permission bits. */
  readonly place: (blob: string, path: Buffer, mode: number) => Promise<void>;
}

const BLOB_MODE = 0o600;
const MODE_BITS = 0o7777;
const READ_BIT = 0o400;

export function createBlobs(folder: string, mine: Mine): Blobs {
  const toPath = (blob: string): string => join(folder, blob.slice(0, 2), blob);
  return {
    keep: (path) =>
      whileReadable(path, async () => {
        const blob = await hash(path);
        const kept = toPath(blob);
        if ((await lstat(kept).catch(() => null)) === null) await copy(path, kept);
        return blob;
      }),
    place: (blob, path, mode) =>
      atOnce(path, async (temporary) => {
        await copyFile(toPath(blob), temporary, constants.COPYFILE_EXCL);
        await mine.give(temporary);
        await chmod(temporary, mode);
      }),
  };
}

async function copy(path: Buffer, kept: string): Promise<void> {
  await mkdir(dirname(kept), { recursive: true, mode: 0o700 });
  await atOnce(Buffer.from(kept), async (temporary) => {
    await copyFile(path, temporary, constants.COPYFILE_EXCL);
    await chmod(temporary, BLOB_MODE);
  });
}

/** Lets `write` make a file beside `path`, and moves it there. */
export async function atOnce(path: Buffer, write: (temporary: Buffer) => Promise<void>): Promise<void> {
  const slash = path.lastIndexOf(0x2f) + 1;
  const name = toTemporaryName(randomBytes(9).toString('hex'));
  const temporary = Buffer.concat([path.subarray(0, slash), Buffer.from(name)]);
  try {
    await write(temporary);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function hash(path: Buffer): Promise<string> {
  const sum = createHash('sha256');
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  await pipeline(file.createReadStream(), sum);
  return sum.digest('hex');
}

/** A command may have made a file unreadable for its own user: it is readable while `read` runs. */
async function whileReadable<Value>(path: Buffer, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error;
    const mode = (await lstat(path)).mode & MODE_BITS;
    await chmod(path, mode | READ_BIT);
    try {
      return await read();
    } finally {
      await chmod(path, mode);
    }
  }
}
