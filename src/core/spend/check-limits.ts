import { toTokenCount } from '../agents/use-text.ts';
import { BUDGET_UNITS, type BudgetScope, type BudgetUnit } from '../model/model-use.ts';
import type { ExceededBudget, SpendAlert, SpendLimit, Spent } from '../model/spend.ts';
import type { Charge } from './charge.ts';

/** A scope with its limits and what was spent in it. */
export interface LimitedScope<Scope extends BudgetScope = BudgetScope> {
  readonly scope: Scope;
  readonly limit: SpendLimit;
  readonly used: Spent;
}

/** In percent of a budget. */
const ALERT_AT = 80;

/** The first budget that one more call of at most this charge does not fit into; null if it fits into all of them. */
export function findExceeded<Scope extends BudgetScope>(
  scopes: readonly LimitedScope<Scope>[],
  reserved: Charge,
): ExceededBudget<Scope> | null {
  const more = toAmounts({ ...reserved, calls: 1 });
  for (const { scope, limit, used } of scopes) {
    for (const { what, max, amount } of toBudgets(limit, used)) {
      if (amount + more[what] > max) return { scope, what, limit: max, used: amount };
    }
  }
  return null;
}

/** The budgets of which at least 80 % are used. */
export function findAlerts(scopes: readonly LimitedScope[]): readonly SpendAlert[] {
  return scopes.flatMap(({ scope, limit, used }) =>
    toBudgets(limit, used)
      .filter(({ max, amount }) => amount > 0 && amount * 100 >= max * ALERT_AT)
      .map(({ what, max, amount }) => ({ scope, what, limit: max, used: amount })),
  );
}

/** Each unit that has a limit, and how much of it was used. */
function toBudgets(
  { maxMicroUsd, maxCalls, maxTokens }: SpendLimit,
  used: Spent,
): readonly { readonly what: BudgetUnit; readonly max: number; readonly amount: number }[] {
  const maxima = { usd: maxMicroUsd, calls: maxCalls, tokens: maxTokens };
  const amounts = toAmounts(used);
  return BUDGET_UNITS.flatMap((what) => {
    const max = maxima[what];
    return max === null ? [] : [{ what, max, amount: amounts[what] }];
  });
}

function toAmounts({ microUsd, calls, tokens }: Spent): Readonly<Record<BudgetUnit, number>> {
  return { usd: microUsd, calls, tokens: toTokenCount(tokens) };
}
