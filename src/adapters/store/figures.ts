import { and, asc, count, eq, gt, isNotNull, lte, max, ne, or, sql, sum } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { FigureStore } from '../../ports/metrics.ts';
import type { Database } from './database.ts';
import { sessions, transitions, wakeups } from './schema.ts';
import { spendTotals } from './spend-schema.ts';

/** Reads the numbers for the metrics on `db`. */
export function createFigures(db: Database): FigureStore {
  return {
    figures: (now) => ({ queues: readQueues(db, now), sessions: readSessions(db), spent: readSpent(db) }),
    newestTransition: () =>
      db
        .select({ id: max(transitions.id) })
        .from(transitions)
        .get()?.id ?? 0,
    countTransitions: (after, upTo) =>
      db
        .select({ action: transitions.action, code: transitions.code, count: count() })
        .from(transitions)
        .where(and(gt(transitions.id, after), lte(transitions.id, upTo)))
        .groupBy(transitions.action, transitions.code)
        .all(),
  };
}

/** A key waits if it is ready, or if its check or the end of its lease is due. */
function readQueues(db: Database, now: number): ReturnType<FigureStore['figures']>['queues'] {
  return db
    .select({ queue: wakeups.queue, waiting: count(), oldestAt: sql<number>`min(coalesce(ready_since, due_at))` })
    .from(wakeups)
    .where(or(isNotNull(wakeups.readySince), lte(wakeups.dueAt, now)))
    .groupBy(wakeups.queue)
    .orderBy(asc(wakeups.queue))
    .all();
}

function readSessions(db: Database): ReturnType<FigureStore['figures']>['sessions'] {
  return db
    .select({ kind: sessions.kind, count: count() })
    .from(sessions)
    .where(ne(sessions.status, 'ended'))
    .groupBy(sessions.kind)
    .all();
}

/** The key of a month's total is `<installation>:<month>`. */
function readSpent(db: Database): ReturnType<FigureStore['figures']>['spent'] {
  const month = sql<string>`substr(scope_key, instr(scope_key, ':') + 1)`;
  const { microUsd, calls, inputTokens, cachedTokens, writtenTokens, outputTokens } = spendTotals;
  const total = (column: SQLiteColumn) => sum(column).mapWith(Number);
  return db
    .select({
      ...{ month, microUsd: total(microUsd), calls: total(calls), input: total(inputTokens) },
      ...{ cached: total(cachedTokens), written: total(writtenTokens), output: total(outputTokens) },
    })
    .from(spendTotals)
    .where(eq(spendTotals.scope, 'month'))
    .groupBy(month)
    .orderBy(month)
    .all()
    .map(({ input, cached, written, output, ...rest }) => ({ ...rest, tokens: { input, cached, written, output } }));
}
