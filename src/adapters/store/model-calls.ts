import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { TokenUse } from '../../core/model/model-use.ts';
import type { SpendAlert, SpendLimits, SpendScope, Spent } from '../../core/model/spend.ts';
import { type Charge, isNoChange, NO_CHARGE, toChange, toHigher } from '../../core/spend/charge.ts';
import { findAlerts, findExceeded, type LimitedScope } from '../../core/spend/check-limits.ts';
import { toScopeKey, toScopesOf } from '../../core/spend/scope-key.ts';
import type { LedgerStore, NewModelCall, Reservation } from '../../ports/spend-store.ts';
import { type Database, inRelaxedTransaction } from './database.ts';
import { modelCalls, spendTotals } from './schema.ts';

type Call = typeof modelCalls.$inferSelect;

/** Creates the writer of `model_calls` and `spend_totals` on `db`. */
export function createModelCalls(db: Database): LedgerStore {
  const totals = createTotals(db);
  const calls = createCalls(db);

  /** Changes what a call is charged, in its row and in all totals. */
  function charge(call: Call, next: Charge, end: CallEnd | null): void {
    calls.update(call.id, next, end);
    const change = toChange(toCharge(call), next);
    for (const scope of toScopesOf({ ...call, key: call.workspaceKey })) {
      totals.add(scope, { ...change, calls: 0, at: end?.endedAt ?? call.startedAt });
    }
  }

  return {
    reserveCall: (call, limits) =>
      inRelaxedTransaction(db, (): Reservation => {
        const scopes = toScopesOf(call);
        const reserved = { microUsd: call.reservedMicroUsd, tokens: call.reserved };
        const exceeded = findExceeded(toLimited(scopes, limits, totals.read), reserved);
        if (exceeded !== null) return { kind: 'refused', ...exceeded };
        const callId = calls.insert(call);
        for (const scope of scopes) totals.add(scope, { ...reserved, calls: 1, at: call.startedAt });
        const near = findAlerts(toLimited(scopes, limits, totals.read));
        const alerts = near.filter((alert) =>
          scopes.some((of) => of.scope === alert.scope && totals.raise(of, alert.what, call.startedAt)),
        );
        return { kind: 'reserved', callId, alerts };
      }),
    noteCall: (callId, seen) => {
      const call = calls.open(callId);
      if (call === null) return;
      const next = toHigher(toCharge(call), seen);
      if (isNoChange(toChange(toCharge(call), next))) return;
      inRelaxedTransaction(db, () => charge(call, next, null));
    },
    endCall: (callId, { microUsd, tokens, ...end }) => {
      inRelaxedTransaction(db, () => {
        const call = calls.open(callId);
        if (call !== null) charge(call, { microUsd, tokens }, end);
      });
    },
    settleOpenCalls: (now) =>
      inRelaxedTransaction(db, () => {
        const open = calls.allOpen();
        const end = { state: 'estimated', endedAt: now, status: null, fault: null } as const;
        for (const call of open) calls.update(call.id, toCharge(call), end);
        return open.length;
      }),
    spent: totals.read,
  };
}

function toLimited(
  scopes: readonly SpendScope[],
  limits: SpendLimits,
  read: (scope: SpendScope) => Spent,
): readonly LimitedScope[] {
  return scopes.flatMap((of) => {
    const limit = limits[of.scope];
    return limit === undefined ? [] : [{ scope: of.scope, limit, used: read(of) }];
  });
}

type TokenColumns = Pick<Call, 'inputTokens' | 'cachedTokens' | 'writtenTokens' | 'outputTokens'>;

function toColumns({ input, cached, written, output }: TokenUse): TokenColumns {
  return { inputTokens: input, cachedTokens: cached, writtenTokens: written, outputTokens: output };
}

function toTokens({ inputTokens, cachedTokens, writtenTokens, outputTokens }: TokenColumns): TokenUse {
  return { input: inputTokens, cached: cachedTokens, written: writtenTokens, output: outputTokens };
}

function toCharge(call: Call): Charge {
  return { microUsd: call.microUsd, tokens: toTokens(call) };
}

type CallEnd = Pick<Call, 'state' | 'status' | 'fault'> & { readonly endedAt: number };

interface Calls {
  readonly insert: (call: NewModelCall) => number;
  readonly update: (id: number, charge: Charge, end: CallEnd | null) => void;
  readonly open: (id: number) => Call | null;
  readonly allOpen: () => readonly Call[];
}

function createCalls(db: Database): Calls {
  const isOpen = sql`state = 'open'`;
  const one = db
    .select()
    .from(modelCalls)
    .where(and(eq(modelCalls.id, sql.placeholder('id')), isOpen))
    .prepare();
  return {
    insert: ({ key, reserved, reservedMicroUsd, ...call }) =>
      db
        .insert(modelCalls)
        .values({
          ...{ ...call, workspaceKey: key, state: 'open', reservedMicroUsd, microUsd: reservedMicroUsd },
          ...toColumns(reserved),
        })
        .returning({ id: modelCalls.id })
        .get().id,
    update: (id, { microUsd, tokens }, end) => {
      db.update(modelCalls)
        .set({ microUsd, ...toColumns(tokens), ...end })
        .where(eq(modelCalls.id, id))
        .run();
    },
    open: (id) => one.get({ id }) ?? null,
    allOpen: () => db.select().from(modelCalls).where(isOpen).all(),
  };
}

interface Totals {
  readonly read: (scope: SpendScope) => Spent;
  /** Adds to a total; the numbers may be negative. */
  readonly add: (scope: SpendScope, change: Spent & { readonly at: number }) => void;
  /** Marks the alert as raised; false if it was raised before. */
  readonly raise: (scope: SpendScope, what: SpendAlert['what'], at: number) => boolean;
}

function createTotals(db: Database): Totals {
  const isOne = (scope: unknown, scopeKey: unknown): SQL | undefined =>
    and(eq(spendTotals.scope, sql`${scope}`), eq(spendTotals.scopeKey, sql`${scopeKey}`));
  const one = db
    .select()
    .from(spendTotals)
    .where(isOne(sql.placeholder('scope'), sql.placeholder('scopeKey')))
    .prepare();
  const add = prepareAdd(db);
  return {
    read: (scope) => {
      const row = one.get({ scope: scope.scope, scopeKey: toScopeKey(scope) });
      return row === undefined
        ? { ...NO_CHARGE, calls: 0 }
        : { microUsd: row.microUsd, calls: row.calls, tokens: toTokens(row) };
    },
    add: (scope, { tokens, ...change }) => {
      add.run({ scope: scope.scope, scopeKey: toScopeKey(scope), ...change, ...toColumns(tokens) });
    },
    raise: (scope, what, at) => {
      const column = `${what}AlertAt` as const;
      const isNew = and(isOne(scope.scope, toScopeKey(scope)), isNull(spendTotals[column]));
      return (
        db
          .update(spendTotals)
          .set({ [column]: at })
          .where(isNew)
          .run().changes === 1
      );
    },
  };
}

/** Statement that adds to a total, and makes its row where it is missing. */
function prepareAdd(db: Database) {
  const { scope, scopeKey, microUsd, calls, at, ...tokens } = {
    ...{ scope: sql.placeholder('scope'), scopeKey: sql.placeholder('scopeKey') },
    ...{ microUsd: sql.placeholder('microUsd'), calls: sql.placeholder('calls'), at: sql.placeholder('at') },
    ...{ inputTokens: sql.placeholder('inputTokens'), cachedTokens: sql.placeholder('cachedTokens') },
    ...{ writtenTokens: sql.placeholder('writtenTokens'), outputTokens: sql.placeholder('outputTokens') },
  };
  return db
    .insert(spendTotals)
    .values({ scope, scopeKey, microUsd, calls, ...tokens, changedAt: at })
    .onConflictDoUpdate({
      target: [spendTotals.scope, spendTotals.scopeKey],
      set: {
        microUsd: sql`micro_usd + excluded.micro_usd`,
        calls: sql`calls + excluded.calls`,
        inputTokens: sql`input_tokens + excluded.input_tokens`,
        cachedTokens: sql`cached_tokens + excluded.cached_tokens`,
        writtenTokens: sql`written_tokens + excluded.written_tokens`,
        outputTokens: sql`output_tokens + excluded.output_tokens`,
        changedAt: sql`max(changed_at, excluded.changed_at)`,
      },
    })
    .prepare();
}
