import type { TokenCount } from './model-call.ts';

/** What the provider charges. */
export type Spent = {
  /** Calls that arrived with the right key, whether they were answered or not. */
  readonly calls: number;
  readonly tokens: TokenCount;
  /** Millionths of a USD, not rounded. */
  readonly microUsd: number;
};

/** The provider's own count. */
export type Bill = {
  readonly addCall: () => void;
  readonly charge: (model: string, use: Partial<TokenCount>) => void;
  readonly read: () => Spent;
  readonly reset: () => void;
};

/** USD per million tokens. */
const DEFAULT_PRICE: TokenCount = { input: 3, cached: 0.3, written: 3.75, output: 15 };
const NOTHING: TokenCount = { input: 0, cached: 0, written: 0, output: 0 };

/** Creates a bill. Models that are not in `prices` cost 3 USD per million input tokens and 15 per million output tokens. */
export function createBill(prices: Readonly<Record<string, TokenCount>>): Bill {
  let calls = 0;
  let tokens = NOTHING;
  let microUsd = 0;
  return {
    addCall: () => {
      calls += 1;
    },
    charge: (model, use) => {
      const added = { ...NOTHING, ...use };
      const price = prices[model] ?? DEFAULT_PRICE;
      tokens = combine(tokens, added, (before, more) => before + more);
      const cost = combine(added, price, (count, each) => count * each);
      microUsd += cost.input + cost.cached + cost.written + cost.output;
    },
    read: () => ({ calls, tokens, microUsd }),
    reset: () => {
      calls = 0;
      tokens = NOTHING;
      microUsd = 0;
    },
  };
}

function combine(left: TokenCount, right: TokenCount, merge: (left: number, right: number) => number): TokenCount {
  return {
    input: merge(left.input, right.input),
    cached: merge(left.cached, right.cached),
    written: merge(left.written, right.written),
    output: merge(left.output, right.output),
  };
}
