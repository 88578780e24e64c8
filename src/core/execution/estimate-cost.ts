import type { StructuredStep } from '../model/structured-plan.ts';

/** Fewer costs tell nothing about the next one. */
const MIN_COSTS = 3;
/** Nine of ten steps cost no more than their estimate. */
const SHARE = 0.9;

/**
 * What a step is expected to cost in USD (004.R22): what it declares; else what nine of ten such steps cost; else the default of its
 * action type. `costs`: measured costs of completed steps with its action type.
 */
export function estimateCost(
  { estimate_usd }: Pick<StructuredStep, 'estimate_usd'>,
  { costs, defaultUsd }: { readonly costs: readonly number[]; readonly defaultUsd: number },
): number {
  if (estimate_usd !== null) return estimate_usd;
  const [estimate = defaultUsd] = costs.length < MIN_COSTS ? [] : toRanked(costs).slice(-1);
  return estimate;
}

function toRanked(costs: readonly number[]): readonly number[] {
  return costs.toSorted((a, b) => a - b).slice(0, Math.ceil(costs.length * SHARE));
}
