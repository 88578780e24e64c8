import { chmodSync, closeSync, openSync } from 'node:fs';

const OWNER_ONLY = 0o600;

/**
 * Makes sure that there is a file at `path` which only its owner may read and write. Never opens a file that exists: closing it would
 * free the locks that this process has on it.
 */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error;
    chmodSync(path, OWNER_ONLY);
  }
}
