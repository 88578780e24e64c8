import { toTokenCount } from '../agents/use-text.ts';
import type { BudgetScope, BudgetUnit } from '../model/model-use.ts';
import type { ExceededBudget, SpendAlert, SpendLimit, Spent } from '../model/spend.ts';

/** A scope with its limits and what was spent in it. */
export interface LimitedScope<Scope extends BudgetScope = BudgetScope> {
  readonly scope: Scope;
  readonly limit: SpendLimit;
  readonly used: Spent;
}

/** In percent of a budget. */
const ALERT_AT = 80;

/** The first budget in these units that so much more does not fit into; null if it fits into all of them. */
export function findExceeded<Scope extends BudgetScope, Unit extends BudgetUnit>(
  scopes: readonly LimitedScope<Scope>[],
  units: readonly Unit[],
  spent: Spent,
): ExceededBudget<Scope, Unit> | null {
  const more = toAmounts(spent);
  for (const { scope, limit, used } of scopes) {
    for (const { what, max, amount } of toBudgets(units, limit, used)) {
      if (amount + more[what] > max) return { scope, what, limit: max, used: amount };
    }
  }
  return null;
}

/** The budgets in these units of which at least 80 % are used. */
export function findAlerts(scopes: readonly LimitedScope[], units: readonly BudgetUnit[]): readonly SpendAlert[] {
  return scopes.flatMap(({ scope, limit, used }) =>
    toBudgets(units, limit, used)
      .filter(({ max, amount }) => amount > 0 && amount * 100 >= max * ALERT_AT)
      .map(({ what, max, amount }) => ({ scope, what, limit: max, used: amount })),
  );
}

/** Each unit that has a limit, and how much of it was used. */
function toBudgets<Unit extends BudgetUnit>(
  units: readonly Unit[],
  { maxMicroUsd, maxCalls, maxTokens, maxTimeMs }: SpendLimit,
  used: Spent,
): readonly { readonly what: Unit; readonly max: number; readonly amount: number }[] {
  const maxima = { usd: maxMicroUsd, calls: maxCalls, tokens: maxTokens, time: maxTimeMs };
  const amounts = toAmounts(used);
  return units.flatMap((what) => {
    const max = maxima[what];
    return max === null ? [] : [{ what, max, amount: amounts[what] }];
  });
}

function toAmounts({ microUsd, calls, tokens, timeMs }: Spent): Readonly<Record<BudgetUnit, number>> {
  return { usd: microUsd, calls, tokens: toTokenCount(tokens), time: timeMs };
}
