import { and, asc, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { AskEffect } from '../../core/model/ask.ts';
import { InvariantError } from '../../core/model/errors.ts';
import type { EpochMs, SessionId } from '../../core/model/ids.ts';
import type { Intent, IntentEffect, IntentStore } from '../../ports/store.ts';
import { type Database, inTransaction } from './database.ts';
import { parseJsonColumn, StoredEffect } from './json-columns.ts';
import { intents } from './schema.ts';

/** Writer of `intents`. */
export interface IntentWriter extends Omit<IntentStore, 'settleIntent'> {
  readonly settleIntent: (id: number, outcome: string, at: EpochMs) => boolean;
  /** Settles all open intents of the session with one outcome. */
  readonly settleIntentsOf: (sessionId: SessionId, outcome: string, at: EpochMs) => void;
}

/** Maximum number of asks read for one pull request. */
const MAX_ASKS = 50;

/** Creates the writer on `db`. */
export function createIntents(db: Database): IntentWriter {
  const isOpen = isNull(intents.settledAt);
  // The conditions repeat those of the partial indexes exactly: SQLite uses the indexes only then.
  const answers = prepareNewest(db, sql`kind = 'answer'`);
  const asks = prepareNewest(db, sql`kind in ('rerun', 'update_branch')`);
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
        return { intent: findIntent(db, intent), isNew: changes === 1 };
      }),
    settleIntent: (id, outcome, at) =>
      db
        .update(intents)
        .set({ outcome, settledAt: at })
        .where(and(eq(intents.id, id), isOpen))
        .run().changes === 1,
    withdrawIntent: (id) => {
      db.delete(intents)
        .where(and(eq(intents.id, id), isOpen))
        .run();
    },
    reopenLaunch: (sessionId) => {
      db.update(intents)
        .set({ outcome: null, settledAt: null })
        .where(and(eq(intents.kind, 'launch'), eq(intents.uniqueKey, sessionId)))
        .run();
    },
    openIntents: (sessionId) => readIntents(db, and(eq(intents.sessionId, sessionId), isOpen)),
    openAnswers: (key) =>
      readIntents(db, and(eq(intents.workspaceKey, key), sql`settled_at is null and kind = 'answer'`)),
    recentAnswers: (key, limit) => answers.all({ key, limit }).map(toIntent),
    recentAsks: (key) =>
      asks
        .all({ key, limit: MAX_ASKS })
        .map(toIntent)
        .flatMap(({ effect, ...ask }) => (isAsk(effect) ? [{ ...ask, effect }] : [])),
    settleIntentsOf: (sessionId, outcome, at) => {
      db.update(intents)
        .set({ outcome, settledAt: at })
        .where(and(eq(intents.sessionId, sessionId), isOpen))
        .run();
    },
  };
}

function isAsk(effect: IntentEffect): effect is AskEffect {
  return effect.kind === 'rerun' || effect.kind === 'update_branch';
}

function findIntent(db: Database, { effect, uniqueKey }: Pick<Intent, 'effect' | 'uniqueKey'>): Intent {
  const [intent] = readIntents(db, and(eq(intents.kind, effect.kind), eq(intents.uniqueKey, uniqueKey)));
  if (intent === undefined) throw new InvariantError(`no intent ${effect.kind} ${uniqueKey} after it was written`);
  return intent;
}

/** Reads the newest of a kind first. */
function prepareNewest(db: Database, isKind: SQL) {
  return db
    .select()
    .from(intents)
    .where(and(eq(intents.workspaceKey, sql.placeholder('key')), isKind))
    .orderBy(desc(intents.id))
    .limit(sql.placeholder('limit'))
    .prepare();
}

/** Oldest first. */
function readIntents(db: Database, condition: SQL | undefined): readonly Intent[] {
  return db.select().from(intents).where(condition).orderBy(asc(intents.id)).all().map(toIntent);
}

function toIntent({ workspaceKey: key, kind, effect, ...row }: typeof intents.$inferSelect): Intent {
  const place = { table: 'intents', column: `effect (${kind})`, id: row.id };
  return { ...row, key, effect: parseJsonColumn(StoredEffect, effect, place) };
}
