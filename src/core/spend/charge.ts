import type { MicroUsd, TokenUse } from '../model/model-use.ts';
import type { Spent } from '../model/spend.ts';

/** What a call is charged. */
export interface Charge {
  readonly microUsd: MicroUsd;
  readonly tokens: TokenUse;
}

export const NO_CHARGE: Charge = { microUsd: 0, tokens: { input: 0, cached: 0, written: 0, output: 0 } };
export const NOTHING_SPENT: Spent = { ...NO_CHARGE, calls: 0, timeMs: 0 };
/** Of the cheapest call. */
export const LEAST_CHARGE: Charge = { microUsd: 1, tokens: { ...NO_CHARGE.tokens, output: 1 } };

/** The higher one of each number: an open call is charged what was reserved, and more where more was seen. */
export function toHigher(left: Charge, right: Charge): Charge {
  return combine(left, right, Math.max);
}

/** What must be added to `from` to get `to`. */
export function toChange(from: Charge, to: Charge): Charge {
  return combine(to, from, (next, last) => next - last);
}

/** Whether a change changes anything. */
export function isNoChange({ microUsd, tokens }: Charge): boolean {
  return [microUsd, tokens.input, tokens.cached, tokens.written, tokens.output].every((number) => number === 0);
}

function combine(left: Charge, right: Charge, one: (left: number, right: number) => number): Charge {
  return {
    microUsd: one(left.microUsd, right.microUsd),
    tokens: {
      input: one(left.tokens.input, right.tokens.input),
      cached: one(left.tokens.cached, right.tokens.cached),
      written: one(left.tokens.written, right.tokens.written),
      output: one(left.tokens.output, right.tokens.output),
    },
  };
}
