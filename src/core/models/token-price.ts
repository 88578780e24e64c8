import type { MicroUsd, ModelPrice, TokenUse } from '../model/model-use.ts';

export const NO_TOKENS: TokenUse = { input: 0, cached: 0, written: 0, output: 0 };

/**
 * What tokens cost; nothing without a price. Prices in USD per million tokens are millionths of a USD per token. Rounded up.
 */
export function toCost(tokens: TokenUse, price: ModelPrice | null): MicroUsd {
  if (price === null) return 0;
  const cost =
    tokens.input * price.input +
    tokens.cached * price.cached +
    tokens.written * price.written +
    tokens.output * price.output;
  // Sums of decimal prices miss a whole number by a hair.
  return Math.ceil(Number(cost.toFixed(6)));
}

/** The most that tokens can cost: nobody knows yet which of the input is read from a cache or written to it. */
export function toHighestCost(tokens: TokenUse, price: ModelPrice | null): MicroUsd {
  if (price === null) return 0;
  const dearest = Math.max(price.input, price.cached, price.written);
  return toCost(tokens, { input: dearest, cached: dearest, written: dearest, output: price.output });
}

export function addTokens(left: TokenUse, right: TokenUse): TokenUse {
  return {
    input: left.input + right.input,
    cached: left.cached + right.cached,
    written: left.written + right.written,
    output: left.output + right.output,
  };
}
