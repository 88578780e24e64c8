import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, link, realpath, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import SqliteDatabase from 'better-sqlite3';
import { ConfigError } from '../../core/model/errors.ts';
import { toFileFault } from '../../core/text/file-fault.ts';
import { findDamage } from './find-damage.ts';
import { isKnownSchema, readAppliedMigrations, readKnownMigrations } from './open-database.ts';
import { syncFolder } from './sync-folder.ts';

/** What a restore did. */
export interface Restored {
  /** Where the database that was replaced is now; null: there was none. */
  readonly asidePath: string | null;
  /** Whether the next start migrates the restored database. */
  readonly needsMigration: boolean;
}

/** Options of `restoreDatabase`. Paths are absolute. */
export interface RestoreOptions {
  /** The backup. It is only read. */
  readonly file: string;
  /** The database to replace, in an existing folder. */
  readonly path: string;
  readonly migrationsDir: string;
  /** Part of the new name of the replaced database: letters, digits and dashes, another one for each restore. */
  readonly stamp: string;
}

/**
 * Puts a copy of the backup in the place of the database, after a check of its integrity and schema. The replaced database is kept
 * beside it. At each moment there is one whole database at `path`. The caller must hold the control-plane lock.
 * @throws ConfigError if the backup is missing, damaged, newer than this version, or no database of Ratchet; nothing is changed then.
 * Errors of the disk as they are.
 */
export async function restoreDatabase({ file, path, migrationsDir, stamp }: RestoreOptions): Promise<Restored> {
  const known = readKnownMigrations(migrationsDir);
  await refuseUnusable(file, path);
  const incoming = `${path}.restoring`;
  await removeDatabase(incoming);
  try {
    // What is checked is what is put in place: the backup might change meanwhile.
    await pipeline(createReadStream(file), createWriteStream(incoming, { flags: 'wx', mode: 0o600, flush: true }));
    const applied = checkBackup(incoming, { file, known });
    const asidePath = await keepAside(path, `${path}.before-restore-${stamp}`);
    // The log of another database, applied to this one, would damage it.
    for (const suffix of ['-wal', '-shm']) await rm(`${path}${suffix}`, { force: true });
    await rename(incoming, path);
    await syncFolder(path);
    return { asidePath, needsMigration: applied < known.length };
  } finally {
    await removeDatabase(incoming);
  }
}

async function refuseUnusable(file: string, path: string): Promise<void> {
  const found = await stat(file).catch((error: unknown) => {
    throw new ConfigError([toFileFault(error, file)]);
  });
  if (!found.isFile()) throw new ConfigError([`${file} is not a file: name one that \`ratchet backup\` wrote`]);
  if (existsSync(path) && (await realpath(path)) === (await realpath(file))) {
    throw new ConfigError([`${file} is the database itself: name a backup of it`]);
  }
  if (existsSync(`${file}-wal`)) {
    throw new ConfigError([
      `${file} is no backup: it was copied while in use, and ${file}-wal belongs to it. Make one with \`ratchet backup\``,
    ]);
  }
}

/** Returns how many migrations the backup has. */
function checkBackup(
  copy: string,
  { file, known }: { readonly file: string; readonly known: readonly string[] },
): number {
  const damage = findDamage(copy);
  if (damage !== null) throw new ConfigError([`the backup ${file} is damaged (${damage}): restore another one`]);
  const connection = new SqliteDatabase(copy, { fileMustExist: true });
  try {
    const applied = readAppliedMigrations(connection);
    if (applied.length === 0) throw new ConfigError([`${file} is no database of Ratchet`]);
    if (isKnownSchema(applied, known)) return applied.length;
    throw new ConfigError([
      `the backup ${file} was written by another (probably newer) version of Ratchet: restore it with that version`,
    ]);
  } finally {
    connection.close();
  }
}

/** Gives the replaced database a second name, with the part of it that is still in its log. */
async function keepAside(path: string, aside: string): Promise<string | null> {
  if (!existsSync(path)) return null;
  writeLogBack(path);
  await chmod(path, 0o600);
  await link(path, aside);
  if (existsSync(`${path}-wal`)) await link(`${path}-wal`, `${aside}-wal`);
  return aside;
}

/** Without a log beside it, the old database is whole at each moment of the restore. A damaged one keeps its log. */
function writeLogBack(path: string): void {
  try {
    const connection = new SqliteDatabase(path, { fileMustExist: true });
    try {
      connection.pragma('wal_checkpoint(TRUNCATE)');
    } finally {
      connection.close();
    }
  } catch (error) {
    if (!(error instanceof SqliteDatabase.SqliteError)) throw error;
  }
}

async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(`${path}${suffix}`, { force: true });
}
