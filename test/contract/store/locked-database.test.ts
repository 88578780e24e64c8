import { renameSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { ConfigError } from '../../../src/core/model/errors.ts';
import type { Store } from '../../../src/ports/store.ts';
import { createGroupCommit } from '../../../src/webhooks/group-commit.ts';
import { aDelivery, NOTHING_OLD, temporaryFolder } from '../../support/store.ts';

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let store: Store;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, 'ratchet.db');
  store = createStore({ path });
});
afterEach(() => {
  store.close();
  folder.remove();
});

/** Another program that writes to the database. */
function holdLock(): { readonly release: () => void } {
  const other = new SqliteDatabase(path);
  other.exec('BEGIN IMMEDIATE');
  return { release: () => void other.close() };
}

/** The longest time that the event loop stood still during `work`. */
async function longestStandstill(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const note = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(note, 1);
  await work();
  note();
  clearInterval(timer);
  return longest;
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a database that another program holds', () => {
  // As a part of this time, since a busy machine has pauses of its own. One that waits stands still for all of it.
  const HELD_MS = 2_000;

  it('stores deliveries once it is free, and the event loop goes on meanwhile', async () => {
    const lock = holdLock();
    const ingest = createGroupCommit(store);
    const stored: Promise<unknown>[] = [];

    const standstill = await longestStandstill(async () => {
      for (let nth = 0; nth < 30; nth += 1) {
        stored.push(ingest(aDelivery(String(nth), null)));
        await after(HELD_MS / 30);
      }
      lock.release();
      await Promise.all(stored);
    });

    expect(await Promise.all(stored)).toEqual(Array(30).fill({ kind: 'ignored' }));
    expect(standstill).toBeLessThan(HELD_MS / 2);
  });

  it('is tried by one of those who wait, not by each: a try blocks the event loop', async () => {
    const lock = holdLock();
    let tries = 0;
    const work = (): void => {
      tries += 1;
      store.markWakeup('evaluate', '1#1', null);
    };
    const first = store.onceWritable(work, HELD_MS);

    const others = Array.from({ length: 20 }, () => store.onceWritable(work, HELD_MS));
    await new Promise((resolve) => setImmediate(resolve));
    const whileHeld = tries;
    lock.release();
    await Promise.all([first, ...others]);

    expect(whileHeld).toBe(1);
    expect(tries).toBe(1 + 21);
  });

  it('fails what cannot wait after a fraction of that time', () => {
    const lock = holdLock();
    const begun = performance.now();

    expect(() => store.markWakeup('evaluate', '1#1', null)).toThrow(/locked/);

    expect(performance.now() - begun).toBeLessThan(HELD_MS / 2);
    lock.release();
    store.markWakeup('evaluate', '1#1', null);
  });

  it('gives up after the time that was granted, with the error of the database', async () => {
    const lock = holdLock();

    await expect(store.onceWritable(() => store.markWakeup('evaluate', '1#1', null), 100)).rejects.toThrow(/locked/);
    lock.release();
  });

  it('throws at once what is no lock, and returns what the work returns', async () => {
    let tries = 0;
    const work = (): never => {
      tries += 1;
      throw new Error('a bug');
    };

    await expect(store.onceWritable(work, 10_000)).rejects.toThrow('a bug');
    expect(tries).toBe(1);
    expect(await store.onceWritable(() => 7, 0)).toBe(7);
  });
});

describe('a database whose file is lost', () => {
  it.each<[string, string, () => void]>([
    ['removed', 'the database file was removed', () => unlinkSync(path)],
    ['moved away', 'the database file was removed', () => renameSync(path, `${path}.old`)],
    [
      'replaced',
      'the database file was replaced',
      () => {
        renameSync(path, `${path}.old`);
        writeFileSync(path, 'SQLite format 3\0');
      },
    ],
    ['cut to nothing', 'the database file was overwritten', () => truncateSync(path)],
    ['cut in the middle', 'the database file was cut off', () => truncateSync(path, 8_192)],
  ])('that was %s says so and stores nothing more', async (_what, problem, lose) => {
    store.close();
    store = createStore({ path });
    store.ingest([aDelivery('kept', null)]);
    expect(await store.examine()).toBeNull();

    lose();

    expect(await store.examine()).toBe(problem);
    expect(() => store.ingest([aDelivery('after', null)])).toThrow();
    expect(await store.examine()).toBe(problem);
  });

  it('is none that grows, shrinks and is checkpointed by others', async () => {
    for (let nth = 0; nth < 2_000; nth += 1) store.ingest([aDelivery(String(nth), null, { receivedAt: 1 })]);
    const other = new SqliteDatabase(path);
    other.pragma('wal_checkpoint(TRUNCATE)');
    other.close();
    expect(await store.examine()).toBeNull();

    store.prune({ ...NOTHING_OLD, deliveries: 2 }, 10_000);
    expect(store.shrink(10_000)).toBeGreaterThan(0);
    const again = new SqliteDatabase(path);
    again.pragma('wal_checkpoint(TRUNCATE)');
    again.close();

    expect(await store.examine()).toBeNull();
  });

  it('does not start on an empty file, and says what to do', () => {
    store.close();
    truncateSync(path);

    expect(() => createStore({ path })).toThrow(ConfigError);
    expect(() => createStore({ path })).toThrow(/is empty: it was cut off.*Restore a backup/);
  });
});
