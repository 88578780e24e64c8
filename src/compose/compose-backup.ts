import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { backUpDatabase } from '../adapters/store/backup-database.ts';
import { acquireControlPlaneLock } from '../adapters/store/control-plane-lock.ts';
import { type Restored, restoreDatabase } from '../adapters/store/restore-database.ts';
import { ConfigError } from '../core/model/errors.ts';
import { prepareDataDir } from './prepare-data-dir.ts';

/** Name of the database in the data folder. */
export const DATABASE_NAME = 'ratchet.db';

/** What `backUp` and `restore` work on. */
export interface BackupInput {
  /** As set; may be relative to the current folder, like `file`. */
  readonly dataDir: string;
  readonly file: string;
}

/** Writes a backup of the database, also while a service uses it. @throws ConfigError, and errors of the disk. */
export async function backUp({
  dataDir,
  file,
  overwrite,
}: BackupInput & { readonly overwrite: boolean }): Promise<void> {
  await backUpDatabase({ path: join(resolve(dataDir), DATABASE_NAME), file: resolve(file), overwrite });
}

/**
 * Replaces the database with a backup. Makes the data folder if there is none.
 * @throws ConfigError if a service uses the folder, if it belongs to another user, or if the backup cannot be used.
 */
export async function restore({
  dataDir,
  file,
  migrationsDir,
  uid,
  now,
}: BackupInput & {
  readonly migrationsDir: string;
  /** User id of this process; null where there are none. */
  readonly uid: number | null;
  readonly now: Date;
}): Promise<Restored> {
  await refuseForeign(dataDir, uid);
  const folder = await prepareDataDir(dataDir);
  const lock = acquireControlPlaneLock(folder);
  try {
    const stamp = now.toISOString().replaceAll(/[:.]/gu, '-');
    return await restoreDatabase({ file: resolve(file), path: join(folder, DATABASE_NAME), migrationsDir, stamp });
  } finally {
    lock.release();
  }
}

/** Root may write everywhere, but the service could not read what root wrote. */
async function refuseForeign(dataDir: string, uid: number | null): Promise<void> {
  const found = await stat(dataDir).catch(() => null);
  if (found === null || uid === null || found.uid === uid) return;
  throw new ConfigError([
    `RATCHET_DATA_DIR: ${dataDir} belongs to the user ${String(found.uid)}: run the command as that user`,
  ]);
}
