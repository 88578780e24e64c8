import { asc, eq } from 'drizzle-orm';
import { toUsd } from '../../core/execution/budget.ts';
import type { TaskStatus } from '../../core/model/task.ts';
import type { TaskRunSummary } from '../../core/model/task-record.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import type { Database } from './database.ts';
import type { createRunEvents } from './run-events.ts';
import { createTaskArtifacts } from './task-artifacts.ts';
import { createTaskAttempts, toAttempt } from './task-attempts.ts';
import { createTaskClaims } from './task-claims.ts';
import { createTaskEnds } from './task-ends.ts';
import { createTaskFindings } from './task-findings.ts';
import { createTaskRows } from './task-rows.ts';
import { createTaskRuns } from './task-runs.ts';
import { attempts, tasks } from './task-schema.ts';

/** Creates the store of runs, findings, tasks and attempts on `db`. */
export function createTaskStore(db: Database, events: ReturnType<typeof createRunEvents>): TaskStore {
  const ends = createTaskEnds(db, events);
  const rows = createTaskRows(db, { events, ends });
  const runs = createTaskRuns(db, { events, ends });
  const found = createTaskFindings(db, events);
  const made = createTaskAttempts(db, { events, ends });
  const { tasks: tasksOf, insertTasks, updateTaskStatus } = rows;
  const { addCollection, findingsOf } = found;
  const { noteEvent, eventsAfter } = events;
  return {
    ...{ ...runs, addCollection, findingsOf, insertTasks, tasks: tasksOf, updateTaskStatus, noteEvent, eventsAfter },
    ...made,
    ...createTaskClaims(db, { events, ends, toTask: rows.toTask, attemptsOf: made.attempts }),
    ...createTaskArtifacts(db, events),
    // One transaction, so that nobody changes one part while another is read.
    taskRunSummary: (id) =>
      db.transaction(() => {
        const run = runs.taskRun(id);
        return run === null ? null : { run, collections: found.collections(id), ...readTasks(db, id, tasksOf) };
      }),
  };
}

function readTasks(
  db: Database,
  id: Parameters<TaskStore['tasks']>[0],
  tasksOf: TaskStore['tasks'],
): Pick<TaskRunSummary, 'tasks' | 'counts' | 'costUsd'> {
  const made = db
    .select({ attempt: attempts })
    .from(attempts)
    .innerJoin(tasks, eq(tasks.id, attempts.taskId))
    .where(eq(tasks.runId, id))
    .orderBy(asc(attempts.attemptNo))
    .all()
    .map(({ attempt }) => toAttempt(attempt));
  const byTask = Map.groupBy(made, ({ taskId }) => taskId);
  const all = tasksOf(id).map((task) => ({ task, attempts: byTask.get(task.id) ?? [] }));
  const count = (status: TaskStatus): number => all.filter(({ task }) => task.status === status).length;
  return {
    tasks: all,
    counts: {
      ...{ queued: count('queued'), running: count('running'), succeeded: count('succeeded') },
      ...{ blocked: count('blocked'), abandoned: count('abandoned') },
    },
    costUsd: toUsd(made.reduce((sum, { use }) => sum + (use?.microUsd ?? 0), 0)),
  };
}
