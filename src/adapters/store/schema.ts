import { sql } from 'drizzle-orm';
import { customType, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { FIXUP_ACTIONS, LOG_WORDS } from '../../core/model/decision.ts';
import { COMMAND_OUTCOMES, COMMAND_PLACES } from '../../core/model/event.ts';
import {
  type DeliveryId,
  type PullRequestKey,
  parseDeliveryId,
  parsePullRequestKey,
  parseRunId,
  parseSessionId,
  parseSha,
  type RunId,
  type SessionId,
  type Sha,
} from '../../core/model/ids.ts';
import { ACTOR_KINDS, MERGE_STATES } from '../../core/model/pull-request.ts';
import { QUALITY_CONCLUSIONS, QUALITY_RUN_STATUSES } from '../../core/model/quality-run.ts';
import { SESSION_KINDS, SESSION_STATUSES } from '../../core/model/session.ts';
import { ENABLEMENTS, RATCHET_STATES } from '../../core/model/workspace.ts';

/** Columns of branded identifiers: what is read is parsed, so that a damaged value cannot pass for an identifier. */
const sha = customType<{ data: Sha; driverData: string }>({ dataType: () => 'text', fromDriver: parseSha });
const deliveryId = customType<{ data: DeliveryId; driverData: string }>({
  dataType: () => 'text',
  fromDriver: parseDeliveryId,
});
const sessionId = customType<{ data: SessionId; driverData: string }>({
  dataType: () => 'text',
  fromDriver: parseSessionId,
});
const runId = customType<{ data: RunId; driverData: string }>({ dataType: () => 'text', fromDriver: parseRunId });
const pullRequestKey = customType<{ data: PullRequestKey; driverData: string }>({
  dataType: () => 'text',
  fromDriver: parsePullRequestKey,
});

/** Installations of the App that a webhook told about; one that is missing here counts as active. */
export const installations = sqliteTable('installations', {
  installationId: integer('installation_id').primaryKey(),
  status: text('status', { enum: ['active', 'suspended', 'removed'] }).notNull(),
});

/** Repositories by GitHub's numeric id; owner and name follow renames. */
export const repositories = sqliteTable(
  'repositories',
  {
    repositoryId: integer('repository_id').primaryKey(),
    installationId: integer('installation_id').notNull(),
    owner: text('owner').notNull(),
    name: text('name').notNull(),
    active: integer('active', { mode: 'boolean' }).notNull().default(true),
  },
  (table) => [index('repositories_installation').on(table.installationId)],
);

/** Deliveries that were seen: the GUID and the body's hash each make a repetition (T2). No bodies are kept. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    guid: deliveryId('guid').primaryKey(),
    bodyHash: text('body_hash').notNull(),
    eventName: text('event_name').notNull(),
    action: text('action'),
    receivedAt: integer('received_at').notNull(),
  },
  (table) => [
    uniqueIndex('deliveries_body_hash').on(table.bodyHash),
    index('deliveries_received_at').on(table.receivedAt),
  ],
);

/** One row per pull request: what the loop remembers (002.R21), and hints of webhooks to match events with. */
export const workspaces = sqliteTable(
  'workspaces',
  {
    key: pullRequestKey('key').primaryKey(),
    repositoryId: integer('repository_id')
      .notNull()
      .references(() => repositories.repositoryId),
    number: integer('number').notNull(),
    enablement: text('enablement', { enum: ENABLEMENTS }).notNull().default('never'),
    enabledById: integer('enabled_by_id'),
    enabledByLogin: text('enabled_by_login'),
    enabledByKind: text('enabled_by_kind', { enum: ACTOR_KINDS }),
    state: text('ratchet_state', { enum: RATCHET_STATES }).notNull().default('idle'),
    activeSessionId: sessionId('ratchet_active_session_id'),
    lastCiRunId: text('ratchet_last_ci_run_id'),
    staleCiSince: integer('ratchet_stale_ci_since'),
    lastCheckedAt: integer('ratchet_last_checked_at'),
    lastPushAt: integer('ratchet_last_push_at'),
    lastPushSha: sha('ratchet_last_push_sha'),
    consecutiveAttempts: integer('ratchet_consecutive_fixup_attempts').notNull().default(0),
    stop: text('ratchet_stop'),
    seenHeadSha: sha('seen_head_sha'),
    seenHeadAt: integer('seen_head_at'),
    headRef: text('head_ref'),
    baseRef: text('base_ref'),
    /** Head that a webhook named last: matches CI events before the loop has looked; never taken for the head itself. */
    hintHeadSha: sha('hint_head_sha'),
    /** That head, once a pull request that nobody enabled was looked at there; gone again when its base's policy changes. */
    checkedHintSha: sha('checked_hint_sha'),
    ciEverSeen: integer('ci_ever_seen', { mode: 'boolean' }).notNull().default(false),
    waitingFor: text('waiting_for'),
    waitingSince: integer('waiting_since'),
    pause: text('pause'),
    /** How often the attempt budget has begun anew. */
    freshStarts: integer('fresh_starts').notNull().default(0),
    diagnosis: text('diagnosis'),
    flakes: text('flakes'),
    seenMerge: text('seen_merge', { enum: MERGE_STATES }),
    commentHash: text('comment_hash'),
  },
  (table) => [
    index('workspaces_head_ref').on(table.repositoryId, table.headRef),
    index('workspaces_base_ref').on(table.repositoryId, table.baseRef),
    index('workspaces_seen_head').on(table.repositoryId, table.seenHeadSha),
    index('workspaces_hint_head').on(table.repositoryId, table.hintHeadSha),
    index('workspaces_enabled').on(table.key).where(sql`enablement = 'enabled'`),
    index('workspaces_enabled_base').on(table.repositoryId, table.baseRef).where(sql`enablement = 'enabled'`),
  ],
);

const ofWorkspace = () =>
  pullRequestKey('workspace_key')
    .notNull()
    .references(() => workspaces.key);

const ofAuthor = () => ({
  authorId: integer('author_id').notNull(),
  authorLogin: text('author_login').notNull(),
  authorKind: text('author_kind', { enum: ACTOR_KINDS }).notNull(),
});

/** Commands of comments; `settled_at` is null while one waits. */
export const commands = sqliteTable(
  'commands',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    workspaceKey: ofWorkspace(),
    command: text('command').notNull(),
    ...ofAuthor(),
    commentKind: text('comment_kind', { enum: COMMAND_PLACES }).notNull(),
    commentId: integer('comment_id').notNull(),
    receivedAt: integer('received_at').notNull(),
    settledAt: integer('settled_at'),
    outcome: text('outcome', { enum: COMMAND_OUTCOMES }),
  },
  (table) => [index('commands_pending').on(table.workspaceKey, table.id).where(sql`settled_at is null`)],
);

/**
 * The durable half of the queue. `wake_seq` counts what happened to the key, `done_seq` what a finished run has covered,
 * `claimed_seq` what the run at work covers. A row is waiting since `ready_since` (dirty and without a lease), or becomes
 * claimable at `due_at` (end of the lease, or the next check); the two are what the indexes serve.
 */
export const wakeups = sqliteTable(
  'wakeups',
  {
    queue: text('queue').notNull(),
    key: text('key').notNull(),
    wakeSeq: integer('wake_seq').notNull().default(0),
    doneSeq: integer('done_seq').notNull().default(0),
    claimedSeq: integer('claimed_seq'),
    nextCheckAt: integer('next_check_at'),
    leaseId: text('lease_id'),
    leaseUntil: integer('lease_until'),
    readySince: integer('ready_since'),
    dueAt: integer('due_at'),
  },
  (table) => [
    primaryKey({ columns: [table.queue, table.key] }),
    index('wakeups_ready').on(table.queue, table.readySince).where(sql`ready_since is not null`),
    index('wakeups_due').on(table.queue, table.dueAt).where(sql`due_at is not null`),
    index('wakeups_leased').on(table.queue).where(sql`lease_id is not null`),
  ],
);

/** Sessions; the partial unique index is what makes a second fixup at work impossible. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: sessionId('id').primaryKey(),
    workspaceKey: ofWorkspace(),
    kind: text('kind', { enum: SESSION_KINDS }).notNull(),
    status: text('status', { enum: SESSION_STATUSES }).notNull(),
    fixup: text('fixup'),
    label: text('label'),
    startedAt: integer('started_at').notNull(),
    heartbeatAt: integer('heartbeat_at').notNull(),
    deadlineAt: integer('deadline_at').notNull(),
    endedAt: integer('ended_at'),
    outcome: text('outcome'),
  },
  (table) => [
    uniqueIndex('sessions_one_fixup').on(table.workspaceKey).where(sql`status = 'working' and kind = 'ratchet'`),
    index('sessions_live').on(table.workspaceKey).where(sql`status <> 'ended'`),
    index('sessions_ended').on(table.workspaceKey, table.endedAt),
  ],
);

/** Planned effects, unique over all time by kind and key. */
export const intents = sqliteTable(
  'intents',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    kind: text('kind', { enum: ['launch', 'push', 'answer', 'rerun', 'update_branch'] }).notNull(),
    uniqueKey: text('unique_key').notNull(),
    workspaceKey: ofWorkspace(),
    /** null: no session plans it. */
    sessionId: sessionId('session_id').references(() => sessions.id),
    effect: text('effect').notNull(),
    createdAt: integer('created_at').notNull(),
    settledAt: integer('settled_at'),
    outcome: text('outcome'),
  },
  (table) => [
    uniqueIndex('intents_unique_key').on(table.kind, table.uniqueKey),
    index('intents_open').on(table.sessionId).where(sql`settled_at is null`),
    index('intents_answers').on(table.workspaceKey).where(sql`kind = 'answer'`),
    index('intents_asks').on(table.workspaceKey).where(sql`kind in ('rerun', 'update_branch')`),
  ],
);

/** The transition log (002.R22): append-only. */
export const transitions = sqliteTable(
  'ratchet_transition_log',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    workspaceKey: ofWorkspace(),
    action: text('action', { enum: [...FIXUP_ACTIONS, ...LOG_WORDS] }).notNull(),
    code: text('code').notNull(),
    reason: text('reason').notNull(),
    snapshot: text('snapshot'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    index('ratchet_transition_log_workspace').on(table.workspaceKey, table.createdAt),
    index('ratchet_transition_log_created').on(table.createdAt),
  ],
);

/** Our check runs: which one stands on which head, and what it was told last. */
export const checkRuns = sqliteTable(
  'check_runs',
  {
    workspaceKey: ofWorkspace(),
    headSha: sha('head_sha').notNull(),
    name: text('name').notNull(),
    checkRunId: integer('check_run_id'),
    contentHash: text('content_hash'),
    completed: integer('completed', { mode: 'boolean' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceKey, table.headSha, table.name] }),
    index('check_runs_open').on(table.workspaceKey).where(sql`completed = 0`),
  ],
);

/** What somebody asked the engines to be run for; one for each pull request, the newest. */
export const qualityAsks = sqliteTable('quality_asks', {
  workspaceKey: pullRequestKey('workspace_key')
    .primaryKey()
    .references(() => workspaces.key),
  id: text('id').notNull(),
  paths: text('paths'),
  timeoutSeconds: integer('timeout_seconds'),
  refresh: integer('refresh', { mode: 'boolean' }).notNull(),
  askedAt: integer('asked_at').notNull(),
});

/** Runs of the engines over heads of pull requests; `report` is what GitHub is told of them. */
export const qualityRuns = sqliteTable(
  'quality_runs',
  {
    id: runId('id').primaryKey(),
    workspaceKey: ofWorkspace(),
    headSha: sha('head_sha').notNull(),
    wantKey: text('want_key').notNull(),
    status: text('status', { enum: QUALITY_RUN_STATUSES }).notNull(),
    checkRunId: integer('check_run_id'),
    conclusion: text('conclusion', { enum: QUALITY_CONCLUSIONS }),
    newFindings: text('new_findings').notNull(),
    report: text('report'),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (table) => [
    index('quality_runs_workspace').on(table.workspaceKey, table.startedAt),
    index('quality_runs_running').on(table.id).where(sql`status = 'running'`),
  ],
);

/**
 * What runs of the engines made and may use again, by pull request: complete TARGET runs (what a head is compared with), raw
 * invocations (judged anew each time), and budgets (which only fall).
 */
export const qualityResults = sqliteTable(
  'quality_results',
  {
    workspaceKey: ofWorkspace(),
    kind: text('kind', { enum: ['run', 'invocation', 'budgets'] }).notNull(),
    resultKey: text('result_key').notNull(),
    result: text('result').notNull(),
    usedAt: integer('used_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceKey, table.kind, table.resultKey] }),
    index('quality_results_used').on(table.kind, table.usedAt),
  ],
);

/** Intended re-baselines: who accepted which findings, and why. */
export const qualityAcceptances = sqliteTable(
  'quality_acceptances',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    workspaceKey: ofWorkspace(),
    ...ofAuthor(),
    reason: text('reason').notNull(),
    headSha: sha('head_sha').notNull(),
    findings: text('findings').notNull(),
    acceptedAt: integer('accepted_at').notNull(),
  },
  (table) => [index('quality_acceptances_workspace').on(table.workspaceKey, table.id)],
);
