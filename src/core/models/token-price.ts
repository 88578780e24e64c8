import type { MicroUsd, ModelPrice, TokenUse } from '../model/model-use.ts';

export const NO_TOKENS: TokenUse = { input: 0, cached: 0, written: 0, output: 0 };

/**
 * What tokens cost; nothing without a price. Prices in USD per million tokens are millionths of a USD per token. Rounded up.
 */
export function toCost(tokens: TokenUse, price: ModelPrice | null): MicroUsd {
  if (price === null) return 0;
  const { input, cached, written, output } = isLong(tokens, price) ? price.long : price;
  const cost = tokens.input * input + tokens.cached * cached + tokens.written * written + tokens.output * output;
  // Sums of decimal prices miss a whole number by a hair.
  return Math.ceil(Number(cost.toFixed(6)));
}

/** The most that tokens can cost: nobody knows yet which of the input is read from a cache or written to it. */
export function toHighestCost(tokens: TokenUse, price: ModelPrice | null): MicroUsd {
  if (price === null) return 0;
  // Fewer tokens than these may cost more each.
  const tiers = isLong(tokens, price) ? [price, price.long] : [price];
  const dearest = Math.max(...tiers.flatMap(({ input, cached, written }) => [input, cached, written]));
  const output = Math.max(...tiers.map((tier) => tier.output));
  return toCost(tokens, { input: dearest, cached: dearest, written: dearest, output });
}

/** Whether the prices of long calls apply. */
function isLong(
  { input, cached, written }: TokenUse,
  price: ModelPrice,
): price is ModelPrice & { readonly long: NonNullable<ModelPrice['long']> } {
  return price.long !== undefined && input + cached + written > price.long.above;
}

export function addTokens(left: TokenUse, right: TokenUse): TokenUse {
  return {
    input: left.input + right.input,
    cached: left.cached + right.cached,
    written: left.written + right.written,
    output: left.output + right.output,
  };
}
