import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { createStore, type StoreOptions } from '../../src/adapters/store/create-store.ts';
import type { Event } from '../../src/core/model/event.ts';
import { parseDeliveryId, parseSessionId, parseSha, type Sha } from '../../src/core/model/ids.ts';
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

/** A store in memory with the real migrations. */
export function memoryStore(options: Omit<StoreOptions, 'path'> = {}): Store {
  return createStore({ path: NEW_DATABASE, ...options });
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
