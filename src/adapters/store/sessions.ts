import { and, asc, count, desc, eq, gte, inArray, lt, ne, sql } from 'drizzle-orm';
import type { EpochMs, PullRequestKey, SessionId } from '../../core/model/ids.ts';
import type { Session, SessionOutcome } from '../../core/model/session.ts';
import type { SessionStore } from '../../ports/store.ts';
import type { Database } from './database.ts';
import { parseNullableJsonColumn, StoredAgentUse, StoredFixup, StoredOutcome, StoredSetup } from './json-columns.ts';
import { sessions, workspaces } from './schema.ts';

type Composed = 'launchSession' | 'endSession' | 'liveOnBranch' | 'endedSessions' | 'launchesSince';

/** Writer of `sessions`. The port's other methods are composed of it and other writers. */
export interface SessionWriter extends Omit<SessionStore, Composed> {
  /** Ended `ratchet` sessions of these pull requests, newest first. */
  readonly endedOf: (keys: readonly PullRequestKey[], limit: number) => readonly Session[];
  /** How many `ratchet` sessions of these pull requests were launched since then. */
  readonly launchesOf: (keys: readonly PullRequestKey[], since: EpochMs) => number;
  /**
   * Adds a working session. Returns false if anyone works on one of these pull requests: another fixup, or a person who announced
   * themselves since the evaluation. Throws if the id was used before.
   */
  readonly addWorkingSession: (session: Session, keys: readonly PullRequestKey[]) => boolean;
  /** Ends a session and returns its pull request; null if it has already ended or does not exist. */
  readonly closeSession: (id: SessionId, outcome: SessionOutcome, at: EpochMs) => PullRequestKey | null;
}

/** Creates the writer on `db`. */
export function createSessions(db: Database): SessionWriter {
  return { ...createReads(db), ...createUserSessions(db), ...createFixupSessions(db) };
}

type Reads = Pick<
  SessionWriter,
  'session' | 'liveSessions' | 'allLiveSessions' | 'heldSessions' | 'endedOf' | 'launchesOf'
>;

function createReads(db: Database): Reads {
  const ofKey = eq(sessions.workspaceKey, sql.placeholder('key'));
  // The conditions repeat those of the partial indexes exactly: SQLite uses the indexes only then.
  const live = db
    .select()
    .from(sessions)
    .where(and(ofKey, sql`status <> 'ended'`))
    .orderBy(asc(sessions.startedAt))
    .prepare();
  const byId = db
    .select()
    .from(sessions)
    .where(eq(sessions.id, sql.placeholder('id')))
    .prepare();
  const ended = db
    .select()
    .from(sessions)
    .where(
      and(
        sql`${sessions.workspaceKey} in (select value from json_each(${sql.placeholder('keys')}))`,
        eq(sessions.kind, 'ratchet'),
        eq(sessions.status, 'ended'),
      ),
    )
    // Of two that end in the same millisecond, the one that was launched later is the newer one.
    .orderBy(desc(sessions.endedAt), desc(sessions.startedAt), sql`${sessions}.rowid desc`)
    .limit(sql.placeholder('limit'))
    .prepare();
  return {
    session: (id) => {
      const row = byId.get({ id });
      return row === undefined ? null : toSession(row);
    },
    liveSessions: (key) => live.all({ key }).map(toSession),
    allLiveSessions: () =>
      db.select().from(sessions).where(sql`status <> 'ended'`).orderBy(asc(sessions.startedAt)).all().map(toSession),
    heldSessions: (since) => readHeld(db, since),
    endedOf: (keys, limit) => ended.all({ keys: JSON.stringify(keys), limit }).map(toSession),
    launchesOf: (keys, since) => countLaunches(db, keys, since),
  };
}

type UserSessions = Pick<
  SessionWriter,
  'addUserSession' | 'heartbeat' | 'endUserSession' | 'renewUserSession' | 'idleUserSessions'
>;

function createUserSessions(db: Database): UserSessions {
  const isUsers = eq(sessions.kind, 'user');
  const isLive = ne(sessions.status, 'ended');
  return {
    addUserSession: (session) => void db.insert(sessions).values(toRow(session)).run(),
    heartbeat: (id, at) => {
      db.update(sessions)
        .set({ heartbeatAt: at, status: 'working' })
        .where(and(eq(sessions.id, id), isLive, lt(sessions.heartbeatAt, at)))
        .run();
    },
    endUserSession: (id, at) =>
      db
        .update(sessions)
        .set({ status: 'ended', endedAt: at })
        .where(and(eq(sessions.id, id), isUsers, isLive))
        .run().changes === 1,
    renewUserSession: (id, deadlineAt) => {
      db.update(sessions)
        .set({ deadlineAt })
        .where(and(eq(sessions.id, id), isUsers, isLive))
        .run();
    },
    idleUserSessions: (key, before) =>
      db
        .update(sessions)
        .set({ status: 'idle' })
        .where(
          and(
            eq(sessions.workspaceKey, key),
            isUsers,
            eq(sessions.status, 'working'),
            lt(sessions.heartbeatAt, before),
          ),
        )
        .returning({ id: sessions.id })
        .all()
        .map(({ id }) => id),
  };
}

type FixupSessions = Pick<
  SessionWriter,
  'addWorkingSession' | 'answerQuestion' | 'closeSession' | 'noteSetup' | 'saveAgentUse'
>;

function createFixupSessions(db: Database): FixupSessions {
  const working = db
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.workspaceKey, sql.placeholder('key')), sql`status <> 'ended' and status = 'working'`))
    .limit(1)
    .prepare();
  return {
    addWorkingSession: (session, keys) => {
      if (keys.some((key) => working.get({ key }) !== undefined)) return false;
      db.insert(sessions).values(toRow(session)).run();
      return true;
    },
    noteSetup: (id, report) => {
      db.update(sessions)
        .set({ setup: JSON.stringify(report) })
        .where(and(eq(sessions.id, id), ne(sessions.status, 'ended')))
        .run();
    },
    saveAgentUse: (id, use) => {
      db.update(sessions)
        .set({ agentUse: JSON.stringify(use) })
        .where(eq(sessions.id, id))
        .run();
    },
    answerQuestion: (id, answer) =>
      db
        .update(sessions)
        .set({ outcome: sql`json_set(outcome, '$.question.answer', json(${JSON.stringify(answer)}))` })
        .where(
          and(
            eq(sessions.id, id),
            sql`json_type(outcome, '$.question') = 'object'`,
            sql`json_type(outcome, '$.question.answer') = 'null'`,
          ),
        )
        .run().changes === 1,
    closeSession: (id, outcome, at) => {
      const [closed] = db
        .update(sessions)
        .set({ status: 'ended', endedAt: at, outcome: JSON.stringify(outcome) })
        .where(and(eq(sessions.id, id), ne(sessions.status, 'ended')))
        .returning({ key: sessions.workspaceKey })
        .all();
      return closed?.key ?? null;
    },
  };
}

function toRow({ key, fixup, outcome, agentUse, setup, ...session }: Session): typeof sessions.$inferInsert {
  return {
    ...session,
    workspaceKey: key,
    fixup: fixup === null ? null : JSON.stringify(fixup),
    outcome: outcome === null ? null : JSON.stringify(outcome),
    agentUse: agentUse === null ? null : JSON.stringify(agentUse),
    setup: setup === null ? null : JSON.stringify(setup),
  };
}

function toSession({ workspaceKey, fixup, outcome, agentUse, setup, ...row }: typeof sessions.$inferSelect): Session {
  const place = { table: 'sessions', id: row.id };
  return {
    ...row,
    key: workspaceKey,
    fixup: parseNullableJsonColumn(StoredFixup, fixup, { ...place, column: 'fixup' }),
    outcome: parseNullableJsonColumn(StoredOutcome, outcome, { ...place, column: 'outcome' }),
    setup: parseNullableJsonColumn(StoredSetup, setup, { ...place, column: 'setup' }),
    agentUse: parseNullableJsonColumn(StoredAgentUse, agentUse, { ...place, column: 'agent_use' }),
  };
}

/** The stop of their pull request is the one that they led to. */
function readHeld(db: Database, since: EpochMs): readonly SessionId[] {
  return db
    .select({ id: sessions.id })
    .from(sessions)
    .innerJoin(workspaces, eq(workspaces.key, sessions.workspaceKey))
    .where(
      and(
        sql`json_extract(${workspaces.stop}, '$.code') = 'HELD'`,
        ne(workspaces.state, 'closed'),
        sql`json_extract(${sessions.fixup}, '$.causeKey') = json_extract(${workspaces.stop}, '$.causeKey')`,
        sql`json_extract(${sessions.outcome}, '$.kind') = 'held'`,
        gte(sessions.endedAt, since),
      ),
    )
    .all()
    .map(({ id }) => id);
}

function countLaunches(db: Database, keys: readonly PullRequestKey[], since: EpochMs): number {
  const isOneOf = inArray(sessions.workspaceKey, [...keys]);
  const isAttempt = sql`json_extract(${sessions.fixup}, '$.undo') IS NULL
    and json_extract(${sessions.fixup}, '$.accept') IS NULL`;
  const isCounted = and(isOneOf, eq(sessions.kind, 'ratchet'), gte(sessions.startedAt, since), isAttempt);
  return db.select({ launches: count() }).from(sessions).where(isCounted).get()?.launches ?? 0;
}
