import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api';
import { getTableName } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createStore } from '../../src/adapters/store/create-store.ts';
import * as planSchema from '../../src/adapters/store/plan-schema.ts';
import * as mainSchema from '../../src/adapters/store/schema.ts';
import * as spendSchema from '../../src/adapters/store/spend-schema.ts';
import * as taskSchema from '../../src/adapters/store/task-schema.ts';
import { temporaryFolder } from '../support/store.ts';

const schema = { ...mainSchema, ...spendSchema, ...planSchema, ...taskSchema };
const migrations = fileURLToPath(new URL('../../migrations', import.meta.url));

const Journal = z.object({ entries: z.array(z.object({ idx: z.number(), tag: z.string() })) });
const SchemaSnapshot = z.looseObject({ id: z.string() });

function readMeta(name: string): unknown {
  return JSON.parse(readFileSync(join(migrations, 'meta', name), 'utf8'));
}

function readJournal(): z.infer<typeof Journal> {
  return Journal.parse(readMeta('_journal.json'));
}

/** The statements that lead from a stored snapshot of the schema to `tables`: what `drizzle-kit generate` would write. */
async function generateNext(stored: unknown, tables: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const current: unknown = await generateSQLiteDrizzleJson({ ...tables }, SchemaSnapshot.parse(stored).id);
  return generateSQLiteMigration(stored, current);
}

function readLastSnapshot(): unknown {
  const last = readJournal().entries.at(-1);
  return readMeta(`${String(last?.idx).padStart(4, '0')}_snapshot.json`);
}

describe('the migrations', () => {
  it('give an empty database the tables of the schema', () => {
    const folder = temporaryFolder();
    const path = join(folder.path, 'ratchet.db');
    createStore({ path }).close();

    const database = new SqliteDatabase(path, { readonly: true });
    const tables = database
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '__*'",
      )
      .pluck()
      .all();
    database.close();
    folder.remove();

    expect(tables.map(String).toSorted()).toEqual(Object.values(schema).map(getTableName).toSorted());
  });

  it('are what drizzle-kit would generate: the schema has not moved on without one', async () => {
    expect(await generateNext(readLastSnapshot(), schema)).toEqual([]);
  });

  it('would be told to be behind when a table were missing in them', async () => {
    const { checkRuns, ...tables } = schema;
    const behind: unknown = await generateSQLiteDrizzleJson(tables);

    expect(await generateNext(behind, { ...tables, checkRuns })).not.toEqual([]);
  });

  it('stand in the order of the journal, without gaps', () => {
    const { entries } = readJournal();

    expect(entries.map(({ idx, tag }) => [idx, tag.slice(0, 4)])).toEqual(
      entries.map((_, nth) => [nth, String(nth).padStart(4, '0')]),
    );
  });
});
