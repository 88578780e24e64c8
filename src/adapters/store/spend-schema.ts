import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { BUDGET_SCOPES, UPSTREAM_FAULTS } from '../../core/model/model-use.ts';
import { pullRequestKey, sessionId } from './id-columns.ts';

const ofTokens = () => ({
  inputTokens: integer('input_tokens').notNull(),
  cachedTokens: integer('cached_tokens').notNull(),
  writtenTokens: integer('written_tokens').notNull(),
  outputTokens: integer('output_tokens').notNull(),
});

/** Whose row of the ledger it is. */
const ofAccount = () => ({
  id: integer('id').primaryKey({ autoIncrement: true }),
  sessionId: sessionId('session_id').notNull(),
  workspaceKey: pullRequestKey('workspace_key').notNull(),
  repositoryId: integer('repository_id').notNull(),
  installationId: integer('installation_id').notNull(),
  agent: text('agent').notNull(),
});

const LEDGER_STATES = ['open', 'settled', 'estimated'] as const;

/** The ledger: one row for each call to a model. Money in millionths of a USD. */
export const modelCalls = sqliteTable(
  'model_calls',
  {
    ...ofAccount(),
    model: text('model').notNull(),
    /** `open` until the call ends. `estimated`: the real use is not known, and the upper bound is charged. */
    state: text('state', { enum: LEDGER_STATES }).notNull(),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
    status: integer('status'),
    fault: text('fault', { enum: UPSTREAM_FAULTS }),
    reservedMicroUsd: integer('reserved_micro_usd').notNull(),
    /** Charged: while the call is open, its reservation, or the use seen so far if that is more. */
    microUsd: integer('micro_usd').notNull(),
    ...ofTokens(),
  },
  (table) => [
    index('model_calls_session').on(table.sessionId),
    index('model_calls_open').on(table.id).where(sql`state = 'open'`),
  ],
);

/** The ledger's other half: one row for each run of an agent. */
export const agentRuns = sqliteTable(
  'agent_runs',
  {
    ...ofAccount(),
    /** `open` until the agent ends. `estimated`: how long it worked is not known, and its reservation is charged. */
    state: text('state', { enum: LEDGER_STATES }).notNull(),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
    reservedMs: integer('reserved_ms').notNull(),
    /** Charged: while the agent works, its reservation. */
    timeMs: integer('time_ms').notNull(),
  },
  (table) => [index('agent_runs_open').on(table.id).where(sql`state = 'open'`)],
);

/**
 * What the rows of the ledger add up to in each scope, open ones included. `scope_key`: see `toScopeKey`. A total outlives its
 * rows, so a budget does not grow again when old rows are deleted.
 */
export const spendTotals = sqliteTable(
  'spend_totals',
  {
    scope: text('scope', { enum: BUDGET_SCOPES }).notNull(),
    scopeKey: text('scope_key').notNull(),
    microUsd: integer('micro_usd').notNull(),
    calls: integer('calls').notNull(),
    ...ofTokens(),
    /** How long agents worked, or still may. */
    timeMs: integer('time_ms').notNull().default(0),
    /** When the alert of each kind of budget was raised. */
    ...{ usdAlertAt: integer('usd_alert_at'), callsAlertAt: integer('calls_alert_at') },
    ...{ tokensAlertAt: integer('tokens_alert_at'), timeAlertAt: integer('time_alert_at') },
    changedAt: integer('changed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.scope, table.scopeKey] })],
);
