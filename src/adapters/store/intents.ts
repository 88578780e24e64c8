import { and, asc, eq, isNull } from 'drizzle-orm';
import { InvariantError } from '../../core/model/errors.ts';
import type { EpochMs, SessionId } from '../../core/model/ids.ts';
import type { Intent, IntentStore } from '../../ports/store.ts';
import { type Database, inTransaction } from './database.ts';
import { parseJsonColumn, StoredEffect } from './json-columns.ts';
import { intents } from './schema.ts';

/** Writer of `intents`. */
export interface IntentWriter extends IntentStore {
  /** Settles all open intents of the session with one outcome. */
  readonly settleIntentsOf: (sessionId: SessionId, outcome: string, at: EpochMs) => void;
}

/** Creates the writer on `db`. */
export function createIntents(db: Database): IntentWriter {
  function find({ effect, uniqueKey }: Pick<Intent, 'effect' | 'uniqueKey'>): Intent {
    const row = db
      .select()
      .from(intents)
      .where(and(eq(intents.kind, effect.kind), eq(intents.uniqueKey, uniqueKey)))
      .get();
    if (row === undefined) throw new InvariantError(`no intent ${effect.kind} ${uniqueKey} after it was written`);
    return toIntent(row);
  }

  return {
    openIntent: (intent) =>
      inTransaction(db, () => {
        const { changes } = db
          .insert(intents)
          .values({
            kind: intent.effect.kind,
            uniqueKey: intent.uniqueKey,
            workspaceKey: intent.key,
            sessionId: intent.sessionId,
            effect: JSON.stringify(intent.effect),
            createdAt: intent.createdAt,
          })
          .onConflictDoNothing({ target: [intents.kind, intents.uniqueKey] })
          .run();
        return { intent: find(intent), isNew: changes === 1 };
      }),
    settleIntent: (id, outcome, at) =>
      db
        .update(intents)
        .set({ outcome, settledAt: at })
        .where(and(eq(intents.id, id), isNull(intents.settledAt)))
        .run().changes === 1,
    openIntents: (sessionId) =>
      db
        .select()
        .from(intents)
        .where(and(eq(intents.sessionId, sessionId), isNull(intents.settledAt)))
        .orderBy(asc(intents.id))
        .all()
        .map(toIntent),
    settleIntentsOf: (sessionId, outcome, at) => {
      db.update(intents)
        .set({ outcome, settledAt: at })
        .where(and(eq(intents.sessionId, sessionId), isNull(intents.settledAt)))
        .run();
    },
  };
}

function toIntent(row: typeof intents.$inferSelect): Intent {
  return {
    id: row.id,
    uniqueKey: row.uniqueKey,
    key: row.workspaceKey,
    sessionId: row.sessionId,
    effect: parseJsonColumn(StoredEffect, row.effect, { table: 'intents', column: 'effect', id: row.id }),
    createdAt: row.createdAt,
    settledAt: row.settledAt,
    outcome: row.outcome,
  };
}
