import { type FileHandle, open } from 'node:fs/promises';
import { ConfigError } from '../../core/model/errors.ts';

/** Reads keys. A key exists here and in the request that needs it, and nowhere else. */
export interface KeyFiles {
  /** The key of a file, read again if the file changed. @throws ConfigError that names the file if it cannot be used. */
  readonly read: (path: string) => Promise<string>;
}

const MAX_KEY_BYTES = 16_384;

/** Read and write for the owner, and nothing else. */
const PRIVATE_MODES = 0o600;

/** `onKey` gets each key that is read, so that no text can leave with it. */
export function createKeyFiles(onKey: (key: string) => void): KeyFiles {
  const known = new Map<string, { readonly stamp: string; readonly key: string }>();

  async function readOpen(path: string, file: FileHandle): Promise<string> {
    const stat = await file.stat();
    if (!stat.isFile()) throw unusable(path, 'is not a file');
    if ((stat.mode & 0o777 & ~PRIVATE_MODES) !== 0) {
      throw unusable(path, 'must be readable by its owner alone: chmod 400');
    }
    if (stat.size > MAX_KEY_BYTES) throw unusable(path, 'is too long for a key');
    const stamp = [stat.dev, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ');
    const before = known.get(path);
    if (before?.stamp === stamp) return before.key;
    const key = (await file.readFile('utf8')).trim();
    if (key === '') throw unusable(path, 'is empty');
    if (!/^[\x21-\x7e]+$/.test(key)) throw unusable(path, 'has more than a key in it');
    known.set(path, { stamp, key });
    onKey(key);
    return key;
  }

  return {
    read: async (path) => {
      let file: FileHandle;
      try {
        file = await open(path, 'r');
      } catch (error) {
        known.delete(path);
        throw unusable(path, isMissing(error) ? 'does not exist' : 'cannot be read');
      }
      try {
        return await readOpen(path, file);
      } finally {
        await file.close();
      }
    },
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function unusable(path: string, why: string): ConfigError {
  return new ConfigError([`the key file ${path} ${why}`]);
}
