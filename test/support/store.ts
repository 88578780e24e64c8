import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { onTestFinished, TestRunner } from 'vitest';
import { createStore, createStoreOn, type StoreOptions } from '../../src/adapters/store/create-store.ts';
import { openDatabase } from '../../src/adapters/store/open-database.ts';
import type { Event } from '../../src/core/model/event.ts';
import { type EpochMs, parseDeliveryId, parseSessionId, parseSha, type Sha } from '../../src/core/model/ids.ts';
import type { RepositoryRef } from '../../src/core/model/pull-request.ts';
import type { Fixup, Session } from '../../src/core/model/session.ts';
import type { Log, LogFields } from '../../src/ports/log.ts';
import type { Delivery, NewTransition, Retention, Store } from '../../src/ports/store.ts';

/** A new database, migrated once: the migrations take longer than most tests that need it. */
const NEW_DATABASE = migrateOnce();

function migrateOnce(): Buffer {
  const connection = new SqliteDatabase(':memory:');
  migrate(drizzle(connection), { migrationsFolder: 'migrations' });
  return connection.serialize();
}

/** A store in memory with the real migrations, empty. One that is opened in a test is closed after it. */
export function memoryStore(options: Omit<StoreOptions, 'path'> = {}): Store {
  if (TestRunner.getCurrentTest() === undefined) return createStore({ path: NEW_DATABASE, ...options });
  const lent = idle.pop() ?? openLendable();
  const { now = Date.now, log = null } = options;
  Object.assign(lent.given, { now, log });
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    lent.empty();
    idle.push(lent);
  };
  onTestFinished(close);
  const refuse = (): never => {
    throw new Error('the store is closed');
  };
  // What a test left behind, as a killed process leaves it, finds a closed database.
  const onceWritable: Store['onceWritable'] = async (work, waitMs) =>
    isOpen ? lent.store.onceWritable(work, waitMs) : refuse();
  return new Proxy(
    { ...lent.store, close, onceWritable },
    {
      get: (store, name, receiver): unknown =>
        isOpen || name === 'close' || name === 'onceWritable' ? Reflect.get(store, name, receiver) : refuse(),
    },
  );
}

/** A store whose tests are over. Its statements are prepared, which takes longer than most tests that need a store. */
interface Lendable {
  readonly store: Store;
  /** What the test at hand brings along. */
  readonly given: { now: () => EpochMs; log: Log | null };
  readonly empty: () => void;
}

const idle: Lendable[] = [];

function openLendable(): Lendable {
  const { db, ...connection } = openDatabase({ path: NEW_DATABASE, migrationsDir: null, log: null });
  const given: Lendable['given'] = { now: Date.now, log: null };
  const forwarded: Log = {
    debug: (fields, message) => given.log?.debug(fields, message),
    info: (fields, message) => given.log?.info(fields, message),
    warn: (fields, message) => given.log?.warn(fields, message),
    error: (fields, message) => given.log?.error(fields, message),
    child: () => forwarded,
  };
  return {
    store: { ...createStoreOn(db, { log: forwarded, now: () => given.now() }), ...connection },
    given,
    empty: prepareEmpty(db.$client),
  };
}

/** Leaves the database as after the migrations, with ids that begin anew. */
function prepareEmpty(connection: SqliteDatabase.Database): () => void {
  const tables = connection
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '__drizzle*'")
    .pluck()
    .all();
  const deletions = tables.map((name) => connection.prepare(`DELETE FROM "${name}"`));
  const deleteAll = connection.transaction(() => {
    for (const deletion of deletions) deletion.run();
  });
  return () => {
    connection.pragma('foreign_keys = OFF');
    deleteAll();
    connection.pragma('foreign_keys = ON');
  };
}

/** Housekeeping that deletes nothing by its age. */
export const NOTHING_OLD: Retention = {
  transitions: 0,
  deliveries: 0,
  commands: 0,
  sessions: 0,
  workspaces: 0,
  flakes: 0,
  spend: 0,
};

/** A folder that `remove` takes away again. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'ratchet-store-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** One line that was logged. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: LogFields;
  readonly message: string;
}

/** A log that keeps its lines. */
export function recordingLog(): { readonly log: Log; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const createLog = (bound: LogFields): Log => ({
    debug: (fields, message) => void lines.push({ level: 'debug', fields: { ...bound, ...fields }, message }),
    info: (fields, message) => void lines.push({ level: 'info', fields: { ...bound, ...fields }, message }),
    warn: (fields, message) => void lines.push({ level: 'warn', fields: { ...bound, ...fields }, message }),
    error: (fields, message) => void lines.push({ level: 'error', fields: { ...bound, ...fields }, message }),
    child: (fields) => createLog({ ...bound, ...fields }),
  });
  return { log: createLog({}), lines };
}

/** A commit name that depends on `seed` alone. */
export function fakeSha(seed: string): Sha {
  return parseSha(createHash('sha1').update(seed).digest('hex'));
}

/** A repository; a test names only what matters to it. */
export function aRepository(fields: Partial<RepositoryRef> = {}): RepositoryRef {
  return { installationId: 1, repositoryId: 100, owner: 'octo', name: 'app', ...fields };
}

/** A delivery of `event`; GUID and body hash follow from `seed`. */
export function aDelivery(seed: string, event: Event | null, fields: Partial<Delivery> = {}): Delivery {
  const hash = createHash('sha256').update(seed).digest('hex');
  const guid = [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20, 32)];
  return {
    id: parseDeliveryId(guid.join('-')),
    bodyHash: hash,
    eventName: 'pull_request',
    action: 'opened',
    receivedAt: 1_000,
    event,
    commands: [],
    ...fields,
  };
}

type PullRequestChanged = Event & { readonly kind: 'pull_request_changed' };

/** Pull request 7 of `aRepository()`, opened from `feature` to `main`. */
export function pullRequestChanged(fields: Partial<PullRequestChanged> = {}): PullRequestChanged {
  return {
    kind: 'pull_request_changed',
    repository: aRepository(),
    number: 7,
    headSha: fakeSha('head'),
    headRef: 'feature',
    baseRef: 'main',
    ...fields,
  };
}

/** A working `ratchet` session of pull request 7. */
export function aSession(
  id: string,
  fields: Partial<Session & { readonly fixup: Fixup }> & Pick<Session, 'key'>,
): Session & { readonly fixup: Fixup } {
  return {
    id: parseSessionId(id),
    kind: 'ratchet',
    status: 'working',
    fixup: {
      action: 'FIX_CI',
      causeKey: 'cause-1',
      headSha: fakeSha('head'),
      headRef: 'feature',
      baseSha: fakeSha('base'),
      attempt: 1,
      agent: 'claude',
      signature: null,
    },
    label: null,
    startedAt: 1_000,
    heartbeatAt: 1_000,
    deadlineAt: 60_000,
    endedAt: null,
    outcome: null,
    setup: null,
    agentUse: null,
    ...fields,
  };
}

/** A line of the transition log without a snapshot. */
export function aTransition(fields: Partial<NewTransition> & Pick<NewTransition, 'key'>): NewTransition {
  return { action: 'FIX_CI', code: 'CI_FAILED', reason: 'unit is red', snapshot: null, createdAt: 1_000, ...fields };
}
