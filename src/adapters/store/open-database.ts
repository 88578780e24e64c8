import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { ConfigError } from '../../core/model/errors.ts';
import type { Log } from '../../ports/log.ts';
import type { Database } from './database.ts';

/** Options of `openDatabase`. */
export interface OpenDatabaseOptions {
  /** Database file in an existing folder; `:memory:` or the bytes of a database stay in memory. */
  readonly path: string | Buffer;
  /** Folder with the generated migrations; null for the one in the source tree. */
  readonly migrationsDir: string | null;
  readonly log: Log | null;
}

/** An open, checked and migrated database. */
export interface OpenDatabase {
  readonly db: Database;
  readonly close: () => void;
}

/** How long a statement waits for the lock of another process, such as a backup. */
const busyTimeoutMs = 5_000;

/**
 * Opens the database: checks its integrity (F11), refuses a schema that this version does not know (F35), copies an
 * existing database if it needs migrations, and migrates it.
 * @throws ConfigError if the database is damaged, newer or unusable; the file is then unchanged.
 */
export function openDatabase({ path, migrationsDir, log }: OpenDatabaseOptions): OpenDatabase {
  const folder = migrationsDir ?? fileURLToPath(new URL('../../../migrations', import.meta.url));
  const known = readKnownMigrations(folder);
  const connection = connect(path);
  try {
    checkIntegrity(connection);
    const applied = readAppliedMigrations(connection);
    refuseUnknownSchema(applied, known, connection.name);
    configure(connection);
    if (applied.length > 0 && applied.length < known.length) keepCopy(connection, { applied: applied.length, log });
    return { db: migrateSchema(connection, folder), close: () => void connection.close() };
  } catch (error) {
    connection.close();
    // Drizzle wraps the errors of migration statements.
    const cause = error instanceof Error && isSqliteError(error.cause) ? error.cause : error;
    throw isSqliteError(cause)
      ? new ConfigError([`the database ${connection.name} cannot be used: ${cause.message}`])
      : error;
  }
}

function readKnownMigrations(folder: string): readonly string[] {
  try {
    return readMigrationFiles({ migrationsFolder: folder }).map(({ hash }) => hash);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`the migrations in ${folder} cannot be read (${why}): the installation is incomplete`]);
  }
}

function connect(path: string | Buffer): SqliteDatabase.Database {
  try {
    return new SqliteDatabase(path, { timeout: busyTimeoutMs });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError([
      `the database ${String(path)} cannot be opened (${why}): check that its folder exists and can be written`,
    ]);
  }
}

function checkIntegrity(connection: SqliteDatabase.Database): void {
  const found = readIntegrity(connection);
  if (found === 'ok') return;
  throw new ConfigError([
    `the database ${connection.name} is damaged (${found}) and was left as it is: restore a backup, or move it away to start afresh`,
  ]);
}

function readIntegrity(connection: SqliteDatabase.Database): string {
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
function readAppliedMigrations(connection: SqliteDatabase.Database): readonly string[] {
  const table = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = '__drizzle_migrations'").get();
  if (table === undefined) return [];
  return connection.prepare('SELECT hash FROM __drizzle_migrations ORDER BY created_at').pluck().all().map(String);
}

function refuseUnknownSchema(applied: readonly string[], known: readonly string[], path: string): void {
  if (applied.every((hash, index) => hash === known[index])) return;
  throw new ConfigError([
    `the database ${path} was written by another (probably newer) version of Ratchet: run that version, or restore the ` +
      'backup that was made before the upgrade',
  ]);
}

function configure(connection: SqliteDatabase.Database): void {
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
  try {
    connection.prepare('VACUUM INTO ?').run(copy);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('already exists')) throw error;
  }
  log?.info({ copy }, 'database copied before its schema is changed');
}

function migrateSchema(connection: SqliteDatabase.Database, folder: string): Database {
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
