import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { z } from 'zod';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
const Journal = z.looseObject({ entries: z.array(z.looseObject({ idx: z.number(), tag: z.string() })) });

/** A database at `path` as the version left it whose newest migration was `last`, without rows. The caller closes it. */
export function createOldDatabase(path: string, last: number): SqliteDatabase.Database {
  const folder = mkdtempSync(join(tmpdir(), 'ratchet-migrations-'));
  const journal = Journal.parse(JSON.parse(readFileSync(join(MIGRATIONS, 'meta', '_journal.json'), 'utf8')));
  const entries = journal.entries.filter(({ idx }) => idx <= last);
  mkdirSync(join(folder, 'meta'));
  for (const { tag } of entries) cpSync(join(MIGRATIONS, `${tag}.sql`), join(folder, `${tag}.sql`));
  writeFileSync(join(folder, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries }));
  const database = new SqliteDatabase(path);
  migrate(drizzle(database), { migrationsFolder: folder });
  rmSync(folder, { recursive: true });
  return database;
}
