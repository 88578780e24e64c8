import { statSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { DatabaseFacts } from '../../core/model/machine-facts.ts';
import { createAgentSwitches } from './agent-switches.ts';
import { createCircuits } from './circuits.ts';
import { isKnownSchema, readAppliedMigrations, readIntegrity, readKnownMigrations } from './open-database.ts';

/** Checking takes about a second for this much, and nothing else runs in this process meanwhile. */
const MAX_CHECKED_BYTES = 512 * 1024 ** 2;
const BUSY_TIMEOUT_MS = 1_000;

/**
 * Reads the database at `path` without changing it, also while a service uses it. Must be called as the user who owns the
 * folder, because SQLite puts files of its own beside the database.
 */
export function inspectDatabase(path: string, migrationsDir: string): DatabaseFacts {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? null;
  if (bytes === null) return { kind: 'none' };
  const known = readKnownMigrations(migrationsDir);
  const connection = new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const integrity = bytes > MAX_CHECKED_BYTES ? null : readIntegrity(connection);
    const isDamaged = integrity !== null && integrity !== 'ok';
    const applied = isDamaged ? [] : readAppliedMigrations(connection);
    const schema = { applied: applied.length, known: known.length, isKnown: isKnownSchema(applied, known) };
    const isCurrent = !isDamaged && schema.isKnown && applied.length === known.length;
    return { kind: 'found', bytes, integrity, schema, stored: isCurrent ? readStored(connection) : null };
  } finally {
    connection.close();
  }
}

function readStored(
  connection: SqliteDatabase.Database,
): NonNullable<(DatabaseFacts & { readonly kind: 'found' })['stored']> {
  const db = drizzle(connection);
  return { circuits: createCircuits(db).circuits(), switches: createAgentSwitches(db).agentSwitches() };
}
