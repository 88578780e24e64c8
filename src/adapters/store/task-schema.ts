import { sql } from 'drizzle-orm';
import { customType, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { TASK_TYPES } from '../../core/model/agent-contract.ts';
import { FINDING_KINDS, SEVERITIES } from '../../core/model/finding.ts';
import { type EpochMs, parsePullRequestKey, parseRunId, parseSessionId, parseSha } from '../../core/model/ids.ts';
import {
  ATTEMPT_STATUSES,
  TASK_CAUSES,
  TASK_RUN_STATUSES,
  TASK_STATUSES,
  TASK_WORKERS,
} from '../../core/model/task.ts';
import { ARTIFACT_KINDS, EVENT_LEVELS, RUN_EVENT_TYPES } from '../../core/model/task-record.ts';
import { toIsoText } from '../../schemas/instant.ts';
import { sessions, workspaces } from './schema.ts';

/** Document 001 has its times as text. All are of one length, so their order as text is that of the times. */
const instant = customType<{ data: EpochMs; driverData: string }>({
  dataType: () => 'text',
  toDriver: toIsoText,
  fromDriver: Date.parse,
});
const sha = customType<{ data: ReturnType<typeof parseSha>; driverData: string }>({
  dataType: () => 'text',
  fromDriver: parseSha,
});
const runId = customType<{ data: ReturnType<typeof parseRunId>; driverData: string }>({
  dataType: () => 'text',
  fromDriver: parseRunId,
});
const sessionId = customType<{ data: ReturnType<typeof parseSessionId>; driverData: string }>({
  dataType: () => 'text',
  fromDriver: parseSessionId,
});
const pullRequestKey = customType<{ data: ReturnType<typeof parsePullRequestKey>; driverData: string }>({
  dataType: () => 'text',
  fromDriver: parsePullRequestKey,
});

const id = () => integer('id').primaryKey({ autoIncrement: true });

/** Runs of document 001, section 6.2, each on one commit. */
export const runs = sqliteTable(
  'runs',
  {
    id: id(),
    runId: runId('run_id').notNull().unique('runs_run_id'),
    repoPath: text('repo_path').notNull(),
    startedAt: instant('started_at').notNull(),
    finishedAt: instant('finished_at'),
    status: text('status', { enum: TASK_RUN_STATUSES }).notNull(),
    configJson: text('config_json').notNull(),
    summaryJson: text('summary_json'),
    /** Null: of a local repository. */
    workspaceKey: pullRequestKey('workspace_key').references(() => workspaces.key, { onDelete: 'cascade' }),
    sessionId: sessionId('session_id').references(() => sessions.id, { onDelete: 'set null' }),
    commitSha: sha('commit_sha').notNull(),
    baseSha: sha('base_sha').notNull(),
    historySince: instant('history_since').notNull(),
    collectionsJson: text('collections_json').notNull().default('[]'),
  },
  (table) => [
    index('idx_runs_workspace').on(table.workspaceKey),
    index('idx_runs_repo_path').on(table.repoPath),
    index('idx_runs_session').on(table.sessionId),
    index('idx_runs_running').on(table.workspaceKey).where(sql`status = 'running'`),
    index('idx_runs_started').on(table.startedAt),
  ],
);

const ofRun = () =>
  runId('run_id')
    .notNull()
    .references(() => runs.runId, { onDelete: 'cascade' });

/** Files that runs produced. `path` is relative to the folder of the run. */
export const artifacts = sqliteTable(
  'artifacts',
  {
    id: id(),
    runId: ofRun(),
    tool: text('tool'),
    kind: text('kind', { enum: ARTIFACT_KINDS }).notNull(),
    path: text('path').notNull(),
    sha256: text('sha256'),
    sizeBytes: integer('size_bytes'),
    createdAt: instant('created_at').notNull(),
    metaJson: text('meta_json'),
  },
  (table) => [index('idx_artifacts_run_id').on(table.runId)],
);

/** What was found. `collection` counts the collections of a run, from 1. */
export const findings = sqliteTable(
  'findings',
  {
    id: id(),
    runId: ofRun(),
    tool: text('tool').notNull(),
    kind: text('kind', { enum: FINDING_KINDS }).notNull(),
    severity: text('severity', { enum: SEVERITIES }).notNull(),
    fingerprint: text('fingerprint').notNull(),
    message: text('message').notNull(),
    filePath: text('file_path'),
    line: integer('line'),
    col: integer('col'),
    symbol: text('symbol'),
    testId: text('test_id'),
    rawRef: text('raw_ref'),
    metaJson: text('meta_json'),
    createdAt: instant('created_at').notNull(),
    collection: integer('collection').notNull(),
  },
  (table) => [
    index('idx_findings_run_tool').on(table.runId, table.tool),
    index('idx_findings_fingerprint').on(table.fingerprint),
    index('idx_findings_collection').on(table.runId, table.collection),
  ],
);

/** What is to be done. A claim ends at `lease_until`. `depends_on_json` names other tasks of the run by their fingerprints. */
export const tasks = sqliteTable(
  'tasks',
  {
    id: id(),
    runId: ofRun(),
    tool: text('tool').notNull(),
    taskType: text('task_type', { enum: TASK_TYPES }).notNull(),
    priority: integer('priority').notNull(),
    status: text('status', { enum: TASK_STATUSES }).notNull(),
    fingerprint: text('fingerprint').notNull(),
    title: text('title').notNull(),
    description: text('description'),
    targetsJson: text('targets_json').notNull(),
    validationJson: text('validation_json').notNull(),
    retryPolicyJson: text('retry_policy_json').notNull(),
    dependsOnJson: text('depends_on_json'),
    claimedBy: text('claimed_by'),
    claimedAt: instant('claimed_at'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
    leaseUntil: instant('lease_until'),
    worker: text('worker', { enum: TASK_WORKERS }).notNull(),
    cause: text('cause', { enum: TASK_CAUSES }),
    causeDetail: text('cause_detail').notNull().default(''),
  },
  (table) => [
    index('idx_tasks_run_status').on(table.runId, table.status),
    index('idx_tasks_fingerprint').on(table.fingerprint),
    uniqueIndex('idx_tasks_run_fingerprint').on(table.runId, table.fingerprint),
    // The order of the claims, so that a claim reads one row.
    index('idx_tasks_claim')
      .on(table.runId, sql`"priority" desc`, table.createdAt, table.id)
      .where(sql`status = 'queued'`),
    index('idx_tasks_leased').on(table.runId, table.leaseUntil).where(sql`status = 'running'`),
  ],
);

/** Works on tasks. */
export const attempts = sqliteTable(
  'attempts',
  {
    id: id(),
    taskId: integer('task_id')
      .notNull()
      .references(() => tasks.id, { onDelete: 'cascade' }),
    attemptNo: integer('attempt_no').notNull(),
    status: text('status', { enum: ATTEMPT_STATUSES }).notNull(),
    agentName: text('agent_name'),
    agentExitCode: integer('agent_exit_code'),
    validationExitCode: integer('validation_exit_code'),
    startedAt: instant('started_at').notNull(),
    finishedAt: instant('finished_at'),
    summaryJson: text('summary_json'),
    diffStatsJson: text('diff_stats_json'),
    artifactsJson: text('artifacts_json'),
  },
  (table) => [
    index('idx_attempts_task_id').on(table.taskId),
    uniqueIndex('idx_attempts_task_no').on(table.taskId, table.attemptNo),
  ],
);

/** Which findings a task is about. */
export const taskFindings = sqliteTable(
  'task_findings',
  {
    taskId: integer('task_id')
      .notNull()
      .references(() => tasks.id, { onDelete: 'cascade' }),
    findingId: integer('finding_id')
      .notNull()
      .references(() => findings.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.taskId, table.findingId] }),
    index('idx_task_findings_finding').on(table.findingId),
  ],
);

/** What happened in runs, in its order. Each event is stored with the change that it tells; the JSONL file of the run repeats it. */
export const runEvents = sqliteTable(
  'run_events',
  {
    id: id(),
    runId: ofRun(),
    ts: instant('ts').notNull(),
    level: text('level', { enum: EVENT_LEVELS }).notNull(),
    eventType: text('event_type', { enum: RUN_EVENT_TYPES }).notNull(),
    taskId: integer('task_id'),
    attemptId: integer('attempt_id'),
    tool: text('tool'),
    payload: text('payload').notNull(),
  },
  (table) => [index('idx_run_events_run').on(table.runId, table.id)],
);
