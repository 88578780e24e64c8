import { and, asc, desc, eq, inArray, isNotNull, ne, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { DECISION_CODES } from '../../core/model/decision.ts';
import { InvariantError } from '../../core/model/errors.ts';
import { type EpochMs, type PullRequestKey, type Sha, toPullRequestKey } from '../../core/model/ids.ts';
import type { Actor, PullRequestRef } from '../../core/model/pull-request.ts';
import type { BranchState, Workspace, WorkspacePatch } from '../../core/model/workspace.ts';
import type { WorkspaceStore } from '../../ports/store.ts';
import { type Database, inTransaction } from './database.ts';
import {
  parseColumn,
  parseNullableJsonColumn,
  StoredDiagnosis,
  StoredFlakes,
  StoredOpenPush,
  StoredPause,
  StoredStop,
  StoredTakenBack,
} from './json-columns.ts';
import { branches, repositories, workspaces } from './schema.ts';

/** Writer of `workspaces`. It also finds the pull requests that an event concerns. */
export interface WorkspaceWriter extends Omit<WorkspaceStore, 'ensureWorkspace'> {
  /** Creates the row if missing, and notes the day. The repository's row must exist. */
  readonly ensureRow: (ref: PullRequestRef, touchedAt: EpochMs) => PullRequestKey;
  /** Stores head and base from a webhook, to match later events. */
  readonly saveHint: (key: PullRequestKey, hint: WorkspaceHint) => void;
  /** Workspaces with this commit or branch as their head. With `headRef` null, only the commit counts. */
  readonly withHead: (repositoryId: number, headSha: Sha, headRef: string | null) => readonly PullRequestKey[];
  /** Workspaces with this branch as head, without closed ones. */
  readonly withHeadBranch: (repositoryId: number, branch: string) => readonly PullRequestKey[];
  /** Whether an enabled pull request that is not closed has this branch as its base. */
  readonly isBase: (repositoryId: number, branch: string) => boolean;
  /**
   * Resets `checkedHintSha` of the newest pull requests with this base branch that were never enabled and whose head a
   * webhook named. Returns their keys.
   */
  readonly reopenHints: (repositoryId: number, branch: string) => readonly PullRequestKey[];
  /** Enabled workspaces with this base branch whose last diagnosis found jobs that are red on it too. */
  readonly redWithBase: (repositoryId: number, branch: string) => readonly PullRequestKey[];
  /** Enabled workspaces of an installation. */
  readonly enabledOf: (installationId: number) => readonly PullRequestKey[];
}

/** Head and base from a webhook. They are hints and never trusted as current. */
export interface WorkspaceHint {
  readonly headSha: Sha;
  /** null: the head is in a fork. */
  readonly headRef: string | null;
  readonly baseRef: string;
}

/** The day of an event is precise enough to tell an old pull request, and most events then change nothing. */
const DAY_MS = 24 * 60 * 60_000;
/** Maximum number of pull requests in one sweep of a base. */
const MAX_ON_BASE = 10_000;
/** Maximum number of never enabled pull requests that a change of policy wakes. Closed ones are not known. */
const MAX_UNWATCHED = 100;

/** Name of the pull request's row in `branches`. */
const branchRef = sql<string>`coalesce(${workspaces.headRef}, ':' || ${workspaces.number})`;

/** Creates the writer on `db`. */
export function createWorkspaces(db: Database): WorkspaceWriter {
  const byKey = selectWhole(db)
    .where(eq(workspaces.key, sql.placeholder('key')))
    .prepare();
  const ensure = db
    .insert(workspaces)
    .values({
      key: sql.placeholder('key'),
      repositoryId: sql.placeholder('repositoryId'),
      number: sql.placeholder('number'),
      touchedAt: sql.placeholder('touchedAt'),
    })
    .onConflictDoUpdate({
      target: workspaces.key,
      set: { touchedAt: sql`excluded.touched_at` },
      setWhere: sql`workspaces.touched_at < excluded.touched_at - ${DAY_MS}`,
    })
    .prepare();
  const queries = prepareTargets(db);

  return {
    workspace: (key) => {
      const row = byKey.get({ key });
      return row === undefined ? null : toWorkspace(row);
    },
    branchKeys: (key) => [key, ...queries.beside.all({ key }).map(toKey)],
    updateWorkspace: (key, patch) =>
      inTransaction(db, () => {
        const { own, shared } = toColumns(patch);
        if (Object.keys(own).length > 0) {
          const { changes } = db.update(workspaces).set(own).where(eq(workspaces.key, key)).run();
          if (changes === 0) throw new InvariantError(`no workspace ${key} to update`);
        }
        if (Object.values(shared).some((value) => value !== undefined)) updateBranch(db, key, shared);
      }),
    ensureRow: ({ repository, number }, touchedAt) => {
      const key = toPullRequestKey(repository.repositoryId, number);
      ensure.run({ key, repositoryId: repository.repositoryId, number, touchedAt });
      return key;
    },
    withHead: (repositoryId, headSha, headRef) => queries.head.all({ repositoryId, headSha, headRef }).map(toKey),
    withHeadBranch: (repositoryId, branch) => queries.headBranch.all({ repositoryId, branch }).map(toKey),
    isBase: (repositoryId, branch) => queries.onBase.all({ repositoryId, branch, limit: 1 }).length > 0,
    enabledOnBase: (repositoryId, branch) =>
      queries.onBase.all({ repositoryId, branch, limit: MAX_ON_BASE }).map(toWorkspace),
    redWithBase: (repositoryId, branch) => queries.redWithBase.all({ repositoryId, branch }).map(toKey),
    enabledOf: (installationId) => queries.enabledOf.all({ installationId }).map(toKey),
    ...createHints(db, queries),
  };
}

/** A query for workspaces with everything that `toWorkspace` reads. */
function selectWhole(db: Database) {
  return db
    .select()
    .from(workspaces)
    .innerJoin(repositories, eq(repositories.repositoryId, workspaces.repositoryId))
    .leftJoin(branches, and(eq(branches.repositoryId, workspaces.repositoryId), eq(branches.ref, branchRef)));
}

function updateBranch(db: Database, key: PullRequestKey, columns: BranchColumns): void {
  const place = { repositoryId: workspaces.repositoryId, ref: branchRef };
  const found = db.select(place).from(workspaces).where(eq(workspaces.key, key)).get();
  if (found === undefined) throw new InvariantError(`no workspace ${key} to update`);
  db.insert(branches)
    .values({ ...found, ...columns })
    .onConflictDoUpdate({ target: [branches.repositoryId, branches.ref], set: columns })
    .run();
}

type Hints = Pick<WorkspaceWriter, 'headHint' | 'openHint' | 'settleHint' | 'saveHint' | 'reopenHints'>;

/** Heads hinted by webhooks, and which of them an evaluation has settled. */
function createHints(db: Database, { unwatched }: Pick<ReturnType<typeof prepareTargets>, 'unwatched'>): Hints {
  const ofKey = eq(workspaces.key, sql.placeholder('key'));
  const read = db
    .select({ told: workspaces.hintHeadSha, checked: workspaces.checkedHintSha })
    .from(workspaces)
    .where(ofKey)
    .prepare();
  const save = db
    .update(workspaces)
    .set({
      hintHeadSha: sql`${sql.placeholder('headSha')}`,
      headRef: sql`${sql.placeholder('headRef')}`,
      baseRef: sql`${sql.placeholder('baseRef')}`,
    })
    .where(ofKey)
    .prepare();
  return {
    headHint: (key) => read.get({ key })?.told ?? null,
    openHint: (key) => {
      const { told, checked } = read.get({ key }) ?? { told: null, checked: null };
      return told === checked ? null : told;
    },
    settleHint: (key, headSha) => {
      db.update(workspaces).set({ checkedHintSha: headSha }).where(eq(workspaces.key, key)).run();
    },
    saveHint: (key, { headSha, headRef, baseRef }) => void save.run({ key, headSha, headRef, baseRef }),
    reopenHints: (repositoryId, branch) => {
      const keys = unwatched.all({ repositoryId, branch }).map(toKey);
      db.update(workspaces).set({ checkedHintSha: null }).where(inArray(workspaces.key, keys)).run();
      return keys;
    },
  };
}

function prepareTargets(db: Database) {
  const selectKeys = (condition: SQL | undefined) =>
    db.select({ key: workspaces.key }).from(workspaces).where(condition);
  const inRepository = (condition: SQL) => and(eq(workspaces.repositoryId, sql.placeholder('repositoryId')), condition);
  const isOpen = ne(workspaces.state, 'closed');
  // Unions: for an OR, SQLite would use only the repository's index and read all its pull requests at every push.
  return {
    head: selectKeys(inRepository(eq(workspaces.hintHeadSha, sql.placeholder('headSha'))))
      .union(selectKeys(inRepository(eq(workspaces.seenHeadSha, sql.placeholder('headSha')))))
      .union(selectKeys(inRepository(eq(workspaces.headRef, sql.placeholder('headRef')))))
      .orderBy(asc(workspaces.key))
      .prepare(),
    headBranch: selectKeys(and(inRepository(eq(workspaces.headRef, sql.placeholder('branch'))), isOpen))
      .orderBy(asc(workspaces.key))
      .prepare(),
    beside: selectKeys(
      sql`(repository_id, head_ref) = (select repository_id, head_ref from workspaces as asked
        where asked.key = ${sql.placeholder('key')}) and key <> ${sql.placeholder('key')}`,
    )
      .orderBy(asc(workspaces.number))
      .prepare(),
    onBase: selectWhole(db)
      .where(
        and(
          inRepository(eq(workspaces.baseRef, sql.placeholder('branch'))),
          isOpen,
          sql`workspaces.enablement = 'enabled'`,
        ),
      )
      .orderBy(asc(workspaces.number))
      .limit(sql.placeholder('limit'))
      .prepare(),
    redWithBase: selectKeys(
      and(
        inRepository(eq(workspaces.baseRef, sql.placeholder('branch'))),
        isOpen,
        sql`workspaces.enablement = 'enabled'`,
        sql`json_array_length(workspaces.diagnosis, '$.redOnBase') > 0`,
      ),
    )
      .orderBy(asc(workspaces.number))
      .prepare(),
    unwatched: selectKeys(
      and(
        inRepository(eq(workspaces.baseRef, sql.placeholder('branch'))),
        sql`workspaces.enablement = 'never'`,
        isNotNull(workspaces.hintHeadSha),
      ),
    )
      .orderBy(desc(workspaces.number))
      .limit(MAX_UNWATCHED)
      .prepare(),
    enabledOf: db
      .select({ key: workspaces.key })
      .from(workspaces)
      .innerJoin(repositories, eq(repositories.repositoryId, workspaces.repositoryId))
      .where(and(sql`enablement = 'enabled'`, eq(repositories.installationId, sql.placeholder('installationId'))))
      .orderBy(asc(workspaces.key))
      .prepare(),
  };
}

function toKey(row: { readonly key: PullRequestKey }): PullRequestKey {
  return row.key;
}

interface JoinedRow {
  readonly workspaces: typeof workspaces.$inferSelect;
  readonly repositories: typeof repositories.$inferSelect;
  readonly branches: typeof branches.$inferSelect | null;
}

function toWorkspace({ workspaces: row, repositories: repository, branches: branch }: JoinedRow): Workspace {
  const place = { table: 'workspaces', id: row.key };
  return {
    key: row.key,
    repository: {
      installationId: repository.installationId,
      repositoryId: repository.repositoryId,
      owner: repository.owner,
      name: repository.name,
    },
    number: row.number,
    enablement: row.enablement,
    enabledBy: toActor(row),
    state: row.state,
    activeSessionId: row.activeSessionId,
    ...toBranchState(branch),
    lastCheckedAt: row.lastCheckedAt,
    stop: parseNullableJsonColumn(StoredStop, row.stop, { ...place, column: 'ratchet_stop' }),
    seenHeadSha: row.seenHeadSha,
    seenHeadAt: row.seenHeadAt,
    headRef: row.headRef,
    baseRef: row.baseRef,
    ciEverSeen: row.ciEverSeen,
    waitingFor: parseColumn(z.enum(DECISION_CODES).nullable(), row.waitingFor, { ...place, column: 'waiting_for' }),
    waitingSince: row.waitingSince,
    pause: parseNullableJsonColumn(StoredPause, row.pause, { ...place, column: 'pause' }),
    diagnosis: parseNullableJsonColumn(StoredDiagnosis, row.diagnosis, { ...place, column: 'diagnosis' }),
    flakes: parseNullableJsonColumn(StoredFlakes, row.flakes, { ...place, column: 'flakes' }) ?? [],
    seenMerge: row.seenMerge,
    commentHash: row.commentHash,
  };
}

const NEW_BRANCH: BranchState = {
  lastCiRunId: null,
  staleCiSince: null,
  lastPushAt: null,
  lastPushSha: null,
  consecutiveAttempts: 0,
  freshStarts: 0,
  settledHeadSha: null,
  openPush: null,
  askedAt: null,
  takenBack: null,
};

/** null: nothing is stored about the branch yet. */
function toBranchState(row: JoinedRow['branches']): BranchState {
  if (row === null) return NEW_BRANCH;
  const { repositoryId, ref, openPush, takenBack, ...plain } = row;
  const place = { table: 'branches', id: `${String(repositoryId)} ${ref}` };
  return {
    ...plain,
    openPush: parseNullableJsonColumn(StoredOpenPush, openPush, { ...place, column: 'open_push' }),
    takenBack: parseNullableJsonColumn(StoredTakenBack, takenBack, { ...place, column: 'taken_back' }),
  };
}

function toActor(row: JoinedRow['workspaces']): Actor | null {
  const { enabledById: id, enabledByLogin: login, enabledByKind: kind } = row;
  return id === null || login === null || kind === null ? null : { id, login, kind };
}

type BranchColumns = Partial<Omit<typeof branches.$inferInsert, 'repositoryId' | 'ref'>>;

/** Columns of the fields in the patch, of the pull request's own row and of the row of its branch. Others keep their value. */
function toColumns(patch: WorkspacePatch): {
  readonly own: Partial<typeof workspaces.$inferInsert>;
  readonly shared: BranchColumns;
} {
  const { enabledBy, stop, pause, diagnosis, flakes, openPush, takenBack, ...plain } = patch;
  const { lastCiRunId, staleCiSince, lastPushAt, lastPushSha, consecutiveAttempts, ...others } = plain;
  const { freshStarts, settledHeadSha, askedAt, ...own } = others;
  const actor = enabledBy ?? { id: null, login: null, kind: null };
  return {
    own: {
      ...own,
      ...toJsonColumns({ stop, pause, diagnosis, flakes }),
      ...(enabledBy !== undefined && { enabledById: actor.id, enabledByLogin: actor.login, enabledByKind: actor.kind }),
    },
    shared: {
      ...{ lastCiRunId, staleCiSince, lastPushAt, lastPushSha, consecutiveAttempts },
      ...{ freshStarts, settledHeadSha, askedAt },
      ...toJsonColumns({ openPush, takenBack }),
    },
  };
}

/** Converts values to JSON text. Null stays null; undefined is left out. */
function toJsonColumns(values: Readonly<Record<string, object | null | undefined>>): Record<string, string | null> {
  const columns: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) columns[name] = value === null ? null : JSON.stringify(value);
  }
  return columns;
}
