import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { ConfigError } from '../../../src/core/model/errors.ts';
import { parsePullRequestKey } from '../../../src/core/model/ids.ts';
import { aRepository, aTransition, recordingLog, temporaryFolder } from '../../support/store.ts';

const migrations = fileURLToPath(new URL('../../../migrations', import.meta.url));

let folder: ReturnType<typeof temporaryFolder>;
let path = '';
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, 'ratchet.db');
});
afterEach(() => folder.remove());

/** A database with some pages of rows in it. */
function fillDatabase(): void {
  const store = createStore({ path });
  for (let number = 1; number <= 200; number += 1) store.ensureWorkspace({ repository: aRepository(), number });
  store.close();
}

const Journal = z.looseObject({
  entries: z.array(z.looseObject({ idx: z.number(), when: z.number(), tag: z.string() })),
});

/** The installed migrations and one more, as the next version would bring it. */
function readJournal(migrationsDir: string): z.infer<typeof Journal> {
  return Journal.parse(JSON.parse(readFileSync(join(migrationsDir, 'meta', '_journal.json'), 'utf8')));
}

function nextVersion(sql: string): string {
  const dir = join(folder.path, 'migrations');
  cpSync(migrations, dir, { recursive: true });
  const journal = readJournal(dir);
  const last = journal.entries.at(-1);
  journal.entries.push({ ...last, idx: journal.entries.length, when: (last?.when ?? 0) + 1, tag: '9999_next' });
  writeFileSync(join(dir, 'meta', '_journal.json'), JSON.stringify(journal));
  writeFileSync(join(dir, '9999_next.sql'), sql);
  return dir;
}

describe('opening the database', () => {
  it('makes it, and finds what it held the next time (CARD.R8)', () => {
    fillDatabase();

    const store = createStore({ path });
    expect(store.repository(100)).toMatchObject({ owner: 'octo' });
    store.close();
  });

  it('is durable against power cuts and checks references (F12)', () => {
    const store = createStore({ path });
    const reader = new SqliteDatabase(path);
    expect(reader.pragma('journal_mode', { simple: true })).toBe('wal');
    reader.close();

    expect(() => store.appendTransition(aTransition({ key: parsePullRequestKey('1#1') }))).toThrow(/FOREIGN KEY/);
    store.close();
  });

  it('refuses a file that is no database, and keeps it (F11)', () => {
    const content = 'this is a text that is no database at all\n'.repeat(200);
    writeFileSync(path, content);

    expect(() => createStore({ path })).toThrow(ConfigError);
    expect(() => createStore({ path })).toThrow(/is damaged .* was left as it is/);
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  it('refuses a database with overwritten pages, and keeps it (F11)', () => {
    fillDatabase();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 8_192, 40_960);
    writeFileSync(path, bytes);

    expect(() => createStore({ path })).toThrow(/is damaged/);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('refuses a database that a newer version wrote, and changes nothing', () => {
    createStore({ path, migrationsDir: nextVersion('CREATE TABLE next (id integer);') }).close();
    const before = readFileSync(path);

    expect(() => createStore({ path })).toThrow(ConfigError);
    expect(() => createStore({ path })).toThrow(/another \(probably newer\) version/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('keeps a copy of the database before it changes its schema', () => {
    fillDatabase();
    const { log, lines } = recordingLog();

    const migrationsDir = nextVersion('ALTER TABLE workspaces ADD note text;');
    createStore({ path, log, migrationsDir }).close();

    const copy = `${path}.before-migration-${String(readJournal(migrationsDir).entries.length)}`;
    expect(lines).toMatchObject([{ level: 'info', fields: { copy } }]);
    const old = createStore({ path: copy });
    expect(old.repository(100)).not.toBeNull();
    old.close();
  });

  it('lets unused pages be given back, also in a database from before that', () => {
    fillDatabase();
    const raw = new SqliteDatabase(path);
    raw.pragma('auto_vacuum = NONE');
    raw.exec('VACUUM');
    const before = raw.pragma('auto_vacuum', { simple: true });
    raw.close();

    const store = createStore({ path });
    expect(store.repository(100)).toMatchObject({ owner: 'octo' });
    store.close();

    const after = new SqliteDatabase(path);
    expect([before, after.pragma('auto_vacuum', { simple: true })]).toEqual([0, 2]);
    after.close();
  });

  it('leaves schema and rows as they were when a migration fails', () => {
    fillDatabase();

    const migrationsDir = nextVersion(
      'CREATE TABLE half (id integer);\n--> statement-breakpoint\nALTER TABLE none ADD note text;',
    );
    expect(() => createStore({ path, migrationsDir })).toThrow(ConfigError);

    const store = createStore({ path });
    expect(store.repository(100)).not.toBeNull();
    store.close();
  });

  it('names the folder that does not exist', () => {
    expect(() => createStore({ path: join(folder.path, 'none', 'ratchet.db') })).toThrow(
      /check that its folder exists/,
    );
  });

  it('names migrations that are not there', () => {
    expect(() => createStore({ path, migrationsDir: folder.path })).toThrow(/the installation is incomplete/);
  });
});
