import type { ModelPrice, TokenUse } from '../model/model-use.ts';
import type { Charge } from '../spend/charge.ts';
import { toCost, toHighestCost } from './token-price.ts';
import type { Metered } from './usage-meter.ts';

/** What a call costs. `estimated`: at most; its real use is not known. */
export interface CallCharge extends Charge {
  readonly state: 'settled' | 'estimated';
}

/**
 * The charge of a call with the upper bound `bound`. What the answer says about itself counts once it is complete. Of an
 * answer that ended early, the input counts as it was seen, and the output as the bound says.
 */
export function toCallCharge(bound: TokenUse, price: ModelPrice | null, metered: Metered): CallCharge {
  const seen = metered.tokens;
  if (metered.isComplete && metered.isSeen) return { state: 'settled', tokens: seen, microUsd: toCost(seen, price) };
  const output = Math.max(seen.output, bound.output);
  if (seen.input + seen.cached + seen.written > 0) {
    const tokens = { ...seen, output };
    return { state: 'estimated', tokens, microUsd: toCost(tokens, price) };
  }
  const tokens = { ...bound, output };
  return { state: 'estimated', tokens, microUsd: toHighestCost(tokens, price) };
}
