import type { MicroUsd, ModelPrice, TokenUse } from '../model/model-use.ts';
import { hasInput, toHighestMicroUsd, toMicroUsd } from './token-price.ts';
import type { Metered } from './usage-meter.ts';

/** What a call costs. `estimated`: at most; its real use is not known. */
export interface Charge {
  readonly state: 'settled' | 'estimated';
  readonly tokens: TokenUse;
  readonly microUsd: MicroUsd;
}

/**
 * The charge of a call with the upper bound `bound`. What the answer says about itself counts once it is complete. Of an
 * answer that ended early, the input counts as it was seen, and the output as the bound says. Without a price, nothing costs
 * money.
 */
export function toCharge(bound: TokenUse, price: ModelPrice | null, metered: Metered): Charge {
  const seen = metered.tokens;
  if (metered.isComplete && metered.isSeen) return { state: 'settled', tokens: seen, microUsd: toCost(seen, price) };
  const output = Math.max(seen.output, bound.output);
  if (hasInput(seen)) {
    const tokens = { ...seen, output };
    return { state: 'estimated', tokens, microUsd: toCost(tokens, price) };
  }
  const tokens = { ...bound, output };
  return { state: 'estimated', tokens, microUsd: price === null ? 0 : toHighestMicroUsd(tokens, price) };
}

/** What was seen so far of an open call. */
export function toCost(tokens: TokenUse, price: ModelPrice | null): MicroUsd {
  return price === null ? 0 : toMicroUsd(tokens, price);
}
