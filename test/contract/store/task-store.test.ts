import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { parseRunId, toPullRequestKey } from '../../../src/core/model/ids.ts';
import type { NewTaskRun } from '../../../src/core/model/task-record.ts';
import type { Store } from '../../../src/ports/store.ts';
import {
  aDelivery,
  aRepository,
  aSession,
  aTransition,
  fakeSha,
  memoryStore,
  NOTHING_OLD,
  pullRequestChanged,
  temporaryFolder,
} from '../../support/store.ts';
import {
  aFingerprint,
  anAttemptEnd,
  aPlannedTask,
  aTaskFinding,
  aTaskRun,
  blocked,
  QUEUED,
  SUCCEEDED,
} from '../../support/task-store.ts';

const RUN = parseRunId('run-1');
const NEXT = parseRunId('run-2');
const KEY = toPullRequestKey(100, 7);
const DONE = { branch: 'ratchet/run-1', reason: 'all findings are gone' };

function aStore(fields: Partial<NewTaskRun> = {}): Store {
  const store = memoryStore();
  store.createTaskRun(aTaskRun('run-1', fields));
  return store;
}

function statuses(store: Store, run = RUN): readonly unknown[] {
  return store.tasks(run).map(({ status, cause, causeDetail }) => [status, cause, causeDetail]);
}

/** Leaves a task of that name blocked in the run. */
function block(store: Store, seed: string): void {
  store.insertTasks(RUN, [aPlannedTask(seed)], 1_000);
  const found = store.tasks(RUN).find(({ fingerprint }) => fingerprint === aFingerprint(seed));
  store.updateTaskStatus(found?.id ?? 0, blocked(), 2_000);
}

/** The same plan in a second run. */
function planAgain(store: Store, run: Partial<NewTaskRun>): readonly unknown[] {
  store.endTaskRun(RUN, { status: 'failed', result: DONE, at: 3_000 });
  store.createTaskRun(aTaskRun('run-2', { startedAt: 4_000, ...run }));
  store.insertTasks(NEXT, [aPlannedTask('a')], 4_000);
  return statuses(store, NEXT);
}

describe('a run', () => {
  it('keeps what it was begun with: one commit, and its configuration (001.R4, 001.R9, 001.R44, 001.R52, 001.R57)', () => {
    const store = aStore();

    expect(store.taskRun(RUN)).toEqual({ ...aTaskRun(), status: 'running', finishedAt: null, result: null });
    expect(() => store.createTaskRun(aTaskRun('run-1', { commit: fakeSha('other') }))).toThrow('UNIQUE');
    expect(store.taskRun(parseRunId('none'))).toBeNull();
  });

  it('belongs to a pull request and a session, or to neither (001.R44)', () => {
    const store = memoryStore();
    store.ingest([aDelivery('opened', pullRequestChanged())]);
    const session = aSession('s1', { key: KEY });
    const wake = { queue: 'q', key: 'k', notBefore: null };
    store.launchSession({ session, transition: aTransition({ key: KEY }), patch: {}, wake });
    store.createTaskRun(aTaskRun('run-1', { workspaceKey: KEY, sessionId: session.id }));
    store.createTaskRun(aTaskRun('run-2'));

    expect(store.runningTaskRuns(KEY).map(({ id }) => id)).toEqual([RUN]);
    expect(store.runningTaskRuns('/home/me/project').map(({ id }) => id)).toEqual([NEXT]);
    expect(store.ownerOf(RUN)).toBe(KEY);
    expect(store.ownerOf(NEXT)).toBeNull();
    expect(() => store.createTaskRun(aTaskRun('x', { workspaceKey: toPullRequestKey(1, 1) }))).toThrow('FOREIGN KEY');
  });

  it('ends once, and abandons what is left of its tasks', () => {
    const store = aStore();
    store.insertTasks(RUN, [aPlannedTask('a'), aPlannedTask('b', { dependsOn: [aFingerprint('a')] })], 1_000);
    const task = store.claimNextTask(RUN, { workerId: 'w1', now: 2_000, until: 3_000 });
    const held = { taskId: task?.id ?? 0, workerId: 'w1' };
    const attempt = store.createAttempt(held, { agentName: 'claude', startedAt: 2_000 });
    const ends = [1, 2].map(() => store.endTaskRun(RUN, { status: 'aborted', result: DONE, at: 4_000 }));

    expect(ends).toEqual([true, false]);
    expect(store.taskRun(RUN)).toMatchObject({ status: 'aborted', finishedAt: 4_000, result: DONE });
    const left = ['abandoned', 'RUN_ENDED', 'The run ended before it was done.'];
    expect(statuses(store)).toEqual([left, left]);
    expect(store.attempts(held.taskId)).toMatchObject([{ status: 'failed', cause: 'INTERRUPTED' }]);
    expect(() => store.finishAttempt(held, attempt.id, anAttemptEnd(), QUEUED)).toThrow('not claimed');
    expect(() => store.insertTasks(RUN, [aPlannedTask('c')], 5_000)).toThrow('has not ended');
    expect(store.runningTaskRuns('/home/me/project')).toEqual([]);
  });
});

describe('findings', () => {
  it('are kept as they were found, each time that they were collected (001.R46)', () => {
    const store = aStore();
    const found = [
      aTaskFinding('a'),
      aTaskFinding('b', { filePath: null, line: null, column: null, testId: null, rawRef: null, symbol: 'E501' }),
    ];
    store.addCollection(RUN, { stage: 'baseline', at: 1_000, incomplete: [] }, found);
    store.addCollection(RUN, { stage: 'final', at: 9_000, incomplete: ['vitest'] }, []);

    expect(store.findingsOf(RUN, 1)).toEqual(found);
    expect(store.findingsOf(RUN, 2)).toEqual([]);
    // No findings of a tool that did not end as it should are not the same as none.
    expect(store.taskRunSummary(RUN)?.collections).toEqual([
      { no: 1, stage: 'baseline', at: 1_000, incomplete: [], findings: 2 },
      { no: 2, stage: 'final', at: 9_000, incomplete: ['vitest'], findings: 0 },
    ]);
  });

  it('are linked with the tasks that are about them (001.R49)', () => {
    const store = aStore();
    store.addCollection(RUN, { stage: 'baseline', at: 1_000, incomplete: [] }, [aTaskFinding('x'), aTaskFinding('y')]);
    const about = [aFingerprint('x'), aFingerprint('y')].toSorted();
    store.insertTasks(RUN, [aPlannedTask('a', { findings: about })], 1_000);

    expect(store.tasks(RUN)[0]?.findings).toEqual(about);
    const unknown = aPlannedTask('b', { findings: [aFingerprint('z')] });
    expect(() => store.insertTasks(RUN, [unknown], 1_000)).toThrow('about a finding that is not stored');
    expect(store.tasks(RUN)).toHaveLength(1);
  });
});

describe('tasks', () => {
  it('are kept as they were planned (001.R47)', () => {
    const store = aStore();
    const planned = aPlannedTask('a', { worker: 'fixer', taskType: 'add_test', priority: -3 });
    store.insertTasks(RUN, [planned], 1_000);

    expect(store.tasks(RUN)).toEqual([
      { ...planned, id: 1, runId: RUN, status: 'queued', cause: null, causeDetail: '' },
    ]);
  });

  it('exist once for each fingerprint of a run: another plan revives none, whatever became of it (001.R47)', () => {
    const store = aStore();
    const plan = ['a', 'b', 'c'].map((seed) => aPlannedTask(seed));
    const first = store.insertTasks(RUN, plan, 1_000);
    const [a, b, c] = store.tasks(RUN).map(({ id }) => id);
    store.updateTaskStatus(a ?? 0, blocked(), 2_000);
    store.updateTaskStatus(b ?? 0, { status: 'abandoned', cause: 'GONE', causeDetail: '' }, 2_000);
    store.updateTaskStatus(c ?? 0, SUCCEEDED, 2_000);
    const before = store.tasks(RUN);
    const again = store.insertTasks(RUN, [...plan, aPlannedTask('d')], 3_000);

    expect([first, again]).toEqual([3, 1]);
    expect(store.tasks(RUN).slice(0, 3)).toEqual(before);
  });

  it('that wait for a task that will not succeed begin blocked, and must not wait for one that does not exist', () => {
    const store = aStore();
    block(store, 'a');
    store.insertTasks(RUN, [aPlannedTask('b', { dependsOn: [aFingerprint('a')] })], 3_000);

    expect(statuses(store)[1]).toEqual(['blocked', 'DEPENDENCY', 'Task 1, which it depends on, is blocked.']);
    const lost = aPlannedTask('c', { dependsOn: [aFingerprint('none')] });
    expect(() => store.insertTasks(RUN, [lost], 3_000)).toThrow('depends on a task that the run does not have');
    expect(store.tasks(RUN)).toHaveLength(2);
  });

  it('that a worker has are changed by nobody else', () => {
    const store = aStore();
    store.insertTasks(RUN, [aPlannedTask('a')], 1_000);
    store.claimNextTask(RUN, { workerId: 'w1', now: 2_000, until: 3_000 });

    expect(store.updateTaskStatus(1, blocked(), 2_500)).toBe(false);
    expect(store.updateTaskStatus(99, blocked(), 2_500)).toBe(false);
    expect(statuses(store)).toEqual([['running', null, '']]);
  });
});

describe('a task that an earlier run left blocked', () => {
  it('begins blocked in the next run, for the same reason (C19)', () => {
    const store = aStore();
    block(store, 'a');

    expect(planAgain(store, { commit: fakeSha('pushed') })).toEqual([
      ['blocked', 'RETRY_CAP', 'three attempts failed'],
    ]);
  });

  it.each([
    ['has another base', { baseSha: fakeSha('moved') }],
    ['is of another repository', { repoPath: '/home/me/other' }],
    ['began a fresh start', { historySince: 4_000 }],
  ])('gets another chance in a run that %s (C19)', (_what, run) => {
    const store = aStore();
    block(store, 'a');

    expect(planAgain(store, run)).toEqual([['queued', null, '']]);
  });

  it('because of another task gets another chance: what it waited for may not be planned again', () => {
    const store = aStore();
    block(store, 'b');
    store.insertTasks(RUN, [aPlannedTask('a', { dependsOn: [aFingerprint('b')] })], 2_500);

    expect(planAgain(store, {})).toEqual([['queued', null, '']]);
  });

  it('of a pull request stays so in that pull request alone', () => {
    const store = memoryStore();
    for (const number of [7, 8]) {
      store.ensureWorkspace({ repository: aRepository(), number });
    }
    store.createTaskRun(aTaskRun('run-1', { workspaceKey: KEY, repoPath: 'octo/app' }));
    block(store, 'a');
    store.createTaskRun(aTaskRun('run-2', { workspaceKey: KEY, repoPath: 'octo/app' }));
    const other = parseRunId('run-3');
    store.createTaskRun(aTaskRun('run-3', { workspaceKey: toPullRequestKey(100, 8), repoPath: 'octo/app' }));
    for (const run of [NEXT, other]) store.insertTasks(run, [aPlannedTask('a')], 5_000);

    expect([statuses(store, NEXT), statuses(store, other)]).toEqual([
      [['blocked', 'RETRY_CAP', 'three attempts failed']],
      [['queued', null, '']],
    ]);
  });
});

describe('an attempt', () => {
  it('records agent, exit codes, times, summary, diff and artifacts (001.R7, 001.R48)', () => {
    const store = aStore();
    store.insertTasks(RUN, [aPlannedTask('a')], 1_000);
    const task = store.claimNextTask(RUN, { workerId: 'w1', now: 2_000, until: 3_000 });
    const held = { taskId: task?.id ?? 0, workerId: 'w1' };
    const { id, attemptNo } = store.createAttempt(held, { agentName: 'claude', startedAt: 2_100 });
    const tokens = { input: 1, cached: 2, written: 3, output: 4 };
    const use = { agent: 'claude', version: '1', model: 'm', calls: 2, tokens, microUsd: 250_000, durationMs: 9 };
    const { at, ...end } = anAttemptEnd({ use, changeRef: fakeSha('change'), artifacts: ['attempt-1/patch.diff'] });
    store.finishAttempt(held, id, { ...end, at }, QUEUED);

    expect(store.attempts(held.taskId)).toEqual([
      { ...end, id, attemptNo, taskId: held.taskId, agentName: 'claude', startedAt: 2_100, finishedAt: at },
    ]);
    expect(store.taskRunSummary(RUN)).toMatchObject({ costUsd: 0.25, counts: { queued: 1, running: 0 } });
    expect(() => store.finishAttempt(held, id, { ...end, at }, SUCCEEDED)).toThrow('not claimed');
  });

  it('of another task, or that has ended, is not ended by a worker', () => {
    const store = aStore();
    store.insertTasks(RUN, [aPlannedTask('a'), aPlannedTask('b')], 1_000);
    const [a, b] = [1, 2].map(() => {
      const task = store.claimNextTask(RUN, { workerId: 'w1', now: 2_000, until: 3_000 });
      const held = { taskId: task?.id ?? 0, workerId: 'w1' };
      return { held, ...store.createAttempt(held, { agentName: null, startedAt: 2_000 }) };
    });
    if (a === undefined || b === undefined) throw new Error('two tasks were expected');

    expect(() => store.finishAttempt(a.held, b.id, anAttemptEnd(), QUEUED)).toThrow('is not running');
    expect(store.tasks(RUN).map(({ status }) => status)).toEqual(['running', 'running']);
  });
});

describe('artifacts', () => {
  it('are stored with kind, path, hash and size (001.R45)', () => {
    const store = aStore();
    const file = { kind: 'report', path: 'pytest/report.json', sha256: aFingerprint('x'), sizeBytes: 12 } as const;
    const artifact = { ...file, tool: 'pytest', createdAt: 1_500, meta: { cut: true } };
    const id = store.addArtifact(RUN, artifact);

    expect(store.artifacts(RUN)).toEqual([{ ...artifact, id }]);
  });
});

describe('the events of a run', () => {
  it('are stored with the changes that they tell, in their order', () => {
    const store = aStore();
    store.addCollection(RUN, { stage: 'baseline', at: 1_100, incomplete: [] }, [aTaskFinding('x')]);
    store.insertTasks(RUN, [aPlannedTask('a')], 1_200);
    const task = store.claimNextTask(RUN, { workerId: 'w1', now: 2_000, until: 3_000 });
    const held = { taskId: task?.id ?? 0, workerId: 'w1' };
    const { id } = store.createAttempt(held, { agentName: 'claude', startedAt: 2_100 });
    store.noteEvent({ runId: RUN, at: 2_200, level: 'warn', attemptId: id, payload: { unknown_keys: ['mood'] } });
    store.finishAttempt(held, id, anAttemptEnd({ at: 2_300 }), QUEUED);
    store.addCollection(RUN, { stage: 'checkpoint', at: 2_400, incomplete: ['vitest'] }, []);
    store.endTaskRun(RUN, { status: 'failed', result: DONE, at: 2_500 });
    const events = store.eventsAfter(RUN, 0, 100);

    expect(events.map(({ at, type, level, taskId, attemptId }) => [at, type, level, taskId, attemptId])).toEqual([
      [1_000, 'run_started', 'info', null, null],
      [1_100, 'baseline', 'info', null, null],
      [1_200, 'task_queued', 'info', 1, null],
      [2_000, 'task_running', 'info', 1, null],
      [2_100, 'attempt_started', 'info', 1, id],
      [2_200, 'note', 'warn', null, id],
      [2_300, 'attempt_finished', 'warn', 1, id],
      [2_300, 'task_queued', 'info', 1, null],
      [2_400, 'checkpoint', 'warn', null, null],
      [2_500, 'task_abandoned', 'warn', 1, null],
      [2_500, 'run_finished', 'error', null, null],
    ]);
    expect(events[5]?.payload).toEqual({ unknown_keys: ['mood'] });
    expect(store.eventsAfter(RUN, events[8]?.seq ?? 0, 1)).toEqual([events[9]]);
  });

  it('hold the entries of the transition log about its pull request, as long as it runs (C18)', () => {
    const store = memoryStore();
    store.ensureWorkspace({ repository: aRepository(), number: 7 });
    store.appendTransition(aTransition({ key: KEY, reason: 'before' }));
    store.createTaskRun(aTaskRun('run-1', { workspaceKey: KEY }));
    store.appendTransition(aTransition({ key: KEY, reason: 'while it runs', createdAt: 1_700 }));
    store.endTaskRun(RUN, { status: 'succeeded', result: DONE, at: 2_000 });
    store.appendTransition(aTransition({ key: KEY, reason: 'after' }));
    const told = store.eventsAfter(RUN, 0, 100).filter(({ type }) => type === 'transition');

    expect(told.map(({ at, payload }) => [at, payload])).toEqual([
      [1_700, { action: 'FIX_CI', code: 'CI_FAILED', reason: 'while it runs' }],
    ]);
  });

  it('are not stored when their change is not', () => {
    const store = aStore();
    const before = store.eventsAfter(RUN, 0, 100);
    expect(() => store.insertTasks(RUN, [aPlannedTask('a'), aPlannedTask('b', { dependsOn: ['none'] })], 1)).toThrow();

    expect(store.eventsAfter(RUN, 0, 100)).toEqual(before);
  });
});

describe('the tables', () => {
  it('have the columns, keys and indexes of document 001, and integer keys beside the public id (001.R50)', () => {
    const folder = temporaryFolder();
    const path = join(folder.path, 'ratchet.db');
    createStore({ path }).close();
    const database = new SqliteDatabase(path, { readonly: true });
    const read = (text: string): readonly string[] => database.prepare(text).pluck().all().map(String);
    const columns = (table: string): readonly string[] =>
      read(`select name || ' ' || lower(type) || iif("notnull", ' not null', '') from pragma_table_info('${table}')`);
    const indexes = read("select name from sqlite_schema where type = 'index' and name like 'idx_%'");
    const keyed = read("select name from sqlite_schema where type = 'table' and sql like '%AUTOINCREMENT%'");
    const [found, attempts, unique] = [columns('findings'), columns('attempts'), columns('task_findings')];
    database.close();
    folder.remove();

    expect(indexes).toEqual(
      expect.arrayContaining([
        ...['idx_artifacts_run_id', 'idx_findings_run_tool', 'idx_findings_fingerprint', 'idx_tasks_run_status'],
        ...['idx_tasks_fingerprint', 'idx_attempts_task_id'],
      ]),
    );
    expect(keyed).toEqual(expect.arrayContaining(['runs', 'artifacts', 'findings', 'tasks', 'attempts']));
    expect(found).toEqual(
      expect.arrayContaining(['run_id text not null', 'col integer', 'raw_ref text', 'created_at text not null']),
    );
    expect(attempts).toEqual(
      expect.arrayContaining(['task_id integer not null', 'started_at text not null', 'diff_stats_json text']),
    );
    expect(unique).toEqual(['task_id integer not null', 'finding_id integer not null']);
  });
});

describe('housekeeping', () => {
  it('deletes old runs with all that they have, and pull requests with their runs', () => {
    const store = memoryStore();
    store.ensureWorkspace({ repository: aRepository(), number: 7 });
    store.createTaskRun(aTaskRun('run-1'));
    store.addCollection(RUN, { stage: 'baseline', at: 1_100, incomplete: [] }, [aTaskFinding('x')]);
    store.insertTasks(RUN, [aPlannedTask('a', { findings: [aFingerprint('x')] })], 1_000);
    store.createTaskRun(aTaskRun('run-2', { startedAt: 50_000, workspaceKey: KEY }));
    store.prune({ ...NOTHING_OLD, sessions: 50_000 }, 500);

    expect([store.taskRun(RUN), store.tasks(RUN), store.eventsAfter(RUN, 0, 10)]).toEqual([null, [], []]);
    expect(store.taskRun(NEXT)).not.toBeNull();
    store.prune({ ...NOTHING_OLD, workspaces: Date.now() + 1_000 }, 500);
    expect([store.workspace(KEY), store.taskRun(NEXT)]).toEqual([null, null]);
  });
});
