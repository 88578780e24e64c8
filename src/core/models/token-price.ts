import type { MicroUsd, ModelPrice, TokenPrices, TokenUse } from '../model/model-use.ts';

export const NO_TOKENS: TokenUse = { input: 0, cached: 0, written: 0, output: 0 };

/**
 * What the tokens of one call cost; nothing without a price. Prices in USD per million tokens are millionths of a USD per
 * token. Rounded up.
 */
export function toCost(tokens: TokenUse, price: ModelPrice | null): MicroUsd {
  if (price === null) return 0;
<<<<<<< HEAD
  return multiply(tokens, isLong(tokens, price.long) ? price.long : price);
=======
  const { input, cached, written, output } = isLong(tokens, price) ? price.long : price;
  const cost = tokens.input * input + tokens.cached * cached + tokens.written * written + tokens.output * output;
  // Sums of decimal prices miss a whole number by a hair.
  return Math.ceil(Number(cost.toFixed(6)));
>>>>>>> main
}

/** The most that a call can cost: nobody knows yet which of its input is read from a cache or written to it. */
export function toHighestCost(tokens: TokenUse, price: ModelPrice | null): MicroUsd {
  if (price === null) return 0;
<<<<<<< HEAD
  const ofShort = multiply(tokens, toDearest(price));
  // The call may turn out to be short enough for the other prices.
  return isLong(tokens, price.long) ? Math.max(ofShort, multiply(tokens, toDearest(price.long))) : ofShort;
}

function isLong<Long extends { readonly above: number }>(tokens: TokenUse, long: Long | undefined): long is Long {
  return long !== undefined && tokens.input + tokens.cached + tokens.written > long.above;
}

function toDearest({ input, cached, written, output }: TokenPrices): TokenPrices {
  const dearest = Math.max(input, cached, written);
  return { input: dearest, cached: dearest, written: dearest, output };
}

function multiply(tokens: TokenUse, prices: TokenPrices): MicroUsd {
  const cost =
    tokens.input * prices.input +
    tokens.cached * prices.cached +
    tokens.written * prices.written +
    tokens.output * prices.output;
  // Sums of decimal prices miss a whole number by a hair.
  return Math.ceil(Number(cost.toFixed(6)));
=======
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
>>>>>>> main
}

export function addTokens(left: TokenUse, right: TokenUse): TokenUse {
  return {
    input: left.input + right.input,
    cached: left.cached + right.cached,
    written: left.written + right.written,
    output: left.output + right.output,
  };
}
