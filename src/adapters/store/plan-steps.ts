import { and, asc, desc, eq, isNotNull, sql } from 'drizzle-orm';
import { toCost, toUsd } from '../../core/execution/budget.ts';
import { InvariantError } from '../../core/model/errors.ts';
import type { StepResult } from '../../core/model/plan-run.ts';
import type { PlanRunStore, StoredPlanStep } from '../../ports/plan-run-store.ts';
import { type Database, inRelaxedTransaction, inTransaction } from './database.ts';
import { parseNullableJsonColumn } from './json-columns.ts';
import { StoredCause, StoredCompensation } from './plan-columns.ts';
import { planRuns, planSteps } from './plan-schema.ts';

type Row = typeof planSteps.$inferSelect;

/** Creates the writer of `plan_steps` on `db`. */
export function createPlanSteps(
  db: Database,
): Pick<PlanRunStore, 'planSteps' | 'startPlanStep' | 'endPlanSteps' | 'planStepCosts'> {
  const held = db
    .select({ id: planRuns.id })
    .from(planRuns)
    .where(and(eq(planRuns.id, sql.placeholder('id')), eq(planRuns.leaseId, sql.placeholder('leaseId'))))
    .prepare();
  /** Not by an update of the run: that would write its whole plan again. */
  function assertHeld(id: string, leaseId: string): void {
    if (held.get({ id, leaseId }) === undefined) throw toLost(id);
  }
  return {
    startPlanStep: (id, leaseId, { compensation, costUsd, ...start }) => {
      // What must be undone is on the disk before it is done. A start that needs no undo may be lost in a power cut.
      const write = compensation === null ? inRelaxedTransaction : inTransaction;
      const values = { ...start, microUsd: toCost(costUsd) ?? 0, compensation: toJson(compensation) };
      write(db, () => {
        assertHeld(id, leaseId);
        db.insert(planSteps)
          .values({ runId: id, ...values })
          .onConflictDoUpdate({ target: [planSteps.runId, planSteps.key], set: { ...values, ...NOT_ENDED } })
          .run();
      });
    },
    endPlanSteps: (id, leaseId, ends) => {
      inRelaxedTransaction(db, () => {
        assertHeld(id, leaseId);
        for (const { key, actionType, result, measuredUsd, isUndone } of ends) {
          const values = { ...toColumns(result), measuredMicroUsd: measuredUsd === null ? null : toCost(measuredUsd) };
          const set = isUndone ? { ...values, compensation: null } : values;
          db.insert(planSteps)
            .values({ runId: id, key, actionType, ...values })
            .onConflictDoUpdate({ target: [planSteps.runId, planSteps.key], set })
            .run();
        }
      });
    },
    ...createReads(db),
  };
}

function createReads(db: Database): Pick<PlanRunStore, 'planSteps' | 'planStepCosts'> {
  return {
    planSteps: (id) =>
      db
        .select()
        .from(planSteps)
        .where(eq(planSteps.runId, id))
        .orderBy(sql`sequence is null`, asc(planSteps.sequence), asc(sql`rowid`))
        .all()
        .map(toStep),
    planStepCosts: (owner, actionType, limit) =>
      db
        .select({ microUsd: planSteps.measuredMicroUsd })
        .from(planSteps)
        .innerJoin(planRuns, eq(planRuns.id, planSteps.runId))
        .where(
          and(
            eq(planSteps.actionType, actionType),
            isNotNull(planSteps.measuredMicroUsd),
            eq(planRuns.owner, owner),
            eq(planSteps.state, 'completed'),
          ),
        )
        .orderBy(desc(sql`${planSteps}.rowid`))
        .limit(limit)
        .all()
        .flatMap(({ microUsd }) => (microUsd === null ? [] : [toUsd(microUsd)])),
  };
}

const NOT_ENDED = { state: null, cause: null, measuredMicroUsd: null, durationMs: 0, output: '' } as const;

function toColumns({ state, cause, attempts, costUsd, durationMs, output }: StepResult) {
  return { state, cause: toJson(cause), attempts, microUsd: toCost(costUsd) ?? 0, durationMs, output };
}

function toJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

function toStep({ runId, key, actionType, sequence, compensation, attempts, microUsd, ...row }: Row): StoredPlanStep {
  const place = { table: 'plan_steps', id: `${runId} ${key}` };
  const costUsd = toUsd(microUsd);
  const cause = parseNullableJsonColumn(StoredCause, row.cause, { ...place, column: 'cause' });
  const { state, durationMs, output } = row;
  return {
    ...{ key, actionType, sequence, attempts, costUsd },
    compensation: parseNullableJsonColumn(StoredCompensation, compensation, { ...place, column: 'compensation' }),
    result: state === null ? null : { state, cause, attempts, costUsd, durationMs, output },
  };
}

export function toLost(id: string): InvariantError {
  return new InvariantError(`plan run ${id} is run by another process now`);
}
