import { and, asc, desc, eq, getTableColumns, isNull, lt, lte, ne, or, sql } from 'drizzle-orm';
import { toCost, toUsd } from '../../core/execution/budget.ts';
import type { PlanRunStore, StoredPlanRun } from '../../ports/plan-run-store.ts';
import { type Database, inTransaction } from './database.ts';
import { parseJsonColumn } from './json-columns.ts';
import { StoredPlan } from './plan-columns.ts';
import { planRuns } from './plan-schema.ts';
import { createPlanSteps, toLost } from './plan-steps.ts';

/** Creates the writer of `plan_runs` and `plan_steps` on `db`. */
export function createPlanRuns(db: Database): PlanRunStore {
  const change = (id: string, leaseId: string, set: Partial<typeof planRuns.$inferInsert>): void => {
    const isHeld = and(eq(planRuns.id, id), eq(planRuns.leaseId, leaseId));
    if (db.update(planRuns).set(set).where(isHeld).run().changes === 0) throw toLost(id);
  };
  return {
    ...createPlanSteps(db),
    ...createReads(db),
    ...createLeases(db),
    beginPlanRun: ({ plan, budgetUsd, ...run }, lease) => {
      const budgetMicroUsd = toCost(budgetUsd) ?? 0;
      db.insert(planRuns)
        .values({ ...run, plan: JSON.stringify(plan), budgetMicroUsd, status: 'active', ...toColumns(lease) })
        .run();
    },
    beginPlanRollback: (id, leaseId, rollbackOf) => {
      change(id, leaseId, { rollbackOf });
    },
    endPlanRun: (id, leaseId, endedAt) => {
      change(id, leaseId, { status: 'completed', endedAt, leaseId: null, leaseUntil: null });
    },
    releasePlanRun: (id, leaseId) => {
      change(id, leaseId, { leaseId: null, leaseUntil: null });
    },
    archivePlanRuns: (before) =>
      db
        .update(planRuns)
        .set({ status: 'archived' })
        .where(and(eq(planRuns.status, 'completed'), lt(planRuns.endedAt, before)))
        .run().changes,
    prunePlanRuns: (before, now, limit) =>
      inTransaction(
        db,
        () =>
          db.run(sql`delete from plan_runs where id in (select id from plan_runs
            where (status = 'archived' and ended_at < ${before})
            or (status = 'active' and started_at < ${before} and coalesce(lease_until, 0) <= ${now}) limit ${limit})`)
            .changes,
      ),
  };
}

function toColumns(lease: { readonly id: string; readonly until: number }) {
  return { leaseId: lease.id, leaseUntil: lease.until };
}

function createLeases(db: Database): Pick<PlanRunStore, 'leasePlanRun' | 'renewPlanLease'> {
  return {
    leasePlanRun: (id, lease) => {
      const isFree = or(isNull(planRuns.leaseUntil), lte(planRuns.leaseUntil, lease.now));
      const { changes } = db
        .update(planRuns)
        .set({ status: 'active', endedAt: null, ...toColumns(lease) })
        .where(and(eq(planRuns.id, id), ne(planRuns.status, 'archived'), isFree))
        .run();
      return changes === 1;
    },
    renewPlanLease: (id, lease) =>
      db
        .update(planRuns)
        .set({ leaseUntil: lease.until })
        .where(and(eq(planRuns.id, id), eq(planRuns.leaseId, lease.id)))
        .run().changes === 1,
  };
}

const COLUMNS = {
  ...getTableColumns(planRuns),
  microUsd: sql<number>`(select coalesce(sum(s.micro_usd), 0) from plan_steps s where s.run_id = plan_runs.id)`,
};

type Row = typeof planRuns.$inferSelect & { readonly microUsd: number };

function createReads(db: Database): Pick<PlanRunStore, 'planRun' | 'planRuns' | 'abandonedPlanRuns'> {
  const runs = () => db.select(COLUMNS).from(planRuns);
  return {
    planRun: (id) => {
      const row = runs().where(eq(planRuns.id, id)).get();
      return row === undefined ? null : toRun(row);
    },
    planRuns: (owner, limit) =>
      runs()
        .where(and(eq(planRuns.owner, owner), ne(planRuns.status, 'archived')))
        .orderBy(desc(planRuns.startedAt), desc(sql`rowid`))
        .limit(limit)
        .all()
        .map(toRun),
    abandonedPlanRuns: (now, limit) =>
      runs()
        .where(and(eq(planRuns.status, 'active'), or(isNull(planRuns.leaseUntil), lte(planRuns.leaseUntil, now))))
        .orderBy(asc(planRuns.startedAt), asc(sql`rowid`))
        .limit(limit)
        .all()
        .map(toRun),
  };
}

function toRun({ id, plan, budgetMicroUsd, owner, place, status, rollbackOf, startedAt, ...row }: Row): StoredPlanRun {
  return {
    ...{ id, owner, place, status, rollbackOf, startedAt, endedAt: row.endedAt },
    plan: parseJsonColumn(StoredPlan, plan, { table: 'plan_runs', column: 'plan', id }),
    budgetUsd: toUsd(budgetMicroUsd),
    costUsd: toUsd(row.microUsd),
  };
}
