import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { InvariantError } from '../../../src/core/model/errors.ts';
import { parsePullRequestKey, parseSessionId, type SessionId } from '../../../src/core/model/ids.ts';
import type { Session, SessionOutcome } from '../../../src/core/model/session.ts';
import type { WorkspacePatch } from '../../../src/core/model/workspace.ts';
import type { PushEffect, Store } from '../../../src/ports/store.ts';
import { aDiagnosis, aSnapshot } from '../../support/builders.ts';
import {
  aDelivery,
  aRepository,
  aSession,
  aTransition,
  fakeSha,
  memoryStore,
  temporaryFolder,
} from '../../support/store.ts';

const key = parsePullRequestKey('100#7');
const otherKey = parsePullRequestKey('100#8');

let store: Store;
beforeEach(() => {
  store = memoryStore();
  store.ensureWorkspace({ repository: aRepository(), number: 7 });
  store.ensureWorkspace({ repository: aRepository(), number: 8 });
});
afterEach(() => store.close());

/** The end of a session of `key`, with the line and the wake-up that go with it. */
function anEnd(outcome: SessionOutcome, at: number, patch: WorkspacePatch): Parameters<Store['endSession']>[1] {
  return { outcome, at, patch, transition: aTransition({ key }), wake: { queue: 'evaluate', key, notBefore: null } };
}

function launch(id: string, fields: Partial<Parameters<typeof aSession>[1]> = {}, patch: WorkspacePatch = {}): boolean {
  const session = aSession(id, { key, ...fields });
  return store.launchSession({
    session,
    transition: aTransition({ key: session.key }),
    patch,
    wake: { queue: 'fixup', key: session.id, notBefore: null },
  });
}

describe('a workspace', () => {
  it('starts with nothing but its identity', () => {
    expect(store.workspace(key)).toEqual({
      key,
      repository: aRepository(),
      number: 7,
      enablement: 'never',
      enabledBy: null,
      state: 'idle',
      activeSessionId: null,
      lastCiRunId: null,
      staleCiSince: null,
      lastCheckedAt: null,
      lastPushAt: null,
      lastPushSha: null,
      consecutiveAttempts: 0,
      stop: null,
      seenHeadSha: null,
      seenHeadAt: null,
      headRef: null,
      baseRef: null,
      ciEverSeen: false,
      waitingFor: null,
      waitingSince: null,
      pause: null,
      freshStarts: 0,
      settledHeadSha: null,
      openPush: null,
      askedAt: null,
      takenBack: null,
      diagnosis: null,
      flakes: [],
      seenMerge: null,
      commentHash: null,
    });
    expect(store.workspace(parsePullRequestKey('1#1'))).toBeNull();
  });

  it('gives back every field that was set, and every field that was set to null', () => {
    const patch: Required<WorkspacePatch> = {
      enablement: 'enabled',
      enabledBy: { id: 9, login: 'ann', kind: 'user' },
      state: 'stopped',
      activeSessionId: parseSessionId('s1'),
      lastCiRunId: 'run',
      staleCiSince: 1,
      lastCheckedAt: 2,
      lastPushAt: 3,
      lastPushSha: fakeSha('push'),
      consecutiveAttempts: 2,
      stop: { causeKey: 'cause', code: 'NEEDS_HUMAN', reason: 'asked' },
      seenHeadSha: fakeSha('seen'),
      seenHeadAt: 4,
      headRef: 'feature',
      baseRef: 'main',
      ciEverSeen: true,
      waitingFor: 'CI_RUNNING',
      waitingSince: 5,
      pause: { by: { id: 9, login: 'ann', kind: 'user' }, at: 6 },
      freshStarts: 3,
      diagnosis: aDiagnosis({ flaky: ['unit'], person: [{ name: 'e2e', line: 'Bad credentials' }] }),
      settledHeadSha: fakeSha('seen'),
      openPush: { fromSha: fakeSha('push'), at: 7 },
      askedAt: 8,
      takenBack: {
        ...{ commitSha: fakeSha('push'), action: 'FIX_CI', by: { id: 9, login: 'ann', kind: 'user' } },
        ...{ headSha: fakeSha('seen'), at: 8 },
      },
      flakes: [{ name: 'unit', headSha: fakeSha('seen'), at: 9 }],
      seenMerge: 'conflict',
      commentHash: 'hash',
    };
    store.updateWorkspace(key, patch);
    expect(store.workspace(key)).toEqual({ key, repository: aRepository(), number: 7, ...patch });

    const empty = {
      ...{ enabledBy: null, stop: null, waitingFor: null, lastPushSha: null, activeSessionId: null },
      ...{ pause: null, diagnosis: null, seenMerge: null, commentHash: null, openPush: null, takenBack: null },
    };
    store.updateWorkspace(key, empty);
    expect(store.workspace(key)).toEqual({ key, repository: aRepository(), number: 7, ...patch, ...empty });
  });

  it('keeps the fields that a patch does not name', () => {
    store.updateWorkspace(key, { consecutiveAttempts: 2, state: 'fixing' });
    store.updateWorkspace(key, { state: 'waiting' });
    store.updateWorkspace(key, {});

    expect(store.workspace(key)).toMatchObject({ consecutiveAttempts: 2, state: 'waiting' });
  });

  it('is not changed by being ensured again, but for the name of its repository', () => {
    store.updateWorkspace(key, { consecutiveAttempts: 2 });

    const ensured = store.ensureWorkspace({ repository: aRepository({ name: 'renamed' }), number: 7 });

    expect(ensured).toMatchObject({ consecutiveAttempts: 2, repository: { name: 'renamed' } });
  });

  it('must exist to be updated', () => {
    expect(() => store.updateWorkspace(parsePullRequestKey('1#1'), { state: 'idle' })).toThrow(InvariantError);
  });
});

describe('a command', () => {
  it('is settled once', () => {
    const event = {
      kind: 'comment_created',
      repository: aRepository(),
      number: 7,
      comment: { kind: 'issue_comment', id: 1, body: '' },
      author: { id: 9, login: 'ann', kind: 'user' },
    } as const;
    store.ingest([
      aDelivery('a', event, {
        commands: [
          { name: 'enable', args: [] },
          { name: 'status', args: ['x'] },
        ],
      }),
    ]);
    const [first, second] = store.pendingCommands(key);

    store.settleCommand(first?.id ?? 0, 'done', 5);
    store.settleCommand(first?.id ?? 0, 'refused', 6);

    expect(store.pendingCommands(key)).toEqual([second]);
    expect(store.pendingCommands(otherKey)).toEqual([]);
  });

  it('is counted by the comment that it stands in, for its account, once it is settled', () => {
    const say = (id: number, authorId: number, kind: 'issue_comment' | 'review_comment' = 'issue_comment'): void => {
      const author = { id: authorId, login: 'ann', kind: 'user' } as const;
      const place = { repository: aRepository(), number: 7, comment: { kind, id, body: '' } } as const;
      const commands = [
        { name: 'help', args: [] },
        { name: 'status', args: [] },
      ] as const;
      const delivery = `${kind}-${String(id)}`;
      store.ingest([aDelivery(delivery, { kind: 'comment_created', ...place, author }, { commands })]);
    };
    say(1, 9);
    say(2, 9);
    say(2, 9, 'review_comment');
    say(3, 10);
    expect(store.settledComments(key, 9, 0)).toBe(0);

    for (const { id, comment } of store.pendingCommands(key)) store.settleCommand(id, 'done', comment.id);

    expect([0, 1, 2, 3].map((since) => store.settledComments(key, 9, since))).toEqual([3, 3, 2, 0]);
    expect(store.settledComments(key, 10, 0)).toBe(1);
    expect(store.settledComments(otherKey, 9, 0)).toBe(0);
  });
});

describe('a session', () => {
  it('is launched with its intent, its transition and the patch, all at once', () => {
    expect(launch('s1', {}, { state: 'fixing', activeSessionId: parseSessionId('s1') })).toBe(true);

    const id = parseSessionId('s1');
    expect(store.session(id)).toEqual(aSession('s1', { key }));
    expect(store.openIntents(id)).toMatchObject([{ uniqueKey: 's1', effect: { kind: 'launch' }, settledAt: null }]);
    expect(store.transitions(key, 10)).toMatchObject([{ action: 'FIX_CI' }]);
    expect(store.workspace(key)).toMatchObject({ state: 'fixing', activeSessionId: 's1' });
  });

  it('is refused, with nothing written, while another one of the pull request works (traps 20, 113 and 133)', () => {
    launch('s1');

    expect(launch('s2', {}, { state: 'green' })).toBe(false);
    expect(store.session(parseSessionId('s2'))).toBeNull();
    expect(store.transitions(key, 10)).toHaveLength(1);
    expect(store.workspace(key)?.state).toBe('idle');
    expect(launch('s3', { key: otherKey })).toBe(true);
    expect(store.allLiveSessions().map(({ id }) => id)).toEqual(['s1', 's3']);
  });

  it('leaves nothing behind when its launch fails half way', () => {
    const missing = parsePullRequestKey('1#1');

    expect(() => launch('s1', { key: missing })).toThrow();
    expect(store.session(parseSessionId('s1'))).toBeNull();
    expect(store.allLiveSessions()).toEqual([]);
  });

  it('cannot take the id of an earlier one', () => {
    launch('s1');
    store.endSession(parseSessionId('s1'), anEnd({ kind: 'died', detail: '' }, 5, {}));

    expect(() => launch('s1')).toThrow();
  });

  it('ends exactly once: the second end changes nothing (traps 22 and 114)', () => {
    launch('s1');
    const id = parseSessionId('s1');
    const first: SessionOutcome = { kind: 'timed_out', afterMs: 9 };

    expect(store.endSession(id, anEnd(first, 50, { consecutiveAttempts: 1, activeSessionId: null }))).toBe(true);
    expect(store.endSession(id, anEnd({ kind: 'died', detail: 'late' }, 60, { consecutiveAttempts: 2 }))).toBe(false);

    expect(store.session(id)).toMatchObject({ status: 'ended', endedAt: 50, outcome: first });
    expect(store.workspace(key)?.consecutiveAttempts).toBe(1);
    expect(store.openIntents(id)).toEqual([]);
    expect(store.liveSessions(key)).toEqual([]);
    expect(launch('s2')).toBe(true);
  });

  it('that does not exist does not end', () => {
    expect(store.endSession(parseSessionId('none'), anEnd({ kind: 'died', detail: '' }, 5, { state: 'failed' }))).toBe(
      false,
    );
    expect(store.workspace(key)?.state).toBe('idle');
  });

  it.each<SessionOutcome>([
    {
      kind: 'pushed',
      commitSha: fakeSha('c'),
      diff: { files: 1, insertions: 2, deletions: 3 },
      files: ['a.ts'],
      summary: 's',
      validation: [{ command: 'npm test', exitCode: 0, timedOut: false, durationMs: 5, tail: '' }],
      madeBy: 'rerere',
      resolved: [{ by: 'structure', tool: 'mergiraf 1.2.3', paths: ['b.ts'] }],
      patchId: 'patch',
      answers: [{ itemId: 'c1', status: 'fixed', reason: 'done', newestCommentId: 4 }],
    },
    {
      kind: 'suggested',
      patch: 'diff',
      diff: { files: 1, insertions: 2, deletions: 3 },
      files: ['a.ts'],
      summary: 's',
      resolved: [{ by: 'regeneration', tool: 'npm install', paths: ['package-lock.json'] }],
      validation: [],
    },
    {
      kind: 'declined',
      answers: [{ itemId: 'c1', status: 'declined', reason: 'no', newestCommentId: null }],
      summary: 's',
    },
    { kind: 'rejected', code: 'NO_CHANGE', detail: 'd', diff: null, validation: [] },
    { kind: 'superseded', why: 'head_moved', detail: 'd' },
    { kind: 'timed_out', afterMs: 1 },
    { kind: 'died', detail: 'd' },
  ])('keeps the outcome $kind as it was', (outcome) => {
    launch('s1');
    store.endSession(parseSessionId('s1'), anEnd(outcome, 5, {}));

    expect(store.session(parseSessionId('s1'))?.outcome).toEqual(outcome);
  });

  it('is listed after its end, newest first, up to the limit', () => {
    for (const [nth, id] of ['s1', 's2', 's3'].entries()) {
      launch(id, { startedAt: nth });
      store.endSession(parseSessionId(id), anEnd({ kind: 'died', detail: '' }, 100 + nth, {}));
    }

    expect(store.endedSessions(key, 2).map(({ id }) => id)).toEqual(['s3', 's2']);
    expect(store.endedSessions(otherKey, 2)).toEqual([]);
  });

  it('is counted among the launches of its day, ended or not, for its own pull request alone', () => {
    launch('s1', { startedAt: 99 });
    store.endSession(parseSessionId('s1'), anEnd({ kind: 'died', detail: '' }, 100, {}));
    launch('s2', { startedAt: 100 });
    store.endSession(parseSessionId('s2'), anEnd({ kind: 'died', detail: '' }, 101, {}));
    launch('s3', { startedAt: 200 });

    expect(store.launchesSince(key, 100)).toBe(2);
    expect(store.launchesSince(otherKey, 0)).toBe(0);
  });

  it('is stored with the wake-up that runs it, and ends with the one that looks again (trap 122)', () => {
    launch('s1');
    const due = store.dueWakeups('fixup', 0, 10);
    store.endSession(parseSessionId('s1'), anEnd({ kind: 'died', detail: '' }, 5, {}));

    expect(due).toEqual(['s1']);
    expect(store.dueWakeups('evaluate', 0, 10)).toEqual([key]);
    expect(store.transitions(key, 10)).toHaveLength(2);
  });

  it('takes a newer heartbeat and no older one, and none after its end', () => {
    launch('s1');
    const id = parseSessionId('s1');
    store.heartbeat(id, 2_000);
    store.heartbeat(id, 1_500);
    expect(store.session(id)?.heartbeatAt).toBe(2_000);

    store.endSession(id, anEnd({ kind: 'died', detail: '' }, 2_100, {}));
    store.heartbeat(id, 3_000);
    expect(store.session(id)?.heartbeatAt).toBe(2_000);
  });
});

describe('a session of a person', () => {
  function announce(id: string, fields: Partial<Session> = {}): SessionId {
    const session = { ...aSession(id, { key }), fixup: null, label: id, ...fields, kind: 'user' } as const;
    store.addUserSession(session);
    return session.id;
  }

  it('is one of several that work beside each other, and is no launch (S6)', () => {
    announce('u1');
    announce('u2', { startedAt: 1_001 });

    expect(store.liveSessions(key)).toMatchObject([
      { id: 'u1', kind: 'user', status: 'working', label: 'u1', fixup: null },
      { id: 'u2', kind: 'user', status: 'working', label: 'u2', fixup: null },
    ]);
    expect(store.launchesSince(key, 0)).toBe(0);
    expect(store.liveSessions(otherKey)).toEqual([]);
  });

  it('keeps a fixup from being launched while it works, and not while it is idle (002.R7); a fixup does (002.R31)', () => {
    announce('u1');

    expect(launch('s1')).toBe(false);
    store.idleUserSessions(key, 1_001);
    expect([launch('s1'), launch('s2')]).toEqual([true, false]);
  });

  it('may be announced while a fixup works', () => {
    launch('s1');
    announce('u1');

    expect(store.liveSessions(key).map(({ id }) => id)).toEqual(['s1', 'u1']);
  });

  it('falls idle by silence alone, and a heartbeat makes it work again', () => {
    const id = announce('u1');

    expect(store.idleUserSessions(key, 1_000)).toEqual([]);
    expect(store.idleUserSessions(otherKey, 5_000)).toEqual([]);
    expect(store.idleUserSessions(key, 1_001)).toEqual([id]);
    expect(store.idleUserSessions(key, 1_001)).toEqual([]);
    expect(store.session(id)?.status).toBe('idle');

    store.heartbeat(id, 2_000);
    expect(store.session(id)).toMatchObject({ status: 'working', heartbeatAt: 2_000 });
  });

  it('is given another end while it is live, and none after it', () => {
    const id = announce('u1');

    store.renewUserSession(id, 50_000);
    expect(store.session(id)?.deadlineAt).toBe(50_000);

    store.endUserSession(id, 5);
    store.renewUserSession(id, 90_000);
    expect(store.session(id)?.deadlineAt).toBe(50_000);
  });

  it('ends once, and comes back by no heartbeat', () => {
    const id = announce('u1');

    expect([store.endUserSession(id, 5), store.endUserSession(id, 6)]).toEqual([true, false]);
    store.heartbeat(id, 9_000);

    expect(store.session(id)).toMatchObject({ status: 'ended', endedAt: 5, outcome: null });
    expect(store.endedSessions(key, 10)).toEqual([]);
  });

  it('is the only kind that is ended or turned idle as one', () => {
    launch('s1');

    expect(store.endUserSession(parseSessionId('s1'), 5)).toBe(false);
    expect(store.idleUserSessions(key, 9_000)).toEqual([]);
    const launched = store.session(parseSessionId('s1'));
    store.renewUserSession(parseSessionId('s1'), 7);
    expect(store.session(parseSessionId('s1'))).toEqual(launched);
    expect(launched?.status).toBe('working');
  });
});

describe('answers that are owed', () => {
  const answer = { kind: 'answer', commitSha: fakeSha('c'), answers: [] } as const;

  it('are opened with the end of the session, oldest first, until they are settled', () => {
    for (const [nth, id] of ['s1', 's2'].entries()) {
      launch(id);
      store.endSession(parseSessionId(id), { ...anEnd({ kind: 'died', detail: '' }, nth, {}), answer });
    }
    const owed = store.openAnswers(key);

    expect(owed.map(({ sessionId, effect }) => [sessionId, effect])).toEqual([
      ['s1', answer],
      ['s2', answer],
    ]);
    expect(store.settleIntent(owed[0]?.id ?? 0, 'answered', 9)).toBe(true);
    expect(store.openAnswers(key).map(({ sessionId }) => sessionId)).toEqual(['s2']);
    expect(store.openAnswers(otherKey)).toEqual([]);
    expect(store.recentAnswers(key, 9).map(({ sessionId, outcome }) => [sessionId, outcome])).toEqual([
      ['s2', null],
      ['s1', 'answered'],
    ]);
    expect(store.recentAnswers(key, 1).map(({ sessionId }) => sessionId)).toEqual(['s2']);
    expect(store.recentAnswers(otherKey, 9)).toEqual([]);
  });

  it('are none of a session that ended in another way, nor its other intents', () => {
    launch('s1');

    expect(store.openAnswers(key)).toEqual([]);
  });
});

describe('the pull requests of a base branch', () => {
  it('are the enabled ones that are not closed, by number', () => {
    for (const [number, fields] of [
      [7, {}],
      [8, {}],
      [9, { state: 'closed' }],
      [10, { enablement: 'disabled' }],
      [11, { baseRef: 'next' }],
    ] as const) {
      const { key: each } = store.ensureWorkspace({ repository: aRepository(), number });
      store.updateWorkspace(each, { enablement: 'enabled', baseRef: 'main', ...fields });
    }

    expect(store.enabledOnBase(100, 'main').map(({ number }) => number)).toEqual([7, 8]);
    expect(store.enabledOnBase(101, 'main')).toEqual([]);
  });
});

describe('a repository by its name', () => {
  it('is found in any case, and the younger one where two have had the name', () => {
    store.ensureWorkspace({ repository: aRepository({ repositoryId: 200, owner: 'Octo', name: 'App' }), number: 1 });

    expect(store.findRepository('OCTO', 'app')).toEqual(aRepository({ repositoryId: 200, owner: 'Octo', name: 'App' }));
    expect(store.findRepository('octo', 'ap_')).toBeNull();
    expect(store.findRepository('octo', "' or 1=1 --")).toBeNull();
  });
});

describe('an intent', () => {
  const sessionId = parseSessionId('s1');
  const effect: PushEffect = {
    kind: 'push',
    commitSha: fakeSha('new'),
    branch: 'feature',
    oldSha: fakeSha('old'),
    outcome: {
      kind: 'pushed',
      commitSha: fakeSha('new'),
      diff: { files: 1, insertions: 1, deletions: 0 },
      ...{ files: ['a'], summary: '', validation: [] },
      madeBy: 'agent',
      ...{ resolved: [], patchId: null },
      answers: [],
    },
  };
  const planned = { uniqueKey: 'push-1', key, sessionId, effect, createdAt: 5 };

  it('is opened once for its kind and key, whether it was settled or not', () => {
    launch('s1');
    const first = store.openIntent(planned);
    store.settleIntent(first.intent.id, 'done', 6);

    const again = store.openIntent({ ...planned, createdAt: 7 });

    expect(first).toMatchObject({ isNew: true, intent: planned });
    expect(again).toMatchObject({ isNew: false, intent: { id: first.intent.id, outcome: 'done', createdAt: 5 } });
  });

  it('is settled once', () => {
    launch('s1');
    const { intent } = store.openIntent(planned);

    expect(store.settleIntent(intent.id, 'pushed', 6)).toBe(true);
    expect(store.settleIntent(intent.id, 'dropped', 7)).toBe(false);
    expect(store.openIntent(planned).intent).toMatchObject({ outcome: 'pushed', settledAt: 6 });
  });

  it('is listed while it is open', () => {
    launch('s1');
    const { intent } = store.openIntent(planned);

    expect(store.openIntents(sessionId).map(({ effect: { kind } }) => kind)).toEqual(['launch', 'push']);
    store.settleIntent(intent.id, 'pushed', 6);
    expect(store.openIntents(sessionId).map(({ effect: { kind } }) => kind)).toEqual(['launch']);
  });
});

describe('a check run', () => {
  const open = {
    key,
    headSha: fakeSha('head'),
    name: 'ratchet',
    series: '',
    generation: 0,
    checkRunId: null,
    contentHash: null,
    completed: false,
    conclusion: null,
  };

  it('is one per head, name and series, and is replaced as a whole', () => {
    const completed = {
      ...open,
      generation: 2,
      checkRunId: 4,
      contentHash: 'h',
      completed: true,
      conclusion: 'success',
    } as const;
    const another = { ...open, series: 'run', checkRunId: 5 };
    store.saveCheckRun(open);
    store.saveCheckRun(another);
    expect(store.openCheckRuns(key, 'ratchet')).toEqual([open, another]);

    store.saveCheckRun(completed);

    expect(store.checkRun(open)).toEqual(completed);
    expect(store.openCheckRuns(key, 'ratchet')).toEqual([another]);
    expect(store.openCheckRuns(key, 'another')).toEqual([]);
    expect(store.checkRun({ ...open, headSha: fakeSha('none') })).toBeNull();
  });
});

describe('a stored value that is damaged', () => {
  it.each([
    { table: 'ratchet_transition_log', sql: `UPDATE ratchet_transition_log SET snapshot = '{"now":1}'`, row: '1' },
    { table: 'ratchet_transition_log', sql: "UPDATE ratchet_transition_log SET snapshot = 'secret{'", row: '1' },
    { table: 'sessions', sql: `UPDATE sessions SET fixup = '{}'`, row: 's1' },
    { table: 'workspaces', sql: "UPDATE workspaces SET waiting_for = 'NO_SUCH_CODE'", row: '100#7' },
  ])('is an invariant error that names $table and the row', ({ table, sql, row }) => {
    const folder = temporaryFolder();
    const path = join(folder.path, 'ratchet.db');
    const onDisk = createStore({ path });
    onDisk.ensureWorkspace({ repository: aRepository(), number: 7 });
    onDisk.launchSession({
      ...{ session: aSession('s1', { key }), transition: aTransition({ key, snapshot: aSnapshot() }), patch: {} },
      wake: { queue: 'fixup', key: 's1', notBefore: null },
    });
    const vandal = new SqliteDatabase(path);
    vandal.exec(sql);
    vandal.close();

    const read = (): unknown => [onDisk.transitions(key, 1), onDisk.liveSessions(key), onDisk.workspace(key)];

    expect(read).toThrow(InvariantError);
    expect(read).toThrow(new RegExp(`${table}\\.\\w+ of row ${row}`));
    expect(read).not.toThrow(/secret/);
    onDisk.close();
    folder.remove();
  });
});
