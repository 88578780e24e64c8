import { commit, hasRoom, openBudget, reserve, toCharge, toCost, toUsd } from '../../core/execution/budget.ts';
import type { BudgetGuard } from '../../ports/execution.ts';

/** Guards one budget in memory. `spentUsd`: what was spent of it before, for example by the process that died. */
export function createBudgetGuard({
  limitUsd,
  spentUsd = 0,
}: {
  readonly limitUsd: number;
  readonly spentUsd?: number;
}): BudgetGuard {
  let budget = openBudget(limitUsd, spentUsd);
  const reservations = new Map<string, number>();
  return {
    check: (stepKey, estimateUsd) => {
      const estimate = toCost(estimateUsd);
      if (estimate === null || reservations.has(stepKey) || !hasRoom(budget, estimate)) return false;
      budget = reserve(budget, estimate);
      reservations.set(stepKey, estimate);
      return true;
    },
    update: (stepKey, actualUsd) => {
      const reserved = reservations.get(stepKey);
      if (reserved === undefined) return;
      reservations.delete(stepKey);
      budget = commit(budget, reserved, toCharge(actualUsd, reserved));
    },
    spentUsd: () => toUsd(budget.spent),
  };
}

/** Guards several budgets at once: a step starts only if it fits into all of them. What was spent is that of the first one. */
export function nestBudgetGuards(first: BudgetGuard, others: readonly BudgetGuard[]): BudgetGuard {
  const guards = [first, ...others];
  return {
    check: (stepKey, estimateUsd) => {
      const refusing = guards.findIndex((guard) => !guard.check(stepKey, estimateUsd));
      if (refusing === -1) return true;
      for (const guard of guards.slice(0, refusing)) guard.update(stepKey, 0);
      return false;
    },
    update: (stepKey, actualUsd) => {
      for (const guard of guards) guard.update(stepKey, actualUsd);
    },
    spentUsd: first.spentUsd,
  };
}
