import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { CHECK_RUN_CONCLUSIONS } from '../../core/model/check-run.ts';
import { FIXUP_ACTIONS, LOG_WORDS } from '../../core/model/decision.ts';
import { COMMAND_OUTCOMES, COMMAND_PLACES, REACTIONS } from '../../core/model/event.ts';
import { UPSTREAM_FAULTS } from '../../core/model/model-use.ts';
import { ACTOR_KINDS, MERGE_STATES } from '../../core/model/pull-request.ts';
import { QUALITY_CONCLUSIONS, QUALITY_RUN_STATUSES } from '../../core/model/quality-run.ts';
import { SESSION_KINDS, SESSION_STATUSES } from '../../core/model/session.ts';
import { ENABLEMENTS, RATCHET_STATES } from '../../core/model/workspace.ts';
import { deliveryId, pullRequestKey, runId, sessionId, sha } from './id-columns.ts';

/** Installations of the App known from webhooks. One without a row counts as active. */
export const installations = sqliteTable('installations', {
  installationId: integer('installation_id').primaryKey(),
  status: text('status', { enum: ['active', 'suspended', 'removed'] }).notNull(),
});

/** Repositories by GitHub's numeric id. Owner and name follow renames. */
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

/** Received deliveries. An equal GUID or body hash marks a repetition (T2). Bodies are not stored. */
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

/** Deliveries that GitHub could not bring and that are requested again. A row is gone once its delivery has arrived. */
export const lostDeliveries = sqliteTable(
  'lost_deliveries',
  {
    guid: deliveryId('guid').primaryKey(),
    /** GitHub's id of an attempt. Text: it is beyond 2^53. */
    sentId: text('sent_id').notNull(),
    eventName: text('event_name').notNull(),
    /** Order of the requests: the lower, the sooner. */
    urgency: integer('urgency').notNull(),
    sentAt: integer('sent_at').notNull(),
    tries: integer('tries').notNull().default(0),
    nextTryAt: integer('next_try_at').notNull(),
  },
  (table) => [index('lost_deliveries_order').on(table.urgency, table.sentAt)],
);

/** How far GitHub's list of deliveries has been read; one row. */
export const deliveryProgress = sqliteTable('delivery_progress', {
  id: integer('id').primaryKey(),
  readUntil: integer('read_until').notNull(),
  /** Of a pass that has not reached its end. */
  cursor: text('cursor'),
  readsUntil: integer('reads_until'),
});

/** One row per pull request: the loop's memory (002.R21), and hints from webhooks that match later events to it. */
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
    lastCheckedAt: integer('ratchet_last_checked_at'),
    stop: text('ratchet_stop'),
    seenHeadSha: sha('seen_head_sha'),
    seenHeadAt: integer('seen_head_at'),
    headRef: text('head_ref'),
    baseRef: text('base_ref'),
    /** The newest head from a webhook. Matches CI events before the first evaluation; never trusted as the head itself. */
    hintHeadSha: sha('hint_head_sha'),
    /** The hinted head, once it was checked for a pull request that nobody enabled. Reset when the base's policy changes. */
    checkedHintSha: sha('checked_hint_sha'),
    ciEverSeen: integer('ci_ever_seen', { mode: 'boolean' }).notNull().default(false),
    waitingFor: text('waiting_for'),
    waitingSince: integer('waiting_since'),
    pause: text('pause'),
    diagnosis: text('diagnosis'),
    flakes: text('flakes'),
    seenMerge: text('seen_merge', { enum: MERGE_STATES }),
    commentHash: text('comment_hash'),
    /** When an event last named the pull request, to the day. 0: before this was recorded. */
    touchedAt: integer('touched_at').notNull().default(0),
  },
  (table) => [
    index('workspaces_head_ref').on(table.repositoryId, table.headRef),
    index('workspaces_base_ref').on(table.repositoryId, table.baseRef),
    index('workspaces_seen_head').on(table.repositoryId, table.seenHeadSha),
    index('workspaces_hint_head').on(table.repositoryId, table.hintHeadSha),
    index('workspaces_touched').on(table.touchedAt),
    index('workspaces_enabled').on(table.key).where(sql`enablement = 'enabled'`),
    index('workspaces_enabled_base').on(table.repositoryId, table.baseRef).where(sql`enablement = 'enabled'`),
  ],
);

/**
 * One row per head branch: what its pull requests share (002.R21; resolution S18). A pull request whose branch is not known, or is
 * in a fork, has a row of its own: its `ref` is `:<number>`, which no branch can be called.
 */
export const branches = sqliteTable(
  'branches',
  {
    repositoryId: integer('repository_id')
      .notNull()
      .references(() => repositories.repositoryId),
    ref: text('ref').notNull(),
    lastCiRunId: text('ratchet_last_ci_run_id'),
    staleCiSince: integer('ratchet_stale_ci_since'),
    lastPushAt: integer('ratchet_last_push_at'),
    lastPushSha: sha('ratchet_last_push_sha'),
    consecutiveAttempts: integer('ratchet_consecutive_fixup_attempts').notNull().default(0),
    /** How many times the attempt budget was reset. */
    freshStarts: integer('fresh_starts').notNull().default(0),
    settledHeadSha: sha('settled_head_sha'),
    openPush: text('open_push'),
    askedAt: integer('asked_at'),
    takenBack: text('taken_back'),
  },
  (table) => [primaryKey({ columns: [table.repositoryId, table.ref] })],
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

/** Commands from comments, buttons and labels. `settled_at` is null while a command is pending, `owed_reaction` unless the comment still needs one. */
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
    owedReaction: text('owed_reaction', { enum: REACTIONS }),
  },
  (table) => [
    index('commands_pending').on(table.workspaceKey, table.id).where(sql`settled_at is null`),
    index('commands_settled').on(table.settledAt).where(sql`settled_at is not null`),
    index('commands_owed').on(table.workspaceKey, table.id).where(sql`owed_reaction is not null`),
  ],
);

/**
 * The durable half of the queue. `wake_seq` counts the wake-ups of the key, `done_seq` those covered by a finished run,
 * `claimed_seq` those covered by the current run. A row is ready since `ready_since` (dirty and without a lease), or
 * can be claimed at `due_at` (end of the lease, or the next check). The indexes serve these two columns.
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

/** Sessions. The partial unique index prevents a second running fixup. */
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
    /** The agent's part: name, version, model, calls, tokens, cost and time. */
    agentUse: text('agent_use'),
    /** How the dependencies were prepared. */
    setup: text('setup'),
  },
  (table) => [
    uniqueIndex('sessions_one_fixup').on(table.workspaceKey).where(sql`status = 'working' and kind = 'ratchet'`),
    index('sessions_live').on(table.workspaceKey).where(sql`status <> 'ended'`),
    index('sessions_ended').on(table.workspaceKey, table.endedAt),
  ],
);

/** Planned effects. Kind and key are unique for all time. */
export const intents = sqliteTable(
  'intents',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    kind: text('kind', { enum: ['launch', 'push', 'answer', 'rerun', 'update_branch'] }).notNull(),
    uniqueKey: text('unique_key').notNull(),
    workspaceKey: ofWorkspace(),
    /** Null if no session planned the effect. */
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

/**
 * Ratchet's check runs, and a hash of the newest content of each. `series`: the run of the engines that it shows, else empty. Each
 * row is about the newest `generation`: a completed check run keeps its conclusion, and a new one takes its place.
 */
export const checkRuns = sqliteTable(
  'check_runs',
  {
    workspaceKey: ofWorkspace(),
    headSha: sha('head_sha').notNull(),
    name: text('name').notNull(),
    series: text('series').notNull(),
    generation: integer('generation').notNull().default(0),
    checkRunId: integer('check_run_id'),
    contentHash: text('content_hash'),
    completed: integer('completed', { mode: 'boolean' }).notNull(),
    conclusion: text('conclusion', { enum: CHECK_RUN_CONCLUSIONS }),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceKey, table.headSha, table.name, table.series] }),
    index('check_runs_open').on(table.workspaceKey).where(sql`completed = 0`),
  ],
);

/** Requests to run the engines. Only the newest one is kept for each pull request. */
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

/** Runs of the engines over heads of pull requests. `report` is what is sent to GitHub. */
export const qualityRuns = sqliteTable(
  'quality_runs',
  {
    id: runId('id').primaryKey(),
    workspaceKey: ofWorkspace(),
    headSha: sha('head_sha').notNull(),
    wantKey: text('want_key').notNull(),
    status: text('status', { enum: QUALITY_RUN_STATUSES }).notNull(),
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
 * Reusable results of engine runs, by pull request: complete TARGET runs (to compare a head with), raw invocations
 * (judged again each time), and budgets (which only fall).
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

/** Acceptances: who accepted which findings, and why. */
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

/** Proven flakes of a repository, once for each commit. */
export const flakes = sqliteTable(
  'flakes',
  {
    repositoryId: integer('repository_id').notNull(),
    subject: text('subject').notNull(),
    headSha: sha('head_sha').notNull(),
    at: integer('at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.repositoryId, table.subject, table.headSha] }),
    index('flakes_at').on(table.at),
  ],
);

/** Models that are not called for a while. */
export const modelCircuits = sqliteTable('model_circuits', {
  fingerprint: text('fingerprint').primaryKey(),
  agent: text('agent').notNull(),
  fault: text('fault', { enum: UPSTREAM_FAULTS }).notNull(),
  failures: integer('failures').notNull(),
  openedAt: integer('opened_at').notNull(),
  /** Null: until the configuration changes. */
  until: integer('until'),
});

/** Where agents are switched off. Repository 0: everywhere. */
export const agentSwitches = sqliteTable('agent_switches', {
  repositoryId: integer('repository_id').primaryKey(),
  offSince: integer('off_since').notNull(),
  by: text('by').notNull(),
  reason: text('reason').notNull(),
});
