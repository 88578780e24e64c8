import { type SQL, sql } from 'drizzle-orm';
import { type EpochMs, parsePullRequestKey } from '../../core/model/ids.ts';
import { REMEMBERED_SESSIONS } from '../../core/model/session.ts';
import type { Retention, RetentionStore } from '../../ports/store.ts';
import { toIsoText } from '../../schemas/instant.ts';
import { type Database, inTransaction } from './database.ts';

/** Check runs of ours that are kept for each pull request and name. Of older heads nobody asks. */
const KEPT_CHECK_RUNS = 50;

/** A pull request has about so many rows. */
const WORKSPACE_WEIGHT = 10;

/** A run of tasks has about so many rows. */
const RUN_WEIGHT = 100;

/** Rows of a pull request, in the order in which they may go. */
const PARTS = [
  // With all that it has.
  'runs',
  'quality_acceptances',
  'quality_results',
  'quality_runs',
  'quality_asks',
  'check_runs',
  'ratchet_transition_log',
  'intents',
  'sessions',
  'commands',
];

/** Nobody is working on it, and nothing is about to. */
const isAtRest = sql`(enablement <> 'enabled' or ratchet_state = 'closed')
  and not exists (select 1 from sessions s where s.workspace_key = w.key and s.status <> 'ended')
  and not exists (select 1 from quality_runs q where q.workspace_key = w.key and q.status = 'running')
  and not exists (select 1 from wakeups u where u.key = w.key and (u.ready_since is not null or u.lease_id is not null))`;

/** A total that an open row of the ledger is part of: its end takes from it what it did not need. See `toScopeKey`. */
const isInUse = sql`exists (select 1 from
  (select session_id, workspace_key, repository_id, installation_id, started_at from model_calls where state = 'open'
  union all select session_id, workspace_key, repository_id, installation_id, started_at from agent_runs where state = 'open') o
  where t.scope_key in (o.session_id, o.workspace_key,
  o.repository_id || strftime(':%Y-%m-%d', o.started_at / 1000, 'unixepoch'),
  o.installation_id || strftime(':%Y-%m', o.started_at / 1000, 'unixepoch')))`;

/** Creates the housekeeping of `db`. */
export function createRetention(db: Database, now: () => EpochMs): Omit<RetentionStore, 'shrink'> {
  const remove = (statement: SQL): number => db.run(statement).changes;
  return {
    prune: (before, limit) =>
      inTransaction(db, () => {
        const counts = toStatements(before, limit).map(remove);
        return Math.max(
          ...counts,
          RUN_WEIGHT * pruneTaskRuns(db, before.sessions, Math.ceil(limit / RUN_WEIGHT)),
          WORKSPACE_WEIGHT *
            pruneWorkspaces(db, { before: before.workspaces, limit: Math.ceil(limit / WORKSPACE_WEIGHT), now: now() }),
        );
      }),
    pruneTaskRuns: (before, limit) => inTransaction(db, () => pruneTaskRuns(db, before, limit)),
    ownerOf: (runId) => {
      const row = db.get<{ readonly key: string } | undefined>(
        sql`select workspace_key as key from sessions where id = ${runId}
          union all select workspace_key from quality_runs where id = ${runId}
          union all select workspace_key from runs where run_id = ${runId} and workspace_key is not null`,
      );
      return row === undefined ? null : parsePullRequestKey(row.key);
    },
  };
}

/** Each deletes at most `limit` rows that no open loop reads. */
function toStatements(before: Retention, limit: number): readonly SQL[] {
  return [
    sql`delete from ratchet_transition_log where id in
      (select id from ratchet_transition_log where created_at < ${before.transitions} order by created_at limit ${limit})`,
    sql`delete from deliveries where guid in
      (select guid from deliveries where received_at < ${before.deliveries} order by received_at limit ${limit})`,
    sql`delete from commands where id in
      (select id from commands where settled_at is not null and settled_at < ${before.commands}
      and owed_reaction is null limit ${limit})`,
    // Newest first, as the loop reads them. What it remembers stays.
    sql`delete from intents where id in (select id from
      (select id, settled_at, row_number() over (partition by workspace_key, kind order by id desc) as nth from intents)
      where settled_at < ${before.sessions} and nth > ${REMEMBERED_SESSIONS} limit ${limit})`,
    sql`delete from sessions where id in (select id from
      (select id, status, ended_at, row_number() over (partition by workspace_key order by started_at desc) as nth from sessions) s
      where status = 'ended' and ended_at < ${before.sessions} and nth > ${REMEMBERED_SESSIONS}
      and not exists (select 1 from intents i where i.session_id = s.id) limit ${limit})`,
    sql`delete from check_runs where rowid in (select id from
      (select rowid as id, completed, row_number() over (partition by workspace_key, name order by rowid desc) as nth from check_runs)
      where completed = 1 and nth > ${KEPT_CHECK_RUNS} limit ${limit})`,
    // The loop of a branch that no pull request has any more.
    sql`delete from branches where rowid in (select b.rowid from branches b where not exists
      (select 1 from workspaces w where w.repository_id = b.repository_id
      and coalesce(w.head_ref, ':' || w.number) = b.ref) limit ${limit})`,
    // Calls and runs are numbered in the order of their start.
    sql`delete from model_calls where id in (select id from
      (select id, ended_at from model_calls order by id limit ${limit}) where ended_at < ${before.spend})`,
    sql`delete from agent_runs where id in (select id from
      (select id, ended_at from agent_runs order by id limit ${limit}) where ended_at < ${before.spend})`,
    sql`delete from spend_totals where rowid in (select rowid from spend_totals t where changed_at < ${before.spend}
      and (scope <> 'pull_request' or not exists (select 1 from workspaces w where w.key = t.scope_key))
      and not ${isInUse} limit ${limit})`,
    sql`delete from flakes where rowid in (select rowid from flakes where at < ${before.flakes} limit ${limit})`,
    sql`delete from model_circuits where coalesce(until, opened_at) < ${before.spend}`,
    // A key that nobody waits for. Its next wake-up makes the row anew.
    sql`delete from wakeups where rowid in (select rowid from wakeups
      where ready_since is null and due_at is null and lease_id is null limit ${limit})`,
  ];
}

/** Deletes runs of tasks that began before that time, each with its findings, tasks, attempts and events. Returns how many. */
function pruneTaskRuns(db: Database, before: EpochMs, limit: number): number {
  return db.run(sql`delete from runs where id in (select id from runs
    where started_at < ${toIsoText(before)} limit ${limit})`).changes;
}

/** Deletes whole pull requests. Returns how many. */
function pruneWorkspaces(
  db: Database,
  { before, limit, now }: { readonly before: EpochMs; readonly limit: number; readonly now: EpochMs },
): number {
  // Rows from before this was recorded count as touched now.
  db.run(sql`update workspaces set touched_at = ${now} where touched_at = 0`);
  const keys = db
    .all<{ readonly key: string }>(
      sql`select key from workspaces w where touched_at < ${before} and ${isAtRest} limit ${limit}`,
    )
    .map(({ key }) => key);
  for (const key of keys) {
    for (const table of PARTS) db.run(sql`delete from ${sql.identifier(table)} where workspace_key = ${key}`);
    db.run(sql`delete from wakeups where key = ${key}`);
    db.run(sql`delete from workspaces where key = ${key}`);
  }
  return keys.length;
}
