import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { EpochMs, PullRequestKey } from '../../core/model/ids.ts';
import type { RunEvent } from '../../core/model/task-record.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import type { Database } from './database.ts';
import { parseJsonColumn } from './json-columns.ts';
import { StoredRecord } from './task-columns.ts';
import { runEvents, runs } from './task-schema.ts';

/** An event to record. */
export type NewEvent = Pick<RunEvent, 'at' | 'runId' | 'type'> & Partial<Omit<RunEvent, 'seq'>>;

/** The one recorder of what happens in runs: each writer of the store calls it within the transaction of its change. */
export interface EventRecorder {
  readonly record: (event: NewEvent) => void;
  /** Records an entry of the transition log in the run that works on that pull request, if there is one. */
  readonly recordTransition: (
    key: PullRequestKey,
    entry: { readonly at: EpochMs; readonly action: string; readonly code: string; readonly reason: string },
  ) => void;
}

/** Creates the writer of `run_events` on `db`. It appends rows and never changes one. */
export function createRunEvents(db: Database): EventRecorder & Pick<TaskStore, 'noteEvent' | 'eventsAfter'> {
  const given = sql.placeholder;
  const insert = db
    .insert(runEvents)
    .values({
      ...{ runId: given('runId'), ts: given('at'), level: given('level'), eventType: given('type') },
      ...{ taskId: given('taskId'), attemptId: given('attemptId'), tool: given('tool'), payload: given('payload') },
    })
    .prepare();
  const after = db
    .select()
    .from(runEvents)
    .where(and(eq(runEvents.runId, given('runId')), gt(runEvents.id, given('seq'))))
    .orderBy(asc(runEvents.id))
    .limit(given('limit'))
    .prepare();
  const working = db
    .select({ runId: runs.runId })
    .from(runs)
    .where(and(eq(runs.workspaceKey, given('key')), sql`status = 'running'`))
    .prepare();
  const record = ({ payload = {}, ...event }: NewEvent): void => {
    const left = { level: 'info', taskId: null, attemptId: null, tool: null };
    insert.run({ ...left, ...event, payload: JSON.stringify(payload) });
  };
  return {
    record,
    recordTransition: (key, { at, ...entry }) => {
      for (const { runId } of working.all({ key })) record({ runId, at, type: 'transition', payload: entry });
    },
    noteEvent: (note) => {
      record({ ...note, type: 'note' });
    },
    eventsAfter: (runId, seq, limit) => after.all({ runId, seq, limit }).map(toEvent),
  };
}

function toEvent({ id, ts, eventType, payload, ...row }: typeof runEvents.$inferSelect): RunEvent {
  const place = { table: 'run_events', column: 'payload', id };
  return { ...row, seq: id, at: ts, type: eventType, payload: parseJsonColumn(StoredRecord, payload, place) };
}
