import { and, asc, desc, eq, gte, inArray, isNull, lt, ne, or, sql } from 'drizzle-orm';
import { InvariantError } from '../../core/model/errors.ts';
import type { EpochMs, RunId } from '../../core/model/ids.ts';
import type { PlannedTask, Task } from '../../core/model/task.ts';
import type { TaskStanding, TaskStore } from '../../ports/task-store.ts';
import { type Database, inTransaction } from './database.ts';
import { parseJsonColumn, parseNullableJsonColumn } from './json-columns.ts';
import type { EventRecorder } from './run-events.ts';
import { StoredRetryPolicy, StoredStrings, StoredTargets, StoredValidation } from './task-columns.ts';
import type { TaskEnds } from './task-ends.ts';
import { findings, runs, taskFindings, tasks } from './task-schema.ts';

type Row = typeof tasks.$inferSelect;

/** The store of tasks without their claims. */
export interface TaskRows extends Pick<TaskStore, 'insertTasks' | 'tasks' | 'updateTaskStatus'> {
  readonly toTask: (row: Row) => Task;
}

/** Creates the writer of `tasks` and `task_findings` on `db`. */
export function createTaskRows(
  db: Database,
  { events, ends }: { readonly events: EventRecorder; readonly ends: TaskEnds },
): TaskRows {
  const toTask = createReader(db);
  return {
    toTask,
    insertTasks: (runId, planned, at) =>
      inTransaction(db, () => {
        const added = planned.flatMap((task) => {
          const id = insertTask(db, { runId, task, at });
          return id === null ? [] : [{ id, runId, fingerprint: task.fingerprint, tool: task.tool, task }];
        });
        const history = createHistory(db, runId);
        const links = createLinks(db, runId);
        for (const { task, ...row } of added) {
          links(row.id, task.findings);
          const { id: taskId, tool, fingerprint } = row;
          const payload = { fingerprint, type: task.taskType, priority: task.priority, title: task.title };
          events.record({ runId, at, type: 'task_queued', taskId, tool, payload });
        }
        for (const { task, ...row } of added) {
          const before = history(row.fingerprint);
          if (before !== null) ends.settle(row, before, at);
          blockByDependencies(db, ends, { row, dependsOn: task.dependsOn, at });
        }
        return added.length;
      }),
    tasks: (runId) => db.select().from(tasks).where(eq(tasks.runId, runId)).orderBy(asc(tasks.id)).all().map(toTask),
    updateTaskStatus: (taskId, standing, at) =>
      inTransaction(db, () => {
        const isFree = and(eq(tasks.id, taskId), ne(tasks.status, 'running'));
        const task = db.select().from(tasks).where(isFree).get();
        if (task === undefined) return false;
        ends.settle(task, standing, at);
        return true;
      }),
  };
}

/** Returns the id; null: the run has the task. */
function insertTask(
  db: Database,
  { runId, task, at }: { readonly runId: RunId; readonly task: PlannedTask; readonly at: EpochMs },
): number | null {
  const { targets, validation, retryPolicy, dependsOn } = task;
  const { fingerprint, tool, taskType, worker, priority, title, description } = task;
  const { changes, lastInsertRowid } = db
    .insert(tasks)
    .values({
      ...{ runId, fingerprint, tool, taskType, worker, priority, title, description },
      ...{ status: 'queued', createdAt: at, updatedAt: at },
      ...{ targetsJson: JSON.stringify(targets), validationJson: JSON.stringify(validation) },
      ...{ retryPolicyJson: JSON.stringify(retryPolicy), dependsOnJson: JSON.stringify(dependsOn) },
    })
    .onConflictDoNothing({ target: [tasks.runId, tasks.fingerprint] })
    .run();
  return changes === 0 ? null : Number(lastInsertRowid);
}

/** Links tasks with the newest of their findings in the run. */
function createLinks(db: Database, runId: RunId): (taskId: number, fingerprints: readonly string[]) => void {
  const found = db
    .select({ fingerprint: findings.fingerprint, id: sql<number>`max(${findings.id})` })
    .from(findings)
    .where(eq(findings.runId, runId))
    .groupBy(findings.fingerprint)
    .all();
  const ids = new Map(found.map(({ fingerprint, id }) => [fingerprint, id]));
  return (taskId, fingerprints) => {
    for (const fingerprint of fingerprints) {
      const findingId = ids.get(fingerprint);
      if (findingId === undefined)
        throw new InvariantError(`task ${String(taskId)} is about a finding that is not stored`);
      db.insert(taskFindings).values({ taskId, findingId }).onConflictDoNothing().run();
    }
  };
}

/**
 * How the newest earlier task of the same fingerprint stands, if it is blocked: on the same repository or pull request, with the
 * same base, since the last fresh start. A dependency is no reason of its own.
 */
function createHistory(db: Database, runId: RunId): (fingerprint: string) => TaskStanding | null {
  const run = db.select().from(runs).where(eq(runs.runId, runId)).get();
  if (run?.status !== 'running') throw new InvariantError(`there is no run ${runId} that has not ended`);
  const isOwned =
    run.workspaceKey === null
      ? and(isNull(runs.workspaceKey), eq(runs.repoPath, run.repoPath))
      : eq(runs.workspaceKey, run.workspaceKey);
  const newest = db
    .select({ status: tasks.status, cause: tasks.cause, causeDetail: tasks.causeDetail })
    .from(tasks)
    .innerJoin(runs, eq(runs.runId, tasks.runId))
    .where(
      and(
        ...[eq(tasks.fingerprint, sql.placeholder('fingerprint')), isOwned, lt(runs.id, run.id)],
        ...[eq(runs.baseSha, run.baseSha), gte(runs.startedAt, run.historySince)],
        or(inArray(tasks.status, ['succeeded', 'blocked']), eq(tasks.status, 'running')),
        or(isNull(tasks.cause), ne(tasks.cause, 'DEPENDENCY')),
      ),
    )
    .orderBy(desc(tasks.id))
    .limit(1)
    .prepare();
  return (fingerprint) => {
    const before = newest.get({ fingerprint });
    if (before?.status !== 'blocked') return null;
    return { status: 'blocked', cause: before.cause, causeDetail: before.causeDetail };
  };
}

/** Blocks a new task that waits for one that will not succeed. @throws InvariantError if it waits for one that does not exist. */
function blockByDependencies(
  db: Database,
  ends: TaskEnds,
  {
    row,
    dependsOn,
    at,
  }: { readonly row: Parameters<TaskEnds['settle']>[0]; readonly dependsOn: readonly string[]; readonly at: EpochMs },
): void {
  for (const fingerprint of dependsOn) {
    const isNeeded = and(eq(tasks.runId, row.runId), eq(tasks.fingerprint, fingerprint));
    const needed = db.select().from(tasks).where(isNeeded).get();
    if (needed === undefined) {
      throw new InvariantError(`task ${String(row.id)} depends on a task that the run does not have`);
    }
    // Blocks all that waits for it, this one included.
    if (needed.cause !== 'GONE') ends.blockDependants(needed, needed.status, at);
  }
}

function createReader(db: Database): TaskRows['toTask'] {
  const about = db
    .select({ fingerprint: findings.fingerprint })
    .from(taskFindings)
    .innerJoin(findings, eq(findings.id, taskFindings.findingId))
    .where(eq(taskFindings.taskId, sql.placeholder('taskId')))
    .orderBy(findings.fingerprint)
    .prepare();
  return (row) => {
    const { id, runId, tool, taskType, worker, priority, status, fingerprint, title, cause, causeDetail } = row;
    const place = { table: 'tasks', id };
    return {
      ...{ id, runId, tool, taskType, worker, priority, status, fingerprint, title, cause, causeDetail },
      description: row.description ?? '',
      targets: parseJsonColumn(StoredTargets, row.targetsJson, { ...place, column: 'targets_json' }),
      validation: parseJsonColumn(StoredValidation, row.validationJson, { ...place, column: 'validation_json' }),
      retryPolicy: parseJsonColumn(StoredRetryPolicy, row.retryPolicyJson, { ...place, column: 'retry_policy_json' }),
      dependsOn:
        parseNullableJsonColumn(StoredStrings, row.dependsOnJson, { ...place, column: 'depends_on_json' }) ?? [],
      findings: about.all({ taskId: id }).map((one) => one.fingerprint),
    };
  };
}
