import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../../src/adapters/store/create-store.ts';
import { parsePullRequestKey, parseSessionId } from '../../src/core/model/ids.ts';
import { createOldDatabase } from '../support/old-database.ts';
import { fakeSha, temporaryFolder } from '../support/store.ts';

const key = parsePullRequestKey('100#7');

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** A database as the first version left it: a session at work, one that ended, and a decision with its snapshot. */
function createFirstVersion(path: string): void {
  const database = createOldDatabase(path, 0);
  const head = fakeSha('head');
  const fixup = { action: 'FIX_CI', causeKey: 'c', headSha: head, headRef: 'f', baseSha: head, attempt: 1, agent: 'a' };
  const diff = { files: 1, insertions: 1, deletions: 1 };
  const pushed = { kind: 'pushed', commitSha: head, diff, files: ['a'], summary: 's', validation: [] };
  const snapshot = {
    pullRequest: { state: 'open', draft: false, fork: false, autoMerge: false, inMergeQueue: false },
    ci: { status: 'failure', runId: 'run' },
    merge: 'clean',
    review: { actionable: 0 },
    ratchet: {
      ...{ enabled: true, consecutiveAttempts: 0, launchesToday: 0, lastCiRunId: null, staleCiSince: null },
      ...{ stoppedFor: null, waitingFor: null, waitingSince: null },
    },
    ...{ causeKey: 'c', workingSession: false, policyErrors: [], now: 1 },
    policy: {
      ...{ maxAttempts: 3, maxLaunchesPerDay: 20, staleCiTimeoutSeconds: 1 },
      ...{ ciTimeoutSeconds: 1, mergeTimeoutSeconds: 1 },
    },
  };
  database.exec("INSERT INTO repositories VALUES (100, 1, 'octo', 'app', 1)");
  database
    .prepare("INSERT INTO workspaces (key, repository_id, number, enablement) VALUES (?, 100, 7, 'enabled')")
    .run(key);
  const addSession = database.prepare("INSERT INTO sessions VALUES (?, ?, 'ratchet', ?, ?, 1, 1, 9, ?, ?)");
  addSession.run('s1', key, 'ended', JSON.stringify(fixup), 5, JSON.stringify(pushed));
  addSession.run('s2', key, 'working', JSON.stringify(fixup), null, null);
  database
    .prepare("INSERT INTO ratchet_transition_log VALUES (1, ?, 'FIX_CI', 'CI_FAILED', 'red', ?, 1)")
    .run(key, JSON.stringify(snapshot));
  database.close();
}

describe('a database of the first version', () => {
  it('keeps its rows, and what it did not know has the value that it meant (F35)', () => {
    const path = join(folder.path, 'ratchet.db');
    createFirstVersion(path);

    const store = createStore({ path });

    expect(store.workspace(key)).toMatchObject({
      ...{ enablement: 'enabled', pause: null, freshStarts: 0, diagnosis: null },
      ...{ flakes: [], seenMerge: null, commentHash: null },
    });
    expect(store.recentAsks(key)).toEqual([]);
    expect(store.session(parseSessionId('s1'))).toMatchObject({
      label: null,
      fixup: { signature: null },
      outcome: { kind: 'pushed', madeBy: 'agent', patchId: null, answers: [] },
    });
    expect(store.liveSessions(key).map(({ id }) => id)).toEqual(['s2']);
    expect(store.transitions(key, 1)[0]?.snapshot).toMatchObject({
      pullRequest: { approvalsSurvive: true, holdLabel: false, mustBeUpToDate: false, pushForbidden: null },
      ci: { failure: null },
      ratchet: { paused: false, rerun: null, updateAskedAt: null },
      policy: { mode: 'push', holdDrafts: false },
    });
    store.close();
  });

  it('has at most one fixup at work still, and takes people beside it', () => {
    const path = join(folder.path, 'ratchet.db');
    createFirstVersion(path);
    createStore({ path }).close();
    const database = new SqliteDatabase(path);
    const add = (id: string, kind: string): unknown =>
      database
        .prepare(
          `INSERT INTO sessions (id, workspace_key, kind, status, started_at, heartbeat_at, deadline_at)
           VALUES (?, ?, ?, 'working', 1, 1, 9)`,
        )
        .run(id, key, kind);

    expect(() => add('s3', 'ratchet')).toThrow('UNIQUE');
    add('u1', 'user');
    add('u2', 'user');
    database.close();
  });
});
