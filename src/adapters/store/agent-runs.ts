import { and, eq, sql } from 'drizzle-orm';
import type { SpendScope } from '../../core/model/spend.ts';
import { NOTHING_SPENT } from '../../core/spend/charge.ts';
import { grantTime } from '../../core/spend/grant-time.ts';
import { toScopeKey, toScopesOf } from '../../core/spend/scope-key.ts';
import type { LedgerStore, NewAgentRun, TimeReservation } from '../../ports/spend-store.ts';
import { type Database, inRelaxedTransaction } from './database.ts';
import { agentRuns } from './spend-schema.ts';
import { createTotals, toLimited } from './spend-totals.ts';

type TimeLedger = Pick<LedgerStore, 'reserveTime' | 'endAgentRun' | 'settleOpenRuns' | 'reservedTime'>;

/** Creates the writer of `agent_runs` on `db`. */
export function createAgentRuns(db: Database): TimeLedger {
  const totals = createTotals(db);
  const isOpen = sql`state = 'open'`;

  function insert({ key, sessionId, ...run }: NewAgentRun, reservedMs: number): number {
    const { repositoryId, installationId, agent, startedAt } = run;
    const of = { sessionId, workspaceKey: key, repositoryId, installationId, agent, startedAt };
    return db
      .insert(agentRuns)
      .values({ ...of, state: 'open', reservedMs, timeMs: reservedMs })
      .returning({ id: agentRuns.id })
      .get().id;
  }

  return {
    reserveTime: (run, limits) =>
      inRelaxedTransaction(db, (): TimeReservation => {
        const scopes = toScopesOf(run);
        const grant = grantTime(toLimited(scopes, limits, totals.read), run.wantedMs);
        if (grant.kind === 'refused') return grant;
        const { timeMs, boundBy } = grant;
        const runId = insert(run, timeMs);
        for (const scope of scopes) totals.add(scope, { ...NOTHING_SPENT, timeMs, at: run.startedAt });
        return { kind: 'reserved', runId, timeMs, boundBy };
      }),
    endAgentRun: (runId, { endedAt, timeMs: worked }, limits) =>
      inRelaxedTransaction(db, () => {
        const run = db
          .select()
          .from(agentRuns)
          .where(and(eq(agentRuns.id, runId), isOpen))
          .get();
        if (run === undefined) return [];
        const state = worked === null ? 'estimated' : 'settled';
        // To end a program takes a moment longer than it may take.
        const timeMs = worked === null ? run.reservedMs : Math.min(Math.max(worked, 0), run.reservedMs);
        db.update(agentRuns).set({ state, endedAt, timeMs }).where(eq(agentRuns.id, runId)).run();
        const scopes = toScopesOf({ ...run, key: run.workspaceKey });
        const change = { ...NOTHING_SPENT, timeMs: timeMs - run.timeMs, at: endedAt };
        for (const scope of scopes) totals.add(scope, change);
        return totals.raise(scopes, limits, { units: ['time'], at: endedAt });
      }),
    settleOpenRuns: (endedAt) => db.update(agentRuns).set({ state: 'estimated', endedAt }).where(isOpen).run().changes,
    reservedTime: (scope) => {
      const key = toScopeKey(scope);
      const atWork = db
        .select()
        .from(agentRuns)
        .where(isOpen)
        .all()
        .filter((run) => toScopesOf({ ...run, key: run.workspaceKey }).some((of) => isSame(of, scope.scope, key)));
      return {
        timeMs: atWork.reduce((sum, { reservedMs }) => sum + reservedMs, 0),
        until: Math.min(...atWork.map(({ startedAt, reservedMs }) => startedAt + reservedMs)),
      };
    },
  };
}

function isSame(of: SpendScope, scope: SpendScope['scope'], key: string): boolean {
  return of.scope === scope && toScopeKey(of) === key;
}
