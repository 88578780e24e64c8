import type { MicroUsd } from '../model/model-use.ts';

/** A budget in millionths of a USD: whole numbers, so that 0.1 and 0.2 make 0.3. */
export interface Budget {
  readonly limit: MicroUsd;
  readonly spent: MicroUsd;
  readonly reserved: MicroUsd;
}

const NANO = 1_000_000_000;
const NANO_PER_MICRO = 1000;
const MICRO = 1_000_000;

/** A cost, rounded up. null: it is no amount of money. */
export function toCost(usd: number): MicroUsd | null {
  // By way of whole nanodollars: 0.07 * 1e6 is more than 70000.
  const micro = Math.ceil(Math.round(usd * NANO) / NANO_PER_MICRO);
  return Number.isSafeInteger(micro) && micro >= 0 ? micro : null;
}

export function toUsd(micro: MicroUsd): number {
  return micro / MICRO;
}

/** A new budget. A limit that is no amount of money allows nothing. */
export function openBudget(limitUsd: number, spentUsd = 0): Budget {
  return { limit: toCost(limitUsd) ?? 0, spent: toCost(spentUsd) ?? 0, reserved: 0 };
}

/** Whether that much more fits beside what was spent and reserved. */
export function hasRoom({ limit, spent, reserved }: Budget, amount: MicroUsd): boolean {
  return spent + reserved + amount <= limit;
}

export function reserve(budget: Budget, amount: MicroUsd): Budget {
  return { ...budget, reserved: budget.reserved + amount };
}

/** Ends a reservation with what was really spent; 0 releases it. The real cost may be more than what was reserved. */
export function commit(budget: Budget, reserved: MicroUsd, spent: MicroUsd): Budget {
  return { ...budget, reserved: budget.reserved - reserved, spent: budget.spent + spent };
}

/** What a start is charged: its measured cost, else its estimate. */
export function toCharge(measuredUsd: number | null, reserved: MicroUsd): MicroUsd {
  return (measuredUsd === null ? null : toCost(measuredUsd)) ?? reserved;
}
