import { and, asc, eq, isNull, or, sql } from 'drizzle-orm';
import type { RunId } from '../../core/model/ids.ts';
import type { StoredTaskRun } from '../../core/model/task-record.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import { type Database, inTransaction } from './database.ts';
import { parseJsonColumn, parseNullableJsonColumn } from './json-columns.ts';
import type { EventRecorder } from './run-events.ts';
import { StoredRecord, StoredResult } from './task-columns.ts';
import type { TaskEnds } from './task-ends.ts';
import { runs } from './task-schema.ts';

/** Creates the writer of `runs` on `db`. */
export function createTaskRuns(
  db: Database,
  { events, ends }: { readonly events: EventRecorder; readonly ends: TaskEnds },
): Pick<TaskStore, 'createTaskRun' | 'taskRun' | 'runningTaskRuns' | 'endTaskRun'> {
  const isRun = (id: RunId) => eq(runs.runId, id);
  return {
    createTaskRun: ({ id, commit, config, ...run }) => {
      inTransaction(db, () => {
        const texts = { configJson: JSON.stringify(config) };
        db.insert(runs)
          .values({ ...run, ...texts, runId: id, commitSha: commit, status: 'running' })
          .run();
        const payload = { repo_path: run.repoPath, commit, base: run.baseSha, config };
        events.record({ runId: id, at: run.startedAt, type: 'run_started', payload });
      });
    },
    taskRun: (id) => {
      const row = db.select().from(runs).where(isRun(id)).get();
      return row === undefined ? null : toRun(row);
    },
    runningTaskRuns: (owner) => {
      const isOwned = or(sql`workspace_key = ${owner}`, and(isNull(runs.workspaceKey), eq(runs.repoPath, owner)));
      const found = db
        .select()
        .from(runs)
        .where(and(eq(runs.status, 'running'), isOwned))
        .orderBy(asc(runs.id))
        .all();
      return found.map(toRun);
    },
    endTaskRun: (id, { status, result, at }) =>
      inTransaction(db, () => {
        const end = { status, finishedAt: at, summaryJson: JSON.stringify(result) };
        const { changes } = db
          .update(runs)
          .set(end)
          .where(and(isRun(id), eq(runs.status, 'running')))
          .run();
        if (changes === 0) return false;
        ends.abandonLeft(id, at);
        const level = status === 'succeeded' ? 'info' : 'error';
        events.record({ runId: id, at, level, type: 'run_finished', payload: { status, ...result } });
        return true;
      }),
  };
}

/** A row as a run. */
function toRun({
  runId: id,
  commitSha: commit,
  configJson,
  summaryJson,
  ...row
}: typeof runs.$inferSelect): StoredTaskRun {
  const place = { table: 'runs', id };
  const { repoPath, status, startedAt, finishedAt, workspaceKey, sessionId, baseSha, historySince } = row;
  return {
    ...{ id, repoPath, commit, status, startedAt, finishedAt, workspaceKey, sessionId, baseSha, historySince },
    config: parseJsonColumn(StoredRecord, configJson, { ...place, column: 'config_json' }),
    result: parseNullableJsonColumn(StoredResult, summaryJson, { ...place, column: 'summary_json' }),
  };
}
