import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import SqliteDatabase from 'better-sqlite3';
import { ConfigError, toError } from '../../core/model/errors.ts';
import { makePrivate } from '../../system/make-private.ts';
import { findDamage } from './find-damage.ts';
import { syncFolder } from './sync-folder.ts';

/** How long the copy waits for a lock. In WAL mode only the start and the end of a service hold one that stops a reader. */
const BUSY_TIMEOUT_MS = 5_000;

/** Options of `backUpDatabase`. Paths are absolute. */
export interface BackupOptions {
  /** The database. */
  readonly path: string;
  /** The backup to write. */
  readonly file: string;
  /** Whether an existing `file` is replaced. */
  readonly overwrite: boolean;
}

/**
 * Writes a consistent copy of the database to `file`, with mode 0600, also while a service uses the database. The copy is one read
 * transaction: the service goes on writing, and never makes the copy begin again. It holds no deleted rows. It is checked, and then
 * appears as a whole or not at all.
 * @throws ConfigError if the database is missing or damaged, or if `file` exists and may not be replaced. Errors of the disk as they are.
 */
export async function backUpDatabase({ path, file, overwrite }: BackupOptions): Promise<void> {
  if (!overwrite && existsSync(file)) {
    throw new ConfigError([`${file} exists already: name another file, or replace it with --force`]);
  }
  const source = openSource(path);
  const partial = `${file}.${randomUUID()}.partial`;
  try {
    // SQLite fills an empty file. A new one of its own would be readable by everyone.
    makePrivate(partial);
    copyInto(partial, source);
    const damage = findDamage(partial);
    if (damage !== null) throw damaged(path, damage);
    const written = await open(partial, 'r');
    try {
      await written.sync();
    } finally {
      await written.close();
    }
    await rename(partial, file);
    await syncFolder(file);
  } finally {
    source.close();
    await rm(partial, { force: true });
  }
}

function copyInto(partial: string, source: SqliteDatabase.Database): void {
  try {
    source.prepare('VACUUM INTO ?').run(partial);
  } catch (error) {
    const isDamaged = error instanceof SqliteDatabase.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB)/u.test(error.code);
    throw isDamaged ? damaged(source.name, error.message) : error;
  }
}

function damaged(path: string, damage: string): ConfigError {
  return new ConfigError([
    `the database ${path} is damaged (${damage}): no backup was written; keep the ones that you have`,
  ]);
}

function openSource(path: string): SqliteDatabase.Database {
  try {
    return new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw new ConfigError([
      `the database ${path} cannot be opened (${toError(error).message}): RATCHET_DATA_DIR must name the data folder of the ` +
        'service, and you must be the user that owns it',
    ]);
  }
}
