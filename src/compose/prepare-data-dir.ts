import { chmod, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError } from '../core/model/errors.ts';

/**
 * Prepares the data folder and returns its real path. Sandbox users may traverse it to reach mounts; only the service may list it.
 * @throws ConfigError if it cannot be created or belongs to another user.
 */
export async function prepareDataDir(path: string): Promise<string> {
  try {
    await makeFolder(path);
    const dataDir = await realpath(path);
    for (const folder of [dataDir, join(dataDir, 'sessions'), join(dataDir, 'dependencies')]) {
      await makeFolder(folder);
      await chmod(folder, 0o711);
    }
    return dataDir;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError([
      `RATCHET_DATA_DIR: ${path} cannot be used (${why}): it must be a folder of the user that runs Ratchet`,
    ]);
  }
}

/** Creates a folder and its parents. Not with `recursive`, which never returns in places like /proc that allow no new folders. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o711 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o711 });
  }
}
