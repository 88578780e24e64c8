import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { BudgetUnit, TokenUse } from '../../core/model/model-use.ts';
import type { SpendAlert, SpendLimits, SpendScope, Spent } from '../../core/model/spend.ts';
import { NOTHING_SPENT } from '../../core/spend/charge.ts';
import { findAlerts, type LimitedScope } from '../../core/spend/check-limits.ts';
import { toScopeKey } from '../../core/spend/scope-key.ts';
import type { Database } from './database.ts';
import { type modelCalls, spendTotals } from './spend-schema.ts';

/** The scopes that have limits, with what was spent in them. */
export function toLimited(
  scopes: readonly SpendScope[],
  limits: SpendLimits,
  read: (scope: SpendScope) => Spent,
): readonly LimitedScope[] {
  return scopes.flatMap((of) => {
    const limit = limits[of.scope];
    return limit === undefined ? [] : [{ scope: of.scope, limit, used: read(of) }];
  });
}

type TokenColumns = Pick<
  typeof modelCalls.$inferSelect,
  'inputTokens' | 'cachedTokens' | 'writtenTokens' | 'outputTokens'
>;

export function toColumns({ input, cached, written, output }: TokenUse): TokenColumns {
  return { inputTokens: input, cachedTokens: cached, writtenTokens: written, outputTokens: output };
}

export function toTokens({ inputTokens, cachedTokens, writtenTokens, outputTokens }: TokenColumns): TokenUse {
  return { input: inputTokens, cached: cachedTokens, written: writtenTokens, output: outputTokens };
}

/** What was spent in each scope. */
interface Totals {
  readonly read: (scope: SpendScope) => Spent;
  /** Adds to a total; the numbers may be negative. */
  readonly add: (scope: SpendScope, change: Spent & { readonly at: number }) => void;
  /** The alerts in these units that were not raised before. */
  readonly raise: (
    scopes: readonly SpendScope[],
    limits: SpendLimits,
    of: { readonly units: readonly BudgetUnit[]; readonly at: number },
  ) => readonly SpendAlert[];
}

/** Creates the writer of `spend_totals` on `db`. */
export function createTotals(db: Database): Totals {
  const isOne = (scope: unknown, scopeKey: unknown): SQL | undefined =>
    and(eq(spendTotals.scope, sql`${scope}`), eq(spendTotals.scopeKey, sql`${scopeKey}`));
  const one = db
    .select()
    .from(spendTotals)
    .where(isOne(sql.placeholder('scope'), sql.placeholder('scopeKey')))
    .prepare();
  const add = prepareAdd(db);
  const read = (scope: SpendScope): Spent => {
    const row = one.get({ scope: scope.scope, scopeKey: toScopeKey(scope) });
    return row === undefined
      ? NOTHING_SPENT
      : { microUsd: row.microUsd, calls: row.calls, tokens: toTokens(row), timeMs: row.timeMs };
  };
  /** Marks the alert as raised; false if it was raised before. */
  const mark = (scope: SpendScope, what: BudgetUnit, at: number): boolean => {
    const column = `${what}AlertAt` as const;
    const isNew = and(isOne(scope.scope, toScopeKey(scope)), isNull(spendTotals[column]));
    return (
      db
        .update(spendTotals)
        .set({ [column]: at })
        .where(isNew)
        .run().changes === 1
    );
  };
  return {
    read,
    add: (scope, { tokens, ...change }) => {
      add.run({ scope: scope.scope, scopeKey: toScopeKey(scope), ...change, ...toColumns(tokens) });
    },
    raise: (scopes, limits, { units, at }) =>
      findAlerts(toLimited(scopes, limits, read), units).filter(({ scope, what }) =>
        scopes.some((of) => of.scope === scope && mark(of, what, at)),
      ),
  };
}

/** Statement that adds to a total, and makes its row where it is missing. */
function prepareAdd(db: Database) {
  const { scope, scopeKey, microUsd, calls, timeMs, at, ...tokens } = {
    ...{ scope: sql.placeholder('scope'), scopeKey: sql.placeholder('scopeKey') },
    ...{ microUsd: sql.placeholder('microUsd'), calls: sql.placeholder('calls') },
    ...{ timeMs: sql.placeholder('timeMs'), at: sql.placeholder('at') },
    ...{ inputTokens: sql.placeholder('inputTokens'), cachedTokens: sql.placeholder('cachedTokens') },
    ...{ writtenTokens: sql.placeholder('writtenTokens'), outputTokens: sql.placeholder('outputTokens') },
  };
  return db
    .insert(spendTotals)
    .values({ scope, scopeKey, microUsd, calls, timeMs, ...tokens, changedAt: at })
    .onConflictDoUpdate({
      target: [spendTotals.scope, spendTotals.scopeKey],
      set: {
        microUsd: sql`micro_usd + excluded.micro_usd`,
        calls: sql`calls + excluded.calls`,
        timeMs: sql`time_ms + excluded.time_ms`,
        inputTokens: sql`input_tokens + excluded.input_tokens`,
        cachedTokens: sql`cached_tokens + excluded.cached_tokens`,
        writtenTokens: sql`written_tokens + excluded.written_tokens`,
        outputTokens: sql`output_tokens + excluded.output_tokens`,
        changedAt: sql`max(changed_at, excluded.changed_at)`,
      },
    })
    .prepare();
}
