import { constants, lstat, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/**
 * See `SessionFiles.readLeft`. Each folder on the way is looked at without following it: nobody can change one in between,
 * since what left them has ended.
 */
export async function readLeft(folder: string, path: string, maxBytes: number): Promise<string | null> {
  const bytes = await readLeftBytes(folder, path, maxBytes);
  return bytes === null ? null : toText(bytes);
}

/** See `SessionFiles.readOutput`. */
export async function readOutput(folder: string, path: string, maxBytes: number): Promise<string | null> {
  const bytes = await readLeftBytes(folder, path, maxBytes);
  return bytes === null ? null : stripVTControlCharacters(new TextDecoder('utf-8').decode(bytes));
}

async function readLeftBytes(folder: string, path: string, maxBytes: number): Promise<Buffer | null> {
  const steps = path.split('/');
  if (steps.some((step) => step === '' || step === '.' || step === '..')) return null;
  try {
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
      if (!(await lstat(join(folder, parent))).isDirectory()) return null;
    }
    return await readRegular(join(folder, path), maxBytes);
  } catch {
    return null;
  }
}

/** `O_NONBLOCK`: a pipe in its place must not make us wait for a writer. */
export async function readRegular(file: string, maxBytes: number): Promise<Buffer | null> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    return found.isFile() && found.size <= maxBytes ? await handle.readFile() : null;
  } finally {
    await handle.close();
  }
}

/** null: it is no UTF-8. */
export function toText(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
