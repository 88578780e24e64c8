import { and, eq, isNotNull, min, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../core/model/ids.ts';
import type { WakeupStore } from '../../ports/store.ts';
import type { Database } from './database.ts';
import { wakeups } from './schema.ts';

/** Dependencies of the writer. */
export interface WakeupDeps {
  /** Only orders the ready keys. It does not affect whether a key can be claimed. */
  readonly now: () => EpochMs;
  readonly newLeaseId: () => string;
}

/**
 * Creates the writer of `wakeups` on `db`. Each method is one statement and so atomic.
 *
 * A claim makes a due check dirty (`wake_seq` increases) and clears the planned check. The row stays dirty until
 * `finishWakeup`, so a run that dies is repeated. A wake-up during the run (`wake_seq` above `claimed_seq`) leaves the
 * row dirty after the run. Statements that return rows use `all`: SQLite reports a failed commit only to a statement
 * that is stepped to its end.
 */
export function createWakeups(db: Database, { now, newLeaseId }: WakeupDeps): WakeupStore {
  const statements = prepareStatements(db);
  return {
    markWakeup: (queue, key, notBefore) => {
      if (notBefore === null) statements.mark.run({ queue, key, now: now() });
      else statements.plan.run({ queue, key, at: notBefore });
    },
    claimWakeup: (queue, key, at, leaseMs) =>
      statements.claim.all({ queue, key, now: at, until: at + leaseMs, leaseId: newLeaseId() })[0]?.leaseId ?? null,
    isWoken: (queue, key) => statements.woken.get({ queue, key }) !== undefined,
    renewLease: (queue, key, leaseId, until) => statements.renew.run({ queue, key, leaseId, until }).changes === 1,
    holdsLease: (queue, key, leaseId) => statements.holds.get({ queue, key, leaseId }) !== undefined,
    finishWakeup: (queue, key, leaseId, nextCheckAt) => {
      const [row] = statements.finish.all({ queue, key, leaseId, nextCheckAt, now: now() });
      return { dirty: row !== undefined && row.wakeSeq > row.doneSeq };
    },
    dueWakeups: (queue, at, limit) => statements.due.all({ queue, now: at, limit }).map(({ key }) => key),
    nextWakeupAt: (queue, after = Number.MIN_SAFE_INTEGER) => statements.next.get({ queue, after })?.at ?? null,
    freeLeases: (queue) => statements.free.run({ queue, now: now() }).changes,
  };
}

function prepareStatements(db: Database) {
  return { ...prepareMarks(db), ...prepareLeases(db), ...prepareReads(db) };
}

const ofKey = and(eq(wakeups.queue, sql.placeholder('queue')), eq(wakeups.key, sql.placeholder('key')));
const ofLease = and(ofKey, eq(wakeups.leaseId, sql.placeholder('leaseId')));

/** The earlier of two nullable instants. */
function soonest(left: SQL, right: SQL): SQL {
  return sql`min(coalesce(${left}, ${right}), coalesce(${right}, ${left}))`;
}

function prepareMarks(db: Database) {
  const target = [wakeups.queue, wakeups.key];
  const id = { queue: sql.placeholder('queue'), key: sql.placeholder('key') };
  const sooner = soonest(sql`next_check_at`, sql`excluded.next_check_at`);
  return {
    mark: db
      .insert(wakeups)
      .values({ ...id, wakeSeq: 1, readySince: sql.placeholder('now') })
      .onConflictDoUpdate({
        target,
        set: {
          wakeSeq: sql`wake_seq + 1`,
          readySince: sql`iif(lease_id is null, coalesce(ready_since, excluded.ready_since), null)`,
        },
      })
      .prepare(),
    plan: db
      .insert(wakeups)
      .values({ ...id, nextCheckAt: sql.placeholder('at'), dueAt: sql.placeholder('at') })
      .onConflictDoUpdate({
        target,
        set: { nextCheckAt: sooner, dueAt: sql`iif(lease_id is null, ${sooner}, due_at)` },
      })
      .prepare(),
  };
}

function prepareLeases(db: Database) {
  const claimedSeq = sql`iif(wake_seq > done_seq, wake_seq, done_seq + 1)`;
  const nextCheckAt = soonest(sql`next_check_at`, sql`cast(${sql.placeholder('nextCheckAt')} as integer)`);
  return {
    claim: db
      .update(wakeups)
      .set({
        wakeSeq: claimedSeq,
        claimedSeq,
        nextCheckAt: null,
        leaseId: sql`${sql.placeholder('leaseId')}`,
        leaseUntil: sql`${sql.placeholder('until')}`,
        readySince: null,
        dueAt: sql`${sql.placeholder('until')}`,
      })
      .where(and(ofKey, sql`(ready_since is not null or due_at <= ${sql.placeholder('now')})`))
      .returning({ leaseId: wakeups.leaseId })
      .prepare(),
    renew: db
      .update(wakeups)
      .set({ leaseUntil: sql`${sql.placeholder('until')}`, dueAt: sql`${sql.placeholder('until')}` })
      .where(ofLease)
      .prepare(),
    finish: db
      .update(wakeups)
      .set({
        doneSeq: sql`claimed_seq`,
        claimedSeq: null,
        nextCheckAt,
        leaseId: null,
        leaseUntil: null,
        readySince: sql`iif(wake_seq > claimed_seq, ${sql.placeholder('now')}, null)`,
        dueAt: nextCheckAt,
      })
      .where(ofLease)
      .returning({ wakeSeq: wakeups.wakeSeq, doneSeq: wakeups.doneSeq })
      .prepare(),
    free: db
      .update(wakeups)
      .set({
        claimedSeq: null,
        leaseId: null,
        leaseUntil: null,
        readySince: sql`${sql.placeholder('now')}`,
        dueAt: sql`next_check_at`,
      })
      .where(and(eq(wakeups.queue, sql.placeholder('queue')), isNotNull(wakeups.leaseId)))
      .prepare(),
  };
}

function prepareReads(db: Database) {
  const inQueue = eq(wakeups.queue, sql.placeholder('queue'));
  return {
    woken: db.select({ key: wakeups.key }).from(wakeups).where(and(ofKey, sql`wake_seq > done_seq`)).prepare(),
    holds: db.select({ key: wakeups.key }).from(wakeups).where(ofLease).prepare(),
    // Two look-ups in two small indexes. A row with both instants comes only from the first.
    due: db
      .select({ key: wakeups.key, at: sql<number>`ready_since`.as('at') })
      .from(wakeups)
      .where(and(inQueue, sql`ready_since is not null`))
      .unionAll(
        db
          .select({ key: wakeups.key, at: sql<number>`due_at`.as('at') })
          .from(wakeups)
          .where(
            and(inQueue, sql`due_at is not null`, sql`due_at <= ${sql.placeholder('now')}`, sql`ready_since is null`),
          ),
      )
      .orderBy(sql`at`)
      .limit(sql.placeholder('limit'))
      .prepare(),
    next: db
      .select({ at: min(wakeups.dueAt) })
      .from(wakeups)
      .where(and(inQueue, sql`due_at > ${sql.placeholder('after')}`))
      .prepare(),
  };
}
