import type { ModelPrice, TokenPrices } from '../model/model-use.ts';

/**
 * Prices by model, read on 2026-11-28 from https://platform.claude.com/docs/en/about-claude/pricing,
 * https://developers.openai.com/api/docs/pricing and https://ai.google.dev/gemini-api/docs/pricing, or from what others quote of
 * them. Standard service, cache entries of the shortest lifetime: the gateway lets no call ask for more. A price that ends soon
 * is here with the higher one that follows. Models whose prices were not certain are missing; an operator can add them.
 *
 * Names are those of the APIs. A dated name is another name: nothing is taken from a similar one.
 */
export const MODEL_PRICES: Readonly<Record<string, ModelPrice>> = {
  'claude-fable-5-2': price(8, 0.4, 10, 40),
  'claude-fable-5-1': price(10, 0.25, 12.5, 50),
  'claude-opus-5-5': price(4, 0.2, 5, 20),
  'claude-opus-5': price(5, 0.5, 6.25, 25),
  'claude-opus-4-8': price(5, 0.5, 6.25, 25),
  'claude-opus-4-7': price(5, 0.5, 6.25, 25),
  'claude-opus-4-6': price(5, 0.5, 6.25, 25),
  'claude-opus-4-5': price(5, 0.5, 6.25, 25),
  'claude-opus-4-5-20251101': price(5, 0.5, 6.25, 25),
  'claude-sonnet-5-5': price(2, 0.1, 2.5, 10),
  'claude-sonnet-5': price(2, 0.2, 2.5, 10),
  'claude-sonnet-4-6': price(3, 0.3, 3.75, 15),
  'claude-haiku-5-5': tiered(price(0.1, 0.01, 0.125, 0.5), 100_000, price(0.5, 0.05, 0.625, 2.5)),
  'claude-haiku-4-5': price(1, 0.1, 1.25, 5),
  'claude-haiku-4-5-20251001': price(1, 0.1, 1.25, 5),

  'gpt-6.1-terra': tiered(price(1, 0.05, 1.25, 5), 272_000, price(2, 0.1, 2.5, 7.5)),
  'gpt-6-astra': tiered(price(10, 1, 12.5, 50), 272_000, price(20, 2, 25, 75)),
  'gpt-6-sol': tiered(price(2, 0.2, 2.5, 10), 272_000, price(4, 0.4, 5, 15)),
  'gpt-6-luna': tiered(price(0.1, 0.01, 0.125, 0.5), 272_000, price(0.2, 0.02, 0.25, 0.75)),
  'gpt-5.6-sol': tiered(price(5, 0.5, 6.25, 30), 272_000, price(10, 1, 12.5, 45)),
  'gpt-5.6-terra': tiered(price(2, 0.2, 2.5, 12), 272_000, price(4, 0.4, 5, 18)),
  'gpt-5.6-luna': tiered(price(0.2, 0.02, 0.25, 1.2), 200_000, price(0.4, 0.04, 0.5, 1.8)),
  // Before GPT-5.6, writing to the cache costs no more than other input.
  'gpt-5.5': tiered(price(5, 0.5, 5, 30), 272_000, price(10, 1, 10, 45)),
  'gpt-5.4': tiered(price(2.5, 0.25, 2.5, 15), 272_000, price(5, 0.5, 5, 22.5)),
  'gpt-5.4-mini': price(0.75, 0.075, 0.75, 4.5),
  'gpt-5.3-codex': price(1.75, 0.175, 1.75, 14),

  // Gemini writes to its cache by itself, at no price of its own.
  'gemini-3.8-flash': price(1.5, 0.15, 1.5, 7.5),
  'gemini-3.5-flash': price(1.5, 0.15, 1.5, 9),
  'gemini-3.1-pro-preview': tiered(price(2, 0.2, 2, 12), 200_000, price(4, 0.4, 4, 18)),
};

function price(...[input, cached, written, output]: readonly [number, number, number, number]): TokenPrices {
  return { input, cached, written, output };
}

function tiered(short: TokenPrices, above: number, long: TokenPrices): ModelPrice {
  return { ...short, long: { above, ...long } };
}
