import { describe, expect, it } from 'vitest';
import { MODEL_PRICES } from '../../../src/core/models/model-prices.ts';

describe('the price table', () => {
  it.each(Object.entries(MODEL_PRICES))('has prices of %s in an order that every API keeps', (_model, price) => {
    for (const { input, cached, written, output } of [price, price.long ?? price]) {
      expect(cached).toBeGreaterThan(0);
      expect(cached).toBeLessThan(input);
      expect(written).toBeGreaterThanOrEqual(input);
      expect(output).toBeGreaterThan(written);
    }
    if (price.long !== undefined) {
      expect(price.long.input).toBeGreaterThan(price.input);
      expect(price.long.output).toBeGreaterThan(price.output);
    }
  });

  it('has models of each API', () => {
    for (const name of ['claude-', 'gpt-', 'gemini-']) {
      expect(Object.keys(MODEL_PRICES).filter((model) => model.startsWith(name)).length).toBeGreaterThan(2);
    }
  });
});
