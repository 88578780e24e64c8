import { and, asc, eq, sql } from 'drizzle-orm';
import { InvariantError } from '../../core/model/errors.ts';
import type { StoredAttempt } from '../../core/model/task-record.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import { type Database, inRelaxedTransaction, inTransaction } from './database.ts';
import { parseNullableJsonColumn, StoredDiffStat } from './json-columns.ts';
import type { EventRecorder } from './run-events.ts';
import { isHeldBy, toLostClaim } from './task-claims.ts';
import { type AttemptNotes, StoredNotes, StoredStrings } from './task-columns.ts';
import type { TaskEnds } from './task-ends.ts';
import { attempts, tasks } from './task-schema.ts';

/** Creates the writer of `attempts` on `db`. */
export function createTaskAttempts(
  db: Database,
  { events, ends }: { readonly events: EventRecorder; readonly ends: TaskEnds },
): Pick<TaskStore, 'createAttempt' | 'finishAttempt' | 'attempts'> {
  const readHeld = (claim: Parameters<TaskStore['finishAttempt']>[0]) => {
    const task = db.select().from(tasks).where(isHeldBy(claim)).get();
    if (task === undefined) throw toLostClaim(claim);
    return task;
  };
  return {
    createAttempt: (claim, attempt) =>
      inRelaxedTransaction(db, () => {
        const { runId, tool, id: taskId } = readHeld(claim);
        const last = db
          .select({ no: sql<number>`coalesce(max(attempt_no), 0)` })
          .from(attempts)
          .where(eq(attempts.taskId, taskId))
          .get();
        const attemptNo = (last?.no ?? 0) + 1;
        const { lastInsertRowid } = db
          .insert(attempts)
          .values({ ...attempt, taskId, attemptNo, status: 'running' })
          .run();
        const id = Number(lastInsertRowid);
        const payload = { attempt_no: attemptNo, agent: attempt.agentName };
        const event = { runId, at: attempt.startedAt, taskId, attemptId: id, tool, payload };
        events.record({ ...event, type: 'attempt_started' });
        return { id, attemptNo };
      }),
    finishAttempt: (claim, attemptId, { status, at, artifacts, diffStat, ...end }, standing) => {
      inTransaction(db, () => {
        const task = readHeld(claim);
        const { agentExitCode, validationExitCode, ...notes } = end;
        const { changes } = db
          .update(attempts)
          .set({
            ...{ status, finishedAt: at, agentExitCode, validationExitCode, summaryJson: JSON.stringify(notes) },
            diffStatsJson: diffStat === null ? null : JSON.stringify(diffStat),
            artifactsJson: JSON.stringify(artifacts),
          })
          .where(and(eq(attempts.id, attemptId), eq(attempts.taskId, task.id), eq(attempts.status, 'running')))
          .run();
        if (changes !== 1) throw new InvariantError(`attempt ${String(attemptId)} is not running`);
        const payload = { status, cause: notes.cause, detail: notes.detail, diff: diffStat, artifacts };
        const level = status === 'succeeded' ? 'info' : 'warn';
        const { runId, id: taskId, tool } = task;
        events.record({ runId, at, level, type: 'attempt_finished', taskId, attemptId, tool, payload });
        ends.settle(task, standing, at);
      });
    },
    attempts: (taskId) =>
      db
        .select()
        .from(attempts)
        .where(eq(attempts.taskId, taskId))
        .orderBy(asc(attempts.attemptNo))
        .all()
        .map(toAttempt),
  };
}

const NOTHING_YET: AttemptNotes = { cause: null, detail: '', summary: '', changeRef: null, use: null };

export function toAttempt(row: typeof attempts.$inferSelect): StoredAttempt {
  const { summaryJson, diffStatsJson, artifactsJson, ...attempt } = row;
  const place = { table: 'attempts', id: row.id };
  return {
    ...attempt,
    ...(parseNullableJsonColumn(StoredNotes, summaryJson, { ...place, column: 'summary_json' }) ?? NOTHING_YET),
    diffStat: parseNullableJsonColumn(StoredDiffStat, diffStatsJson, { ...place, column: 'diff_stats_json' }),
    artifacts: parseNullableJsonColumn(StoredStrings, artifactsJson, { ...place, column: 'artifacts_json' }) ?? [],
  };
}
