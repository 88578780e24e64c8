import { constants, type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { RepositoryError } from '../../core/model/errors.ts';
import type { LineFile } from '../../ports/session-files.ts';

const MAX_BYTES = 64 * 1024 * 1024;
/** A line is shorter than this. */
const TAIL_BYTES = 1024 * 1024;
const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Opens a file of lines below `folder`, for this user alone. What a crash left of a line is cut off. */
export async function openLines(folder: string, name: string): Promise<LineFile> {
  const path = join(folder, name);
  await makeFolder(folder);
  return withFile(path, async (file, size) => {
    const length = Math.min(size, TAIL_BYTES);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const end = buffer.lastIndexOf(0x0a) + 1;
    await file.truncate(size - length + end);
    const begin = end === 0 ? 0 : buffer.lastIndexOf(0x0a, end - 2) + 1;
    return {
      last: end === 0 ? null : buffer.toString('utf8', begin, end - 1),
      append: (lines) => append(path, lines),
    };
  });
}

/** Makes a folder for this user alone. @throws RepositoryError if a link leads elsewhere from its place. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await lstat(folder)).isDirectory()) return;
  throw new RepositoryError('DISK_FAILED', `${folder} is no folder of ours`, { retry: 'never' });
}

function append(path: string, lines: readonly string[]): Promise<boolean> {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return withFile(path, async (file, size) => {
    if (size + bytes.length > MAX_BYTES) return false;
    await file.write(bytes, 0, bytes.length, size);
    return true;
  });
}

async function withFile<Result>(
  path: string,
  work: (file: FileHandle, size: number) => Promise<Result>,
): Promise<Result> {
  // A pipe would wait for its other end.
  const file = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new RepositoryError('DISK_FAILED', `${path} is no regular file`, { retry: 'never' });
    return await work(file, status.size);
  } finally {
    await file.close();
  }
}
