import { mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { inspectDatabase } from '../../../src/adapters/store/inspect-database.ts';

const MIGRATIONS = 'migrations';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ratchet-inspect-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  path = join(folder, 'ratchet.db');
});

function change(sql: string): void {
  createStore({ path }).close();
  const connection = new SqliteDatabase(path);
  connection.exec(sql);
  connection.close();
}

describe('inspectDatabase', () => {
  it('creates none where none is', async () => {
    expect(inspectDatabase(path, MIGRATIONS)).toEqual({ kind: 'none' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('reads what a running service has just written, and does not stand in its way', () => {
    const store = createStore({ path });
    const off = { repositoryId: 7, offSince: 1, by: 'ada', reason: 'too dear' };
    store.switchAgentsOff(off);
    const found = inspectDatabase(path, MIGRATIONS);
    store.switchAgentsOn(7);

    expect(found).toMatchObject({ kind: 'found', integrity: 'ok', stored: { circuits: [], switches: [off] } });
    expect(inspectDatabase(path, MIGRATIONS)).toMatchObject({ stored: { switches: [] } });
    store.close();
  });

  it('changes nothing of a database that is not open', async () => {
    createStore({ path }).close();
    const before = await stat(path);
    inspectDatabase(path, MIGRATIONS);
    const after = await stat(path);

    expect([after.size, after.mtimeMs]).toEqual([before.size, before.mtimeMs]);
    createStore({ path }).close();
  });

  it('tells a newer schema, and reads nothing of it', () => {
    change("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('newer', 9999999999999)");

    expect(inspectDatabase(path, MIGRATIONS)).toMatchObject({ schema: { isKnown: false }, stored: null });
  });

  it('tells an older schema, and reads nothing of it', () => {
    change('DELETE FROM __drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM __drizzle_migrations)');

    const found = inspectDatabase(path, MIGRATIONS);
    expect(found).toMatchObject({ kind: 'found', schema: { isKnown: true }, stored: null });
    expect(found.kind === 'found' && found.schema.known - found.schema.applied).toBe(1);
  });

  it('finds damage', async () => {
    await writeFile(path, 'no database, but long enough to be looked at'.repeat(100));
    expect(inspectDatabase(path, MIGRATIONS)).toMatchObject({ integrity: 'file is not a database', stored: null });
  });

  it('does not hold itself up with a huge one', async () => {
    createStore({ path }).close();
    await truncate(path, 513 * 1024 ** 2);

    expect(inspectDatabase(path, MIGRATIONS)).toMatchObject({ integrity: null, schema: { isKnown: true } });
  });
});
