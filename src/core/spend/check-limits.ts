import type { BudgetScope, MicroUsd } from '../model/model-use.ts';
import type { ExceededBudget, SpendAlert, SpendLimit } from '../model/spend.ts';

/** A scope with its limits and what was spent in it. */
export interface LimitedScope<Scope extends BudgetScope = BudgetScope> {
  readonly scope: Scope;
  readonly limit: SpendLimit;
  readonly used: { readonly microUsd: MicroUsd; readonly calls: number };
}

/** In percent of a budget. */
const ALERT_AT = 80;

/** The first budget that one more call of at most this cost does not fit into; null if it fits into all of them. */
export function findExceeded<Scope extends BudgetScope>(
  scopes: readonly LimitedScope<Scope>[],
  reservedMicroUsd: MicroUsd,
): ExceededBudget<Scope> | null {
  for (const { scope, limit, used } of scopes) {
    const { maxMicroUsd, maxCalls } = limit;
    if (maxMicroUsd !== null && used.microUsd + reservedMicroUsd > maxMicroUsd) {
      return { scope, what: 'usd', limit: maxMicroUsd, used: used.microUsd };
    }
    if (maxCalls !== null && used.calls + 1 > maxCalls) {
      return { scope, what: 'calls', limit: maxCalls, used: used.calls };
    }
  }
  return null;
}

/** The budgets of which at least 80 % are used. */
export function findAlerts(scopes: readonly LimitedScope[]): readonly SpendAlert[] {
  return scopes.flatMap(({ scope, limit, used }) => [
    ...toAlert({ scope, what: 'usd', limit: limit.maxMicroUsd, used: used.microUsd }),
    ...toAlert({ scope, what: 'calls', limit: limit.maxCalls, used: used.calls }),
  ]);
}

function toAlert({ limit, ...of }: Omit<SpendAlert, 'limit'> & { readonly limit: number | null }): SpendAlert[] {
  const isNear = limit !== null && of.used > 0 && of.used * 100 >= limit * ALERT_AT;
  return isNear ? [{ ...of, limit }] : [];
}
