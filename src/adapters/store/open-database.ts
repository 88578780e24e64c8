import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { ConfigError } from '../../core/model/errors.ts';
import type { Log } from '../../ports/log.ts';
import type { LockStore, RetentionStore } from '../../ports/store.ts';
import { makePrivate } from '../../system/make-private.ts';
import type { Database } from './database.ts';
import { openDatabaseFile } from './database-file.ts';
import { explainDatabaseError } from './explain-database-error.ts';
import { createWritable } from './writable.ts';

/** Options of `openDatabase`. */
export interface OpenDatabaseOptions {
  /** Database file in an existing folder; `:memory:` or the bytes of a database stay in memory. */
  readonly path: string | Buffer;
  /** Folder with the generated migrations; null for the one in the source tree. */
  readonly migrationsDir: string | null;
  readonly log: Log | null;
}

/** An open, checked and migrated database. */
export interface OpenDatabase extends LockStore, Pick<RetentionStore, 'shrink'> {
  readonly db: Database & { readonly $client: SqliteDatabase.Database };
  readonly close: () => void;
}

/** How long a statement of the start waits for the lock of another process. */
const startTimeoutMs = 5_000;
/** SQLite's number of `auto_vacuum = INCREMENTAL`. */
const INCREMENTAL = 2;
/** Later the event loop must not stand still. `onceWritable` waits longer. */
const busyTimeoutMs = 50;
/** Half done at one look, a checkpoint by another process is done at the next. */
const SECOND_LOOK_MS = 200;

/**
 * Opens the database: checks its integrity (F11), refuses a schema that this version does not know (F35), copies an
 * existing database if it needs migrations, and migrates it.
 * @throws ConfigError if the database is damaged, newer or unusable; the file is then unchanged.
 */
export function openDatabase({ path, migrationsDir, log }: OpenDatabaseOptions): OpenDatabase {
  const folder = migrationsDir ?? fileURLToPath(new URL('../../../migrations', import.meta.url));
  const known = readKnownMigrations(folder);
  refuseEmptied(path);
  const connection = connect(path);
  try {
    checkIntegrity(connection);
    const applied = readAppliedMigrations(connection);
    refuseUnknownSchema(applied, known, connection.name);
    configure(connection);
    if (applied.length > 0 && applied.length < known.length) keepCopy(connection, { applied: applied.length, log });
    const db = migrateSchema(connection, folder);
    makeShrinkable(connection);
    connection.pragma(`busy_timeout = ${String(busyTimeoutMs)}`);
    return { db, ...keepOpen(connection, log) };
  } catch (error) {
    connection.close();
    const why = explainDatabaseError(error);
    throw why === null ? error : new ConfigError([`the database ${connection.name} cannot be used: ${why}`]);
  }
}

/** Lets unused pages be given back in small steps. A database from before that is rewritten once; a copy of it exists. */
function makeShrinkable(connection: SqliteDatabase.Database): void {
  if (connection.memory || connection.pragma('auto_vacuum', { simple: true }) === INCREMENTAL) return;
  connection.pragma('auto_vacuum = INCREMENTAL');
  connection.exec('VACUUM');
}

/** What goes on while the database is open. */
function keepOpen(connection: SqliteDatabase.Database, log: Log | null): Omit<OpenDatabase, 'db'> {
  const path = connection.memory ? null : connection.name;
  const file = path === null ? null : openDatabaseFile(path);
  const { onceWritable, close: closeProbe } = createWritable(path);
  let loss: string | null = null;
  const closeAll = (): void => {
    connection.close();
    closeProbe();
  };
  return {
    onceWritable,
    examine: async () => {
      if (loss !== null || file === null || file.findLoss() === null) return loss;
      await new Promise((resolve) => setTimeout(resolve, SECOND_LOOK_MS));
      // Another look may have found it meanwhile, and the database may be closed.
      if (!connection.open) return loss;
      loss = file.findLoss();
      if (loss === null) return null;
      closeAll();
      log?.error({ path, loss }, 'the database is lost: stop Ratchet, restore a backup, and start it again');
      return loss;
    },
    shrink: (maxPages) => shrink(connection, maxPages),
    close: () => {
      closeAll();
      file?.close();
    },
  };
}

/** A file that is mostly used is left alone: it would only grow again. */
function shrink(connection: SqliteDatabase.Database, maxPages: number): number {
  const read = (name: string): number => Number(connection.pragma(name, { simple: true }));
  const unused = read('freelist_count');
  if (unused * 4 < read('page_count')) return 0;
  // Not by `pragma`, which would take one step, and that is one page.
  connection.exec(`PRAGMA incremental_vacuum(${String(Math.trunc(maxPages))})`);
  return unused - read('freelist_count');
}

export function readKnownMigrations(folder: string): readonly string[] {
  try {
    return readMigrationFiles({ migrationsFolder: folder }).map(({ hash }) => hash);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`the migrations in ${folder} cannot be read (${why}): the installation is incomplete`]);
  }
}

/** An empty file is no database, though SQLite would take it for a new one. */
function refuseEmptied(path: string | Buffer): void {
  if (typeof path !== 'string' || path === ':memory:') return;
  if (statSync(path, { throwIfNoEntry: false })?.size !== 0) return;
  throw new ConfigError([
    `the database ${path} is empty: it was cut off, or its first start ended early. Restore a backup, or remove the file and ` +
      `${path}-wal to start afresh`,
  ]);
}

function connect(path: string | Buffer): SqliteDatabase.Database {
  try {
    closeToOthers(path);
    return new SqliteDatabase(path, { timeout: startTimeoutMs });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError([
      `the database ${String(path)} cannot be opened (${why}): check that its folder exists and can be written`,
    ]);
  }
}

/** SQLite gives its other files the mode of the database. Copies and files of earlier versions lie beside it. */
function closeToOthers(path: string | Buffer): void {
  if (typeof path !== 'string' || path === ':memory:') return;
  makePrivate(path);
  const folder = dirname(path);
  const beside = readdirSync(folder).filter(
    (name) => name.startsWith(`${basename(path)}-`) || name.startsWith(`${basename(path)}.`),
  );
  for (const name of beside) makePrivate(join(folder, name));
}

function checkIntegrity(connection: SqliteDatabase.Database): void {
  const found = readIntegrity(connection);
  if (found === 'ok') return;
  throw new ConfigError([
    `the database ${connection.name} is damaged (${found}) and was left as it is: restore a backup, or move it away to start afresh`,
  ]);
}

export function readIntegrity(connection: SqliteDatabase.Database): string {
  try {
    return String(connection.pragma('quick_check(1)', { simple: true }));
  } catch (error) {
    if (isSqliteError(error) && isDamage(error.code)) return error.message;
    throw error;
  }
}

function isDamage(code: string): boolean {
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT');
}

/** Hashes of the applied migrations, oldest first. */
export function readAppliedMigrations(connection: SqliteDatabase.Database): readonly string[] {
  const table = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = '__drizzle_migrations'").get();
  if (table === undefined) return [];
  return connection.prepare('SELECT hash FROM __drizzle_migrations ORDER BY created_at').pluck().all().map(String);
}

/** Whether the applied migrations are the first of the known ones. */
export function isKnownSchema(applied: readonly string[], known: readonly string[]): boolean {
  return applied.every((hash, index) => hash === known[index]);
}

function refuseUnknownSchema(applied: readonly string[], known: readonly string[], path: string): void {
  if (isKnownSchema(applied, known)) return;
  throw new ConfigError([
    `the database ${path} was written by another (probably newer) version of Ratchet: run that version, or restore the ` +
      'backup that was made before the upgrade',
  ]);
}

function configure(connection: SqliteDatabase.Database): void {
  // Only before the first table; for another database see `makeShrinkable`.
  connection.pragma('auto_vacuum = INCREMENTAL');
  const journal = connection.pragma('journal_mode = WAL', { simple: true });
  if (journal !== 'wal' && journal !== 'memory') {
    throw new ConfigError([`the database ${connection.name} cannot use write-ahead logging: put it on a local disk`]);
  }
  // GitHub never repeats an acknowledged delivery, so it must survive a power cut (F12).
  connection.pragma('synchronous = FULL');
  connection.pragma('journal_size_limit = 67108864');
}

/** Copies the database into its folder before the schema changes. Keeps an existing copy of the same state. */
function keepCopy(
  connection: SqliteDatabase.Database,
  { applied, log }: { readonly applied: number; readonly log: Log | null },
): void {
  if (connection.memory) return;
  const copy = `${connection.name}.before-migration-${applied + 1}`;
  const partial = `${copy}.partial`;
  if (!existsSync(copy)) {
    rmSync(partial, { force: true });
    // SQLite fills an empty file. A new one of its own would be readable by everyone.
    makePrivate(partial);
    connection.prepare('VACUUM INTO ?').run(partial);
    renameSync(partial, copy);
  }
  log?.info({ copy }, 'database copied before its schema is changed');
}

function migrateSchema(connection: SqliteDatabase.Database, folder: string): OpenDatabase['db'] {
  const db = drizzle(connection);
  // A migration that rebuilds a table needs foreign keys off. SQLite allows that only outside a transaction.
  connection.pragma('foreign_keys = OFF');
  migrate(db, { migrationsFolder: folder });
  const broken = connection.prepare('PRAGMA foreign_key_check').all().length;
  if (broken > 0) throw new ConfigError([`${broken} rows of the database refer to rows that are missing`]);
  connection.pragma('foreign_keys = ON');
  return db;
}

function isSqliteError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof SqliteDatabase.SqliteError;
}
