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
  const { held, start: begin, end: finish } = prepareWrites(db);
  /** Not by an update of the run: that would write its whole plan again. */
  function assertHeld(id: string, leaseId: string): void {
    if (held.get({ id, leaseId }) === undefined) throw toLost(id);
  }
  return {
    startPlanStep: (id, leaseId, { compensation, costUsd, ...start }) => {
      // What must be undone is on the disk before it is done. A start that needs no undo may be lost in a power cut.
      const write = compensation === null ? inRelaxedTransaction : inTransaction;
      write(db, () => {
        assertHeld(id, leaseId);
        begin.run({ id, ...start, microUsd: toCost(costUsd) ?? 0, compensation: toJson(compensation) });
      });
    },
    endPlanSteps: (id, leaseId, ends) => {
      inRelaxedTransaction(db, () => {
        assertHeld(id, leaseId);
        for (const { result, measuredUsd, isUndone, ...end } of ends) {
          const measuredMicroUsd = measuredUsd === null ? null : toCost(measuredUsd);
          finish.run({ id, ...end, ...toColumns(result), measuredMicroUsd, isUndone: Number(isUndone) });
        }
      });
    },
    ...createReads(db),
  };
}

function prepareWrites(db: Database) {
  const given = sql.placeholder;
  const target = [planSteps.runId, planSteps.key];
  const step = { runId: given('id'), key: given('key'), actionType: given('actionType') };
  const used = { attempts: given('attempts'), microUsd: given('microUsd') };
  return {
    held: db
      .select({ id: planRuns.id })
      .from(planRuns)
      .where(and(eq(planRuns.id, given('id')), eq(planRuns.leaseId, given('leaseId'))))
      .prepare(),
    start: db
      .insert(planSteps)
      .values({ ...step, ...used, sequence: given('sequence'), compensation: given('compensation') })
      .onConflictDoUpdate({
        target,
        set: {
          ...{ attempts: sql`excluded.attempts`, microUsd: sql`excluded.micro_usd`, sequence: sql`excluded.sequence` },
          ...{ compensation: sql`excluded.compensation`, state: null, cause: null, startsAtEnd: null },
          ...{ measuredMicroUsd: null, durationMs: 0, output: '' },
        },
      })
      .prepare(),
    end: db
      .insert(planSteps)
      .values({
        ...{ ...step, ...used, state: given('state'), cause: given('cause'), durationMs: given('durationMs') },
        ...{ output: given('output'), measuredMicroUsd: given('measuredMicroUsd'), startsAtEnd: given('startsAtEnd') },
      })
      .onConflictDoUpdate({
        target,
        set: {
          ...{ attempts: sql`excluded.attempts`, microUsd: sql`excluded.micro_usd`, state: sql`excluded.state` },
          ...{ cause: sql`excluded.cause`, durationMs: sql`excluded.duration_ms`, output: sql`excluded.output` },
          // An undo measures nothing: what was known stays.
          measuredMicroUsd: sql`coalesce(excluded.measured_micro_usd, measured_micro_usd)`,
          startsAtEnd: sql`coalesce(excluded.starts_at_end, starts_at_end)`,
          compensation: sql`iif(${given('isUndone')}, null, compensation)`,
        },
      })
      .prepare(),
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
  const { state, durationMs, output, startsAtEnd } = row;
  return {
    ...{ key, actionType, sequence, attempts, costUsd, startsAtEnd },
    compensation: parseNullableJsonColumn(StoredCompensation, compensation, { ...place, column: 'compensation' }),
    result: state === null ? null : { state, cause, attempts, costUsd, durationMs, output },
  };
}

export function toLost(id: string): InvariantError {
  return new InvariantError(`plan run ${id} is run by another process now`);
}
