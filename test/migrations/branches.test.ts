import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createStore } from '../../src/adapters/store/create-store.ts';
import { type PullRequestKey, parsePullRequestKey, parseSessionId } from '../../src/core/model/ids.ts';
import type { Store } from '../../src/ports/store.ts';
import { createOldDatabase } from '../support/old-database.ts';
import { aSession, aTransition, fakeSha, temporaryFolder } from '../support/store.ts';

/** The newest migration of the version that kept the state of a branch with each pull request. */
const LAST = 4;
const FIRST = parsePullRequestKey('100#7');
const SECOND = parsePullRequestKey('100#8');
const CLOSED = parsePullRequestKey('100#3');
const OTHER = parsePullRequestKey('100#9');

interface OldRow {
  readonly number: number;
  readonly state?: string;
  readonly headRef?: string | null;
  readonly attempts?: number;
  readonly starts?: number;
  readonly pushedAt?: number | null;
  readonly push?: string | null;
  readonly head?: string;
}

/** Each pull request as the version before left it, the fixup of each of them still at work. */
function createOldStore(rows: readonly OldRow[], working: readonly number[] = []): Store {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const path = join(folder.path, 'ratchet.db');
  const database = createOldDatabase(path, LAST);
  database.exec("INSERT INTO repositories VALUES (100, 1, 'octo', 'app', 1)");
  const add = database.prepare(`INSERT INTO workspaces (key, repository_id, number, enablement, ratchet_state, head_ref,
    ratchet_consecutive_fixup_attempts, fresh_starts, ratchet_last_push_at, ratchet_last_push_sha, seen_head_sha,
    ratchet_last_ci_run_id, ratchet_stale_ci_since) VALUES (?, 100, ?, 'enabled', ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  for (const { number, state = 'waiting', headRef = 'feature', ...row } of rows) {
    const { attempts = 0, starts = 0, pushedAt = null, push = null, head = 'head' } = row;
    const shas = [push === null ? null : fakeSha(push), fakeSha(head)];
    const ci = [`run-${String(number)}`, number];
    add.run(`100#${String(number)}`, number, state, headRef, attempts, starts, pushedAt, ...shas, ...ci);
  }
  const head = fakeSha('head');
  const fixup = { action: 'FIX_CI', causeKey: 'c', headSha: head, headRef: 'feature', baseSha: head, attempt: 1 };
  const session =
    database.prepare(`INSERT INTO sessions (id, workspace_key, kind, status, fixup, started_at, heartbeat_at,
    deadline_at) VALUES (?, ?, 'ratchet', 'working', ?, 1, 1, 9)`);
  for (const number of working) {
    const text = JSON.stringify({ ...fixup, agent: 'a', signature: null });
    session.run(`s${String(number)}`, `100#${String(number)}`, text);
  }
  database.close();
  const store = createStore({ path });
  onTestFinished(store.close);
  return store;
}

const TWINS: readonly OldRow[] = [
  { number: 7, attempts: 2, starts: 1, pushedAt: 50, push: 'old', head: 'old' },
  { number: 8, attempts: 1, starts: 4, pushedAt: 60, push: 'new', head: 'new' },
];

function launch(store: Store, key: PullRequestKey, id: string): boolean {
  const session = aSession(id, { key });
  const wake = { queue: 'fixup', key: session.id, notBefore: null };
  return store.launchSession({ session, transition: aTransition({ key }), patch: {}, wake });
}

it('two pull requests of one branch become one loop: the larger count, the newest push (F35, S18)', () => {
  const store = createOldStore(TWINS);

  const shared = {
    ...{ consecutiveAttempts: 2, freshStarts: 4, lastPushAt: 60, lastPushSha: fakeSha('new') },
    ...{ settledHeadSha: fakeSha('new'), lastCiRunId: 'run-8', staleCiSince: 8 },
    ...{ openPush: null, askedAt: null, takenBack: null },
  };
  expect(store.workspace(FIRST)).toMatchObject({ ...shared, number: 7, seenHeadSha: fakeSha('old') });
  expect(store.workspace(SECOND)).toMatchObject({ ...shared, number: 8, seenHeadSha: fakeSha('new') });
});

it('the fixups of both go on, and nothing is launched beside them until both have ended (S18)', () => {
  const store = createOldStore(TWINS, [7, 8]);
  expect(store.liveOnBranch(FIRST).map(({ id }) => id)).toEqual(['s7', 's8']);

  for (const [id, key] of [
    ['s7', FIRST],
    ['s8', SECOND],
  ] as const) {
    expect(launch(store, FIRST, `before-${id}`)).toBe(false);
    store.endSession(parseSessionId(id), {
      ...{ outcome: { kind: 'died', detail: '' }, at: 9, patch: {} },
      transition: aTransition({ key }),
      wake: { queue: 'evaluate', key, notBefore: null },
    });
  }

  expect(launch(store, FIRST, 'after')).toBe(true);
  expect(launch(store, SECOND, 'beside')).toBe(false);
});

it('a closed pull request of the branch hands nothing on, and other branches keep what is theirs', () => {
  const store = createOldStore([
    { number: 3, state: 'closed', attempts: 3, pushedAt: 99, push: 'closed' },
    { number: 7, attempts: 1, pushedAt: 50, push: 'ours' },
    { number: 9, headRef: 'other', attempts: 2 },
    { number: 10, headRef: null, attempts: 1 },
  ]);

  expect(store.workspace(FIRST)).toMatchObject({ consecutiveAttempts: 1, lastPushSha: fakeSha('ours') });
  expect(store.workspace(CLOSED)).toMatchObject({ consecutiveAttempts: 1 });
  expect(store.workspace(OTHER)).toMatchObject({ consecutiveAttempts: 2, lastPushSha: null });
  expect(store.workspace(parsePullRequestKey('100#10'))).toMatchObject({ consecutiveAttempts: 1, headRef: null });
});
