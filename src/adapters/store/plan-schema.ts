import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { STEP_STATES } from '../../core/model/plan-run.ts';
import { PLAN_RUN_STATUSES } from '../../ports/plan-run-store.ts';

/** Runs of plans. A lease stands for a lock file (resolution S40). Money in millionths of a USD. */
export const planRuns = sqliteTable(
  'plan_runs',
  {
    id: text('id').primaryKey(),
    plan: text('plan').notNull(),
    budgetMicroUsd: integer('budget_micro_usd').notNull(),
    owner: text('owner').notNull(),
    place: text('place').notNull(),
    status: text('status', { enum: PLAN_RUN_STATUSES }).notNull(),
    /** Key of the step whose failure undoes the run. */
    rollbackOf: text('rollback_of'),
    leaseId: text('lease_id'),
    leaseUntil: integer('lease_until'),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (table) => [
    index('plan_runs_owner').on(table.owner, table.startedAt),
    index('plan_runs_active').on(table.startedAt).where(sql`status = 'active'`),
    index('plan_runs_ended').on(table.status, table.endedAt),
  ],
);

/** Steps of runs of plans that have started or ended. */
export const planSteps = sqliteTable(
  'plan_steps',
  {
    runId: text('run_id')
      .notNull()
      .references(() => planRuns.id, { onDelete: 'cascade' }),
    key: text('key').notNull(),
    actionType: text('action_type').notNull(),
    /** Order of the starts; null: it never started. */
    sequence: integer('sequence'),
    /** How to undo it; null: nothing is left to undo. */
    compensation: text('compensation'),
    /** null: it has not ended. */
    state: text('state', { enum: STEP_STATES }),
    cause: text('cause'),
    attempts: integer('attempts').notNull(),
    microUsd: integer('micro_usd').notNull(),
    /** The part of the cost that was measured. */
    measuredMicroUsd: integer('measured_micro_usd'),
    durationMs: integer('duration_ms').notNull().default(0),
    output: text('output').notNull().default(''),
  },
  (table) => [
    primaryKey({ columns: [table.runId, table.key] }),
    index('plan_steps_measured').on(table.actionType).where(sql`measured_micro_usd is not null`),
  ],
);
