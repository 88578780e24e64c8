import { and, eq, lte, type SQL, sql } from 'drizzle-orm';
import { InvariantError } from '../../core/model/errors.ts';
import type { Task } from '../../core/model/task.ts';
import type { StoredAttempt } from '../../core/model/task-record.ts';
import { settleAttempt } from '../../core/tasks/settle-attempt.ts';
import type { TaskClaim, TaskStanding, TaskStore } from '../../ports/task-store.ts';
import { toIsoText } from '../../schemas/instant.ts';
import { type Database, inRelaxedTransaction, inTransaction } from './database.ts';
import type { EventRecorder } from './run-events.ts';
import type { TaskEnds } from './task-ends.ts';
import { tasks } from './task-schema.ts';

type Claims = Pick<TaskStore, 'claimNextTask' | 'renewTaskClaim' | 'recoverTaskClaims'>;

/** After every instant, as the store writes them. */
const END_OF_TIME = '9999';

/** Creates the claims of tasks. */
export function createTaskClaims(
  db: Database,
  {
    events,
    ends,
    toTask,
    attemptsOf,
  }: {
    readonly events: EventRecorder;
    readonly ends: TaskEnds;
    readonly toTask: (row: typeof tasks.$inferSelect) => Task;
    readonly attemptsOf: TaskStore['attempts'];
  },
): Claims {
  const { next, take, renew, expired } = prepare(db);
  const recover: Claims['recoverTaskClaims'] = (runId, now, which = 'expired') => {
    const found = expired.all({ runId, until: which === 'all' ? END_OF_TIME : toIsoText(now) });
    for (const row of found) {
      const before = attemptsOf(row.id);
      ends.failAttempts(row, 'LEASE_EXPIRED', now);
      ends.settle(row, settleLost(toTask(row), before), now);
    }
    return found.length;
  };
  return {
    // A power cut may take a claim, or the start of an attempt: then nobody has the task, and it is done again.
    claimNextTask: (runId, { workerId, now, until }) =>
      inRelaxedTransaction(db, () => {
        recover(runId, now);
        const row = next.get({ runId });
        if (row === undefined) return null;
        const at = toIsoText(now);
        if (take.run({ id: row.id, workerId, at, until: toIsoText(until) }).changes !== 1) {
          throw new InvariantError(`task ${String(row.id)} changed while it was claimed`);
        }
        const { id: taskId, tool } = row;
        events.record({ runId, at: now, type: 'task_running', taskId, tool, payload: { worker: workerId } });
        return toTask({ ...row, status: 'running' });
      }),
    renewTaskClaim: ({ taskId, workerId }, until) =>
      renew.run({ id: taskId, workerId, until: toIsoText(until) }).changes === 1,
    recoverTaskClaims: (runId, now, which) => inTransaction(db, () => recover(runId, now, which)),
  };
}

/** Its process died. It may have done so before the attempt began. */
function settleLost(task: Task, before: readonly StoredAttempt[]): TaskStanding {
  if (before.every(({ status }) => status !== 'running')) return { status: 'queued', cause: null, causeDetail: '' };
  const detail = 'Its process ended while it worked.';
  const earlier = before.filter(({ status }) => status !== 'running');
  return settleAttempt(task, { kind: 'failed', cause: 'LEASE_EXPIRED', detail }, earlier);
}

/** Whether the worker has the task. */
export function isHeldBy({ taskId, workerId }: TaskClaim): SQL | undefined {
  return and(eq(tasks.id, taskId), eq(tasks.claimedBy, workerId), eq(tasks.status, 'running'));
}

export function toLostClaim({ taskId }: TaskClaim): InvariantError {
  return new InvariantError(`task ${String(taskId)} is not claimed by this worker any more`);
}

function prepare(db: Database) {
  const given = sql.placeholder;
  // `status` is written out: a partial index serves no parameter.
  const isReady = sql`status = 'queued' and not exists (select 1 from json_each(depends_on_json) d where not exists
    (select 1 from tasks p where p.run_id = ${given('runId')} and p.fingerprint = d.value
      and (p.status = 'succeeded' or p.cause = 'GONE')))`;
  return {
    next: db
      .select()
      .from(tasks)
      .where(and(eq(tasks.runId, given('runId')), isReady))
      .orderBy(sql`priority desc`, tasks.createdAt, tasks.id)
      .limit(1)
      .prepare(),
    take: db
      .update(tasks)
      .set({
        status: sql`'running'`,
        ...{ claimedBy: sql`${given('workerId')}`, claimedAt: sql`${given('at')}`, updatedAt: sql`${given('at')}` },
        leaseUntil: sql`${given('until')}`,
      })
      .where(and(eq(tasks.id, given('id')), sql`status = 'queued'`))
      .prepare(),
    renew: db
      .update(tasks)
      .set({ leaseUntil: sql`${given('until')}` })
      .where(and(eq(tasks.id, given('id')), eq(tasks.claimedBy, given('workerId')), sql`status = 'running'`))
      .prepare(),
    expired: db
      .select()
      .from(tasks)
      .where(
        and(eq(tasks.runId, given('runId')), sql`status = 'running'`, lte(tasks.leaseUntil, sql`${given('until')}`)),
      )
      .orderBy(tasks.id)
      .prepare(),
  };
}
