import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { inTransaction } from '../../../src/adapters/store/database.ts';
import { parseRunId } from '../../../src/core/model/ids.ts';
import type { Task } from '../../../src/core/model/task.ts';
import type { Store } from '../../../src/ports/store.ts';
import { memoryStore, temporaryFolder } from '../../support/store.ts';
import {
  aFingerprint,
  anAttemptEnd,
  aPlannedTask,
  aTaskRun,
  blocked,
  QUEUED,
  SUCCEEDED,
} from '../../support/task-store.ts';

const RUN = parseRunId('run-1');
const script = fileURLToPath(new URL('children/claim-tasks.ts', import.meta.url));

function aStore(tasks: Parameters<Store['insertTasks']>[1] = []): Store {
  const store = memoryStore();
  store.createTaskRun(aTaskRun());
  store.insertTasks(RUN, tasks, 1_000);
  return store;
}

function claim(store: Store, { workerId = 'w1', now = 2_000, until = 3_000 } = {}): Task | null {
  return store.claimNextTask(RUN, { workerId, now, until });
}

function taskOf(store: Store, seed: string): Task {
  const found = store.tasks(RUN).find(({ fingerprint }) => fingerprint === aFingerprint(seed));
  if (found === undefined) throw new Error(`there is no task ${seed}`);
  return found;
}

/** Claims the next task and ends an attempt on it. */
function work(store: Store, standing = SUCCEEDED, now = 2_000): Task | null {
  const task = claim(store, { now, until: now + 1_000 });
  if (task === null) return null;
  const held = { taskId: task.id, workerId: 'w1' };
  const { id } = store.createAttempt(held, { agentName: 'claude', startedAt: now });
  const isDone = standing.status === 'succeeded';
  const end = isDone ? anAttemptEnd({ status: 'succeeded', cause: null }) : anAttemptEnd();
  store.finishAttempt(held, id, end, standing);
  return task;
}

describe('a claim', () => {
  it('takes the highest priority first, then the oldest (001.R51)', () => {
    const store = aStore([aPlannedTask('low', { priority: 1 }), aPlannedTask('b', { priority: 5 })]);
    store.insertTasks(RUN, [aPlannedTask('late', { priority: 5 }), aPlannedTask('top', { priority: 9 })], 1_500);
    const order = [1, 2, 3, 4, 5].map(() => claim(store)?.title ?? null);

    expect(order).toEqual(['fix top', 'fix b', 'fix late', 'fix low', null]);
  });

  it('waits until all that the task depends on has succeeded (001.R51)', () => {
    const store = aStore([
      aPlannedTask('last', { priority: 9, dependsOn: [aFingerprint('a'), aFingerprint('b')] }),
      aPlannedTask('a'),
      aPlannedTask('b', { priority: 5 }),
    ]);
    const first = work(store);
    const second = claim(store);
    const none = claim(store, { workerId: 'w2' });
    if (second === null) throw new Error('no second task');
    const held = { taskId: second.id, workerId: 'w1' };
    const { id } = store.createAttempt(held, { agentName: null, startedAt: 2_000 });
    store.finishAttempt(held, id, anAttemptEnd({ status: 'succeeded', cause: null }), SUCCEEDED);

    expect([first?.title, second.title, none]).toEqual(['fix a', 'fix b', null]);
    expect(claim(store)?.title).toBe('fix last');
  });

  it('blocks all that waits for a blocked or an abandoned task, and what waits for that, but not for what is gone (001.R51)', () => {
    const store = aStore([
      aPlannedTask('a', { priority: 19 }),
      aPlannedTask('b', { dependsOn: [aFingerprint('a')] }),
      aPlannedTask('c', { dependsOn: [aFingerprint('b')] }),
      aPlannedTask('free'),
      aPlannedTask('gone'),
      aPlannedTask('d', { dependsOn: [aFingerprint('gone')] }),
      aPlannedTask('left', { priority: 18 }),
      aPlannedTask('e', { dependsOn: [aFingerprint('left')] }),
    ]);
    work(store, blocked());
    const left = { status: 'abandoned', cause: 'SUPERSEDED', causeDetail: '' } as const;
    store.updateTaskStatus(taskOf(store, 'left').id, left, 3_000);
    const gone = { status: 'abandoned', cause: 'GONE', causeDetail: '' } as const;
    store.updateTaskStatus(taskOf(store, 'gone').id, gone, 3_000);
    const standings = store.tasks(RUN).map(({ title, status, cause }) => [title, status, cause]);

    expect(standings).toEqual([
      ['fix a', 'blocked', 'RETRY_CAP'],
      ['fix b', 'blocked', 'DEPENDENCY'],
      ['fix c', 'blocked', 'DEPENDENCY'],
      ['fix free', 'queued', null],
      ['fix gone', 'abandoned', 'GONE'],
      ['fix d', 'queued', null],
      ['fix left', 'abandoned', 'SUPERSEDED'],
      ['fix e', 'blocked', 'DEPENDENCY'],
    ]);
    expect(taskOf(store, 'b').causeDetail).toBe('Task 1, which it depends on, is blocked.');
    const claimed = Array.from({ length: 3 }, (_, nth) => claim(store, { workerId: `again-${String(nth)}` })?.title);
    expect(claimed).toEqual(['fix free', 'fix d', undefined]);
  });

  it('names who has it and until when, and another worker does not get the task (001.R47)', () => {
    const store = aStore([aPlannedTask('a')]);

    expect(claim(store)).toEqual({ ...taskOf(store, 'a'), status: 'running' });
    expect(claim(store, { workerId: 'w2', now: 2_999 })).toBeNull();
  });
});

describe('a lease', () => {
  it('is prolonged by its holder alone', () => {
    const store = aStore([aPlannedTask('a')]);
    claim(store);
    const taskId = taskOf(store, 'a').id;

    expect(store.renewTaskClaim({ taskId, workerId: 'w2' }, 9_000)).toBe(false);
    expect(store.renewTaskClaim({ taskId, workerId: 'w1' }, 9_000)).toBe(true);
    expect(claim(store, { workerId: 'w2', now: 8_999, until: 9_999 })).toBeNull();
    expect(claim(store, { workerId: 'w2', now: 9_000, until: 9_999 })?.id).toBe(taskId);
  });

  it('that ended gives the task back, and its attempt has failed (001.R43)', () => {
    const store = aStore([aPlannedTask('a')]);
    const task = claim(store);
    const held = { taskId: task?.id ?? 0, workerId: 'w1' };
    const { id } = store.createAttempt(held, { agentName: 'claude', startedAt: 2_000 });
    const early = store.recoverTaskClaims(RUN, 2_999);
    const late = store.recoverTaskClaims(RUN, 3_000);

    expect([early, late]).toEqual([0, 1]);
    expect(taskOf(store, 'a')).toMatchObject({ status: 'queued', cause: null });
    expect(store.attempts(held.taskId)).toMatchObject([
      { id, attemptNo: 1, status: 'failed', cause: 'LEASE_EXPIRED', finishedAt: 3_000 },
    ]);
    // What the late worker did does not count, whoever has the task now.
    const lost = 'not claimed by this worker any more';
    expect(() => store.finishAttempt(held, id, anAttemptEnd(), QUEUED)).toThrow(lost);
    claim(store, { workerId: 'w2', now: 3_000, until: 4_000 });
    expect(() => store.finishAttempt(held, id, anAttemptEnd(), QUEUED)).toThrow(lost);
    expect(() => store.createAttempt(held, { agentName: null, startedAt: 1 })).toThrow(lost);
    expect(store.renewTaskClaim(held, 9_999)).toBe(false);
    expect(store.createAttempt({ ...held, workerId: 'w2' }, { agentName: null, startedAt: 3_000 }).attemptNo).toBe(2);
  });

  it('of a task that kills its processes is given out a bounded number of times', () => {
    const store = aStore([aPlannedTask('a')]);
    let claims = 0;
    for (let now = 10_000; claims < 20; now += 1_000) {
      const workerId = `w${String(now)}`;
      const task = claim(store, { workerId, now, until: now + 1_000 });
      if (task === null) break;
      claims += 1;
      store.createAttempt({ taskId: task.id, workerId }, { agentName: 'claude', startedAt: now });
    }

    expect(claims).toBe(4);
    expect(taskOf(store, 'a')).toMatchObject({ status: 'blocked', cause: 'RETRY_CAP' });
  });

  it('that has time left is recovered where its owner is known to be dead, whatever the clock says', () => {
    const store = aStore([aPlannedTask('a')]);
    claim(store);

    expect([store.recoverTaskClaims(RUN, 100), store.recoverTaskClaims(RUN, 100, 'all')]).toEqual([0, 1]);
    expect(taskOf(store, 'a')).toMatchObject({ status: 'queued', cause: null });
  });

  it('that ended before the attempt began leaves no attempt', () => {
    const store = aStore([aPlannedTask('a')]);
    const task = claim(store);

    expect(store.recoverTaskClaims(RUN, 3_000)).toBe(1);
    expect(store.attempts(task?.id ?? 0)).toEqual([]);
    expect(claim(store, { workerId: 'w2', now: 3_000 })?.id).toBe(task?.id);
  });
});

describe('a transaction of the store', () => {
  it('takes the write lock before it reads, so that what it read still holds when it writes (001.R10, 001.R51)', () => {
    const folder = temporaryFolder();
    const path = join(folder.path, 'any.db');
    const [own, other] = [new SqliteDatabase(path), new SqliteDatabase(path, { timeout: 0 })];
    own.pragma('journal_mode = WAL');

    inTransaction(drizzle(own), () => {
      expect(() => other.exec('BEGIN IMMEDIATE')).toThrow('database is locked');
    });
    other.exec('BEGIN IMMEDIATE; COMMIT');

    own.close();
    other.close();
    folder.remove();
  });
});

describe('two processes', () => {
  it('that claim 1,000 tasks take each exactly once (001.R10)', async () => {
    const folder = temporaryFolder();
    const path = join(folder.path, 'ratchet.db');
    const store = createStore({ path });
    store.createTaskRun(aTaskRun());
    store.insertTasks(
      RUN,
      Array.from({ length: 1_000 }, (_, nth) => aPlannedTask(`t${String(nth)}`, { priority: nth % 7 })),
      1_000,
    );
    const outputs = await Promise.all(
      ['w1', 'w2'].map(async (worker) => {
        const child = spawn(process.execPath, [script, path, worker], { stdio: ['ignore', 'pipe', 'inherit'] });
        const closed = once(child, 'close');
        let text = '';
        for await (const chunk of child.stdout.setEncoding('utf8')) text += String(chunk);
        await closed;
        return { code: child.exitCode, ids: text.trim().split('\n').filter(Boolean).map(Number) };
      }),
    );
    const taken = outputs.flatMap(({ ids }) => ids);

    expect(outputs.map(({ code }) => code)).toEqual([0, 0]);
    expect(outputs.every(({ ids }) => ids.length > 0)).toBe(true);
    expect(taken).toHaveLength(1_000);
    expect(new Set(taken).size).toBe(1_000);
    expect(store.taskRunSummary(RUN)?.counts).toMatchObject({ succeeded: 1_000, queued: 0, running: 0 });
    expect(store.taskRunSummary(RUN)?.tasks.every(({ attempts }) => attempts.length === 1)).toBe(true);
    store.close();
    folder.remove();
  }, 120_000);

  it('one of which is killed with a claim: the other one goes on with the task when the lease has ended (001.R10)', async () => {
    const folder = temporaryFolder();
    const path = join(folder.path, 'ratchet.db');
    const store = createStore({ path });
    store.createTaskRun(aTaskRun());
    store.insertTasks(RUN, [aPlannedTask('a')], 1_000);
    const child = spawn(process.execPath, [script, path, 'w1', 'wait'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const closed = once(child, 'close');
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await closed;
    const now = Date.now();
    const tooEarly = claim(store, { workerId: 'w2', now, until: now + 1_000 });
    const task = claim(store, { workerId: 'w2', now: now + 60_000, until: now + 61_000 });

    expect(tooEarly).toBeNull();
    expect(task?.title).toBe('fix a');
    expect(store.attempts(task?.id ?? 0)).toMatchObject([{ status: 'failed', cause: 'LEASE_EXPIRED' }]);
    store.close();
    folder.remove();
  });
});
