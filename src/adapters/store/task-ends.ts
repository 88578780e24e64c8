import { and, eq, inArray, sql } from 'drizzle-orm';
import type { EpochMs, RunId } from '../../core/model/ids.ts';
import type { AttemptCause, TaskStatus } from '../../core/model/task.ts';
import type { TaskStanding } from '../../ports/task-store.ts';
import { toIsoText } from '../../schemas/instant.ts';
import type { Database } from './database.ts';
import type { EventRecorder } from './run-events.ts';
import type { AttemptNotes } from './task-columns.ts';
import { attempts, tasks } from './task-schema.ts';

/** A task whose standing changes. */
export interface ChangedTask {
  readonly id: number;
  readonly runId: RunId;
  readonly fingerprint: string;
  readonly tool: string;
}

/** Changes of tasks and attempts with all that follows from them. Each call is part of the caller's transaction. */
export interface TaskEnds {
  /** Takes the claim from the task. What depends on a task that becomes blocked or abandoned becomes blocked, unless that is gone. */
  readonly settle: (task: ChangedTask, standing: TaskStanding, at: EpochMs) => void;
  /** Blocks what waits for a task that will not succeed. */
  readonly blockDependants: (task: ChangedTask, status: TaskStatus, at: EpochMs) => void;
  /** Attempts of the task that still run have failed. */
  readonly failAttempts: (task: ChangedTask, cause: AttemptCause, at: EpochMs) => void;
  /** What is left of a run that ends. */
  readonly abandonLeft: (runId: RunId, at: EpochMs) => void;
}

const CHANGED = { id: tasks.id, runId: tasks.runId, fingerprint: tasks.fingerprint, tool: tasks.tool };

/** Creates the changes of `tasks` and `attempts` that others than their worker make. */
export function createTaskEnds(db: Database, events: EventRecorder): TaskEnds {
  const { change, waiting } = prepare(db);
  const blockDependants: TaskEnds['blockDependants'] = (task, status, at) => {
    if (status !== 'blocked' && status !== 'abandoned') return;
    const causeDetail = `Task ${String(task.id)}, which it depends on, is ${status}.`;
    for (const dependant of waiting.all({ runId: task.runId, fingerprint: task.fingerprint })) {
      settle(dependant, { status: 'blocked', cause: 'DEPENDENCY', causeDetail }, at);
    }
  };
  const mark: TaskEnds['settle'] = (task, standing, at) => {
    const { status, cause, causeDetail: detail } = standing;
    change.run({ id: task.id, at: toIsoText(at), status, cause, causeDetail: detail });
    const level = status === 'blocked' || status === 'abandoned' ? 'warn' : 'info';
    const payload = { fingerprint: task.fingerprint, cause, detail };
    const { runId, tool, id: taskId } = task;
    events.record({ runId, at, level, type: `task_${status}`, taskId, tool, payload });
  };
  const settle: TaskEnds['settle'] = (task, standing, at) => {
    mark(task, standing, at);
    // What is gone needs no work, so nothing waits for it in vain.
    if (standing.cause !== 'GONE') blockDependants(task, standing.status, at);
  };
  const failAttempts = createFailing(db, events);
  return {
    ...{ settle, blockDependants, failAttempts },
    abandonLeft: (runId, at) => {
      const isLeft = and(eq(tasks.runId, runId), inArray(tasks.status, ['queued', 'running']));
      const causeDetail = 'The run ended before it was done.';
      for (const task of db.select(CHANGED).from(tasks).where(isLeft).orderBy(tasks.id).all()) {
        failAttempts(task, 'INTERRUPTED', at);
        // Each for itself: what depends on one of them ends with the run, not because of it.
        mark(task, { status: 'abandoned', cause: 'RUN_ENDED', causeDetail }, at);
      }
    },
  };
}

function createFailing(db: Database, events: EventRecorder): TaskEnds['failAttempts'] {
  return ({ id: taskId, runId, tool }, cause, at) => {
    const isRunning = and(eq(attempts.taskId, taskId), eq(attempts.status, 'running'));
    const found = db.select({ id: attempts.id, no: attempts.attemptNo }).from(attempts).where(isRunning).all();
    if (found.length === 0) return;
    const notes: AttemptNotes = { cause, detail: '', summary: '', changeRef: null, use: null };
    db.update(attempts)
      .set({ status: 'failed', finishedAt: at, summaryJson: JSON.stringify(notes) })
      .where(isRunning)
      .run();
    for (const { id: attemptId, no } of found) {
      const payload = { attempt_no: no, status: 'failed', cause };
      events.record({ runId, at, level: 'warn', type: 'attempt_finished', taskId, attemptId, tool, payload });
    }
  };
}

function prepare(db: Database) {
  const given = sql.placeholder;
  return {
    change: db
      .update(tasks)
      .set({
        ...{
          status: sql`${given('status')}`,
          cause: sql`${given('cause')}`,
          causeDetail: sql`${given('causeDetail')}`,
        },
        ...{ updatedAt: sql`${given('at')}`, claimedBy: null, claimedAt: null, leaseUntil: null },
      })
      .where(eq(tasks.id, given('id')))
      .prepare(),
    waiting: db
      .select(CHANGED)
      .from(tasks)
      .where(
        and(
          eq(tasks.runId, given('runId')),
          sql`status = 'queued'`,
          sql`exists (select 1 from json_each(depends_on_json) where value = ${given('fingerprint')})`,
        ),
      )
      .prepare(),
  };
}
