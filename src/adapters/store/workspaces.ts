import { and, asc, eq, ne, type SQL, sql } from 'drizzle-orm';
import { InvariantError } from '../../core/model/errors.ts';
import { type PullRequestKey, type Sha, toPullRequestKey } from '../../core/model/ids.ts';
import type { Actor, PullRequestRef } from '../../core/model/pull-request.ts';
import type { Workspace, WorkspacePatch } from '../../core/model/workspace.ts';
import type { WorkspaceStore } from '../../ports/store.ts';
import { DecisionCode } from '../../schemas/decision-code.ts';
import type { Database } from './database.ts';
import { parseColumn, parseNullableJsonColumn, StoredStop } from './json-columns.ts';
import { repositories, workspaces } from './schema.ts';

/** Writer of `workspaces`; it finds whom an event concerns. */
export interface WorkspaceWriter extends Omit<WorkspaceStore, 'ensureWorkspace'> {
  /** Makes the row when it is missing; the repository's row is there already. */
  readonly ensureRow: (ref: PullRequestRef) => PullRequestKey;
  /** Keeps what a webhook said about head and base, to match later events with. */
  readonly saveHint: (key: PullRequestKey, hint: WorkspaceHint) => void;
  /** Workspaces with this commit or branch as their head; `headRef` null: by the commit alone. */
  readonly withHead: (repositoryId: number, headSha: Sha, headRef: string | null) => readonly PullRequestKey[];
  /** Workspaces with this branch as head or base, but for closed ones: a push to `main` would wake them all for ever. */
  readonly withBranch: (repositoryId: number, branch: string) => readonly PullRequestKey[];
  /** Enabled workspaces of an installation. */
  readonly enabledOf: (installationId: number) => readonly PullRequestKey[];
}

/** Head and base as a webhook told them: a hint, never the truth. */
export interface WorkspaceHint {
  readonly headSha: Sha;
  readonly headRef: string;
  readonly baseRef: string;
}

/** Creates the writer on `db`. */
export function createWorkspaces(db: Database): WorkspaceWriter {
  const byKey = db
    .select()
    .from(workspaces)
    .innerJoin(repositories, eq(repositories.repositoryId, workspaces.repositoryId))
    .where(eq(workspaces.key, sql.placeholder('key')))
    .prepare();
  const ensure = db
    .insert(workspaces)
    .values({
      key: sql.placeholder('key'),
      repositoryId: sql.placeholder('repositoryId'),
      number: sql.placeholder('number'),
    })
    .onConflictDoNothing()
    .prepare();
  const hint = db
    .update(workspaces)
    .set({
      hintHeadSha: sql`${sql.placeholder('headSha')}`,
      headRef: sql`${sql.placeholder('headRef')}`,
      baseRef: sql`${sql.placeholder('baseRef')}`,
    })
    .where(eq(workspaces.key, sql.placeholder('key')))
    .prepare();
  const queries = prepareTargets(db);

  return {
    workspace: (key) => {
      const row = byKey.get({ key });
      return row === undefined ? null : toWorkspace(row);
    },
    updateWorkspace: (key, patch) => {
      const columns = toColumns(patch);
      if (Object.keys(columns).length === 0) return;
      const { changes } = db.update(workspaces).set(columns).where(eq(workspaces.key, key)).run();
      if (changes === 0) throw new InvariantError(`no workspace ${key} to update`);
    },
    enabledWorkspaces: () => queries.enabled.all().map(toKey),
    ensureRow: ({ repository, number }) => {
      const key = toPullRequestKey(repository.repositoryId, number);
      ensure.run({ key, repositoryId: repository.repositoryId, number });
      return key;
    },
    saveHint: (key, { headSha, headRef, baseRef }) => void hint.run({ key, headSha, headRef, baseRef }),
    withHead: (repositoryId, headSha, headRef) => queries.head.all({ repositoryId, headSha, headRef }).map(toKey),
    withBranch: (repositoryId, branch) => queries.branch.all({ repositoryId, branch }).map(toKey),
    enabledOf: (installationId) => queries.enabledOf.all({ installationId }).map(toKey),
  };
}

function prepareTargets(db: Database) {
  const selectKeys = (condition: SQL | undefined) =>
    db.select({ key: workspaces.key }).from(workspaces).where(condition);
  const inRepository = (condition: SQL) => and(eq(workspaces.repositoryId, sql.placeholder('repositoryId')), condition);
  const isOpen = ne(workspaces.state, 'closed');
  // Unions, because SQLite looks an OR of these up by the repository alone: all its pull requests, at every push.
  return {
    head: selectKeys(inRepository(eq(workspaces.hintHeadSha, sql.placeholder('headSha'))))
      .union(selectKeys(inRepository(eq(workspaces.seenHeadSha, sql.placeholder('headSha')))))
      .union(selectKeys(inRepository(eq(workspaces.headRef, sql.placeholder('headRef')))))
      .orderBy(asc(workspaces.key))
      .prepare(),
    branch: selectKeys(and(inRepository(eq(workspaces.headRef, sql.placeholder('branch'))), isOpen))
      .union(selectKeys(and(inRepository(eq(workspaces.baseRef, sql.placeholder('branch'))), isOpen)))
      .orderBy(asc(workspaces.key))
      .prepare(),
    enabled: selectKeys(sql`enablement = 'enabled'`).orderBy(asc(workspaces.key)).prepare(),
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
}

function toWorkspace({ workspaces: row, repositories: repository }: JoinedRow): Workspace {
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
    lastCiRunId: row.lastCiRunId,
    staleCiSince: row.staleCiSince,
    lastCheckedAt: row.lastCheckedAt,
    lastPushAt: row.lastPushAt,
    lastPushSha: row.lastPushSha,
    consecutiveAttempts: row.consecutiveAttempts,
    stop: parseNullableJsonColumn(StoredStop, row.stop, { ...place, column: 'ratchet_stop' }),
    seenHeadSha: row.seenHeadSha,
    seenHeadAt: row.seenHeadAt,
    headRef: row.headRef,
    baseRef: row.baseRef,
    ciEverSeen: row.ciEverSeen,
    waitingFor: parseColumn(DecisionCode.nullable(), row.waitingFor, { ...place, column: 'waiting_for' }),
    waitingSince: row.waitingSince,
  };
}

function toActor(row: JoinedRow['workspaces']): Actor | null {
  const { enabledById: id, enabledByLogin: login, enabledByKind: kind } = row;
  return id === null || login === null || kind === null ? null : { id, login, kind };
}

/** Columns of the fields that the patch names; a field that it does not name keeps its value. */
function toColumns({ enabledBy, stop, ...patch }: WorkspacePatch): Partial<typeof workspaces.$inferInsert> {
  const actor = enabledBy ?? { id: null, login: null, kind: null };
  return {
    ...patch,
    ...(enabledBy !== undefined && { enabledById: actor.id, enabledByLogin: actor.login, enabledByKind: actor.kind }),
    ...(stop !== undefined && { stop: stop === null ? null : JSON.stringify(stop) }),
  };
}
