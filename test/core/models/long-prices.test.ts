import { describe, expect, it } from 'vitest';
import { toCost, toHighestCost } from '../../../src/core/models/token-price.ts';

const short = { input: 2, cached: 0.2, written: 2.5, output: 10 };
const price = { ...short, long: { above: 100, input: 4, cached: 0.4, written: 5, output: 15 } };

describe('a price with a tier for long prompts', () => {
  it.each([
    ['a prompt at the limit', { input: 50, cached: 30, written: 20, output: 1_000 }, 100 + 6 + 50 + 10_000],
    ['a prompt beyond it', { input: 51, cached: 30, written: 20, output: 1_000 }, 204 + 12 + 100 + 15_000],
    ['a long output alone', { input: 1, cached: 0, written: 0, output: 1_000 }, 2 + 10_000],
  ])('costs by the length of the whole input: %s', (_what, tokens, cost) => {
    expect(toCost(tokens, price)).toBe(cost);
  });

  it.each([
    ['at the limit', { input: 100, cached: 0, written: 0, output: 10 }, price, 250 + 100],
    ['beyond it', { input: 101, cached: 0, written: 0, output: 10 }, price, 505 + 150],
    [
      'beyond it, where long prompts are cheaper',
      { input: 101, cached: 0, written: 0, output: 10 },
      { ...short, long: { above: 100, input: 1, cached: 1, written: 1, output: 1 } },
      253 + 100,
    ],
  ])('has an upper bound %s', (_what, tokens, of, cost) => {
    expect(toHighestCost(tokens, of)).toBe(cost);
  });
});
