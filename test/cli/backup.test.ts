import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireControlPlaneLock } from '../../src/adapters/store/control-plane-lock.ts';
import { createStore } from '../../src/adapters/store/create-store.ts';
import { runBackup, runRestore } from '../../src/cli/backup.ts';
import { prepareDataDir } from '../../src/compose/prepare-data-dir.ts';
import type { Store } from '../../src/ports/store.ts';
import { aDelivery, pullRequestChanged, temporaryFolder } from '../support/store.ts';

const NOW = new Date('2026-03-04T05:06:07Z');

let folder: ReturnType<typeof temporaryFolder>;
let dataDir: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  dataDir = join(folder.path, 'data');
  file = join(folder.path, 'backup.db');
});
afterEach(() => folder.remove());

const input = () => ({ variables: { RATCHET_DATA_DIR: dataDir }, uid: process.getuid?.() ?? null, now: NOW });
const backup = (...args: readonly string[]) => runBackup(args, input());
const restore = (...args: readonly string[]) => runRestore(args, input());
const database = (): string => join(dataDir, 'ratchet.db');
const open = () => createStore({ path: database() });
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** A data folder as a service leaves it, with a pull request that it knows. */
async function makeData(): Promise<void> {
  await prepareDataDir(dataDir);
  const store = open();
  store.ingest([aDelivery('first', pullRequestChanged())]);
  turn(store, true);
  store.close();
}

/** The state that the stories change: the kill switch. */
function turn(store: Store, enabled: boolean): void {
  if (enabled) store.switchAgentsOn(null);
  else store.switchAgentsOff({ repositoryId: null, offSince: 1, by: 'a test', reason: '' });
}

function isEnabled(): boolean {
  const store = open();
  try {
    return store.agentSwitches().length === 0;
  } finally {
    store.close();
  }
}

function setEnabled(enabled: boolean): void {
  const store = open();
  turn(store, enabled);
  store.close();
}

describe('a backup', () => {
  it('of a database in use is a whole database of its own, which only its owner may read', async () => {
    await makeData();
    const store = open();
    try {
      turn(store, false);
      const result = await backup(file);

      expect(result).toMatchObject({ exitCode: 0, stderr: '' });
      expect(result.stdout).toContain(`${file}: a backup`);
      // The service goes on writing.
      turn(store, true);
    } finally {
      store.close();
    }
    expect(mode(file)).toBe('600');
    expect(readdirSync(folder.path).toSorted()).toEqual(['backup.db', 'data']);
    const copy = createStore({ path: file });
    expect(copy.agentSwitches()).toHaveLength(1);
    copy.close();
  });

  it('is one moment, though another connection writes all the time', async () => {
    await makeData();
    const writer = new SqliteDatabase(database());
    writer.exec('CREATE TABLE pairs (left INTEGER, right INTEGER)');
    const write = writer.prepare('INSERT INTO pairs VALUES (?, ?)');
    let count = 0;
    const timer = setInterval(() =>
      writer.transaction(() => (write.run(count, 0), write.run(0, count), (count += 1)))(),
    );
    try {
      await backup(file);
      await expect.poll(() => count).toBeGreaterThan(3);
      await backup('--force', file);
    } finally {
      clearInterval(timer);
      writer.close();
    }
    const copy = new SqliteDatabase(file, { readonly: true });
    const read = (sum: string): unknown => copy.prepare(`SELECT ${sum} FROM pairs`).pluck().get();
    const found = {
      isSome: read('count(*) > 0'),
      isPaired: read('count(*) % 2 = 0'),
      sum: read('sum(left) - sum(right)'),
    };
    copy.close();
    expect(found).toEqual({ isSome: 1, isPaired: 1, sum: 0 });
  });

  it('never replaces a file that nobody said to replace', async () => {
    await makeData();
    writeFileSync(file, 'precious');

    expect(await backup(file)).toMatchObject({ exitCode: 2, stdout: '' });
    expect(readFileSync(file, 'utf8')).toBe('precious');

    expect(await backup(file, '--force')).toMatchObject({ exitCode: 0 });
    expect(mode(file)).toBe('600');
  });

  it.each([
    ['no file', [], 'name the file of the backup'],
    ['two files', ['a', 'b'], 'unexpected argument "b"'],
    ['a mistyped flag', ['--froce', 'a'], 'did you mean --force?'],
  ])('with %s is wrong usage', async (_what, args, words) => {
    const result = await backup(...args);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(words);
    expect(result.stderr.trimEnd()).not.toContain('\n');
  });

  it('of nothing says where it looked, and makes no folder', async () => {
    const result = await backup(file);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(`the database ${database()} cannot be opened`);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('of a damaged database is no backup, and an older backup stays', async () => {
    await makeData();
    await backup(file);
    const before = readFileSync(file);
    const bytes = readFileSync(database());
    writeFileSync(database(), bytes.fill(0x55, 4096, 40_960));

    const result = await backup('--force', file);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain('is damaged');
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(folder.path).toSorted()).toEqual(['backup.db', 'data']);
  });

  it('into a folder that does not exist fails as the environment does', async () => {
    await makeData();

    const result = await backup(join(folder.path, 'none', 'backup.db'));

    expect(result).toMatchObject({ exitCode: 3, stdout: '' });
    expect(result.stderr).toContain('ENOENT');
  });
});

describe('a restore', () => {
  it('brings the state back, and keeps the database that it replaces, with what was in its log', async () => {
    await makeData();
    await backup(file);
    setEnabled(false);
    const crashed = new SqliteDatabase(database());
    crashed.pragma('wal_autocheckpoint = 0');
    crashed.exec("UPDATE workspaces SET base_ref = 'only in the log'");
    for (const suffix of ['', '-wal']) copyFileSync(`${database()}${suffix}`, join(folder.path, `crashed${suffix}`));
    crashed.close();
    for (const suffix of ['', '-wal']) copyFileSync(join(folder.path, `crashed${suffix}`), `${database()}${suffix}`);

    const result = await restore(file);

    const aside = `${database()}.before-restore-2026-03-04T05-06-07-000Z`;
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).toContain(aside);
    expect(isEnabled()).toBe(true);
    expect(mode(database())).toBe('600');
    const old = new SqliteDatabase(aside, { readonly: true });
    expect(old.prepare('SELECT base_ref FROM workspaces').pluck().get()).toBe('only in the log');
    old.close();
    expect(existsSync(file)).toBe(true);
  });

  it('into nothing makes the data folder', async () => {
    await makeData();
    await backup(file);
    dataDir = join(folder.path, 'elsewhere');

    const result = await restore(file);

    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).not.toContain('is kept');
    expect(isEnabled()).toBe(true);
  });

  it('replaces a database that is too damaged to be opened, and keeps it', async () => {
    await makeData();
    await backup(file);
    writeFileSync(database(), 'no database at all');

    const { exitCode, stdout } = await restore(file);

    expect(exitCode).toBe(0);
    expect(isEnabled()).toBe(true);
    expect(readFileSync(/kept as (?<path>.+)\n/u.exec(stdout)?.groups?.['path'] ?? '', 'utf8')).toBe(
      'no database at all',
    );
  });

  it('is refused while a service uses the folder, and changes nothing', async () => {
    await makeData();
    await backup(file);
    setEnabled(false);
    const lock = acquireControlPlaneLock(dataDir);
    const result = await restore(file);
    lock.release();

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain('another Ratchet process is using this data folder');
    expect(isEnabled()).toBe(false);
  });

  it.each<readonly [string, (path: string) => void, string]>([
    ['is cut off', (path) => truncateSync(path, statSync(path).size - 8192), 'damaged'],
    ['is empty', (path) => truncateSync(path, 0), 'is no database of Ratchet'],
    ['is text', (path) => writeFileSync(path, 'x'.repeat(10_000)), 'damaged'],
    [
      'is of a newer version',
      (path) => change(path, "INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('new', 9e15)"),
      'newer',
    ],
    ['is of another program', (path) => change(path, 'DROP TABLE __drizzle_migrations'), 'is no database of Ratchet'],
    ['was copied in use', (path) => writeFileSync(`${path}-wal`, ''), 'it was copied while in use'],
  ])('is refused if the backup %s, and changes nothing', async (_what, spoil, words) => {
    await makeData();
    await backup(file);
    setEnabled(false);
    const before = readdirSync(dataDir).toSorted();
    spoil(file);

    const result = await restore(file);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(words);
    expect(isEnabled()).toBe(false);
    expect(readdirSync(dataDir).toSorted()).toEqual(expect.arrayContaining(before));
    expect(readdirSync(dataDir).join(' ')).not.toMatch(/restor/u);
  });

  it.each([
    ['is missing', () => '/nonexistent/backup.db', 'there is no file /nonexistent/backup.db'],
    ['is a folder', () => folder.path, 'is not a file'],
    ['is the database itself', () => database(), 'is the database itself'],
    ['is a link to the database', () => (symlinkSync(database(), file), file), 'is the database itself'],
  ])('is refused if the backup %s', async (_what, toPath, words) => {
    await makeData();

    const result = await restore(toPath());

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(words);
    expect(isEnabled()).toBe(true);
  });

  it("is refused to another user than the data folder's", async () => {
    await makeData();
    await backup(file);

    const result = await runRestore([file], { ...input(), uid: 12_345 });

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain('run the command as that user');
  });
});

function change(path: string, sql: string): void {
  const connection = new SqliteDatabase(path);
  connection.exec(sql);
  connection.close();
}
