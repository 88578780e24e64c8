import { and, desc, eq, sql } from 'drizzle-orm';
import type { Transition, TransitionStore } from '../../ports/store.ts';
import { SnapshotJson, toSnapshotJson } from '../../schemas/snapshot.ts';
import { type Database, inTransaction } from './database.ts';
import { parseNullableJsonColumn } from './json-columns.ts';
import type { EventRecorder } from './run-events.ts';
import { transitions } from './schema.ts';

/** Creates the writer of `ratchet_transition_log` on `db`. It appends rows and never changes one. */
export function createTransitions(db: Database, events: EventRecorder): TransitionStore {
  const append = db
    .insert(transitions)
    .values({
      workspaceKey: sql.placeholder('key'),
      action: sql.placeholder('action'),
      code: sql.placeholder('code'),
      reason: sql.placeholder('reason'),
      snapshot: sql.placeholder('snapshot'),
      createdAt: sql.placeholder('createdAt'),
    })
    .prepare();
  const newest = db
    .select()
    .from(transitions)
    .where(eq(transitions.workspaceKey, sql.placeholder('key')))
    .orderBy(desc(transitions.createdAt), desc(transitions.id))
    .limit(sql.placeholder('limit'))
    .prepare();
  // If the named line was deleted, every older one was deleted, too: nothing is left to give.
  const older = db
    .select()
    .from(transitions)
    .where(
      and(
        eq(transitions.workspaceKey, sql.placeholder('key')),
        sql`(${transitions.createdAt}, ${transitions.id}) < (select created_at, id from ratchet_transition_log where id = ${sql.placeholder('before')})`,
      ),
    )
    .orderBy(desc(transitions.createdAt), desc(transitions.id))
    .limit(sql.placeholder('limit'))
    .prepare();

  return {
    appendTransition: ({ snapshot, ...transition }) => {
      inTransaction(db, () => {
        const text = snapshot === null ? null : JSON.stringify(toSnapshotJson(snapshot));
        append.run({ ...transition, snapshot: text });
        const { key, createdAt: at, action, code, reason } = transition;
        events.recordTransition(key, { at, action, code, reason });
      });
    },
    transitions: (key, limit, before) =>
      (before === undefined ? newest.all({ key, limit }) : older.all({ key, limit, before })).map(toTransition),
  };
}

function toTransition({ workspaceKey, ...row }: typeof transitions.$inferSelect): Transition {
  const place = { table: 'ratchet_transition_log', column: 'snapshot', id: row.id };
  return { ...row, key: workspaceKey, snapshot: parseNullableJsonColumn(SnapshotJson, row.snapshot, place) };
}
