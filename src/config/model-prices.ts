import { z } from 'zod';
import { ConfigError } from '../core/model/errors.ts';
import type { ModelPrice } from '../core/model/model-use.ts';
import { ModelName, ModelPriceSchema } from './agent-fields.ts';
import { parseYaml, toPlaced } from './parse-yaml.ts';

/** Prices by model. */
export const Prices = z.record(ModelName, ModelPriceSchema);

/**
 * Parses the operator's price table. `path` is the value of `RATCHET_MODEL_PRICES`, for messages.
 * @throws ConfigError that lists each problem with its place.
 */
export function parsePrices(text: string, path: string): Readonly<Record<string, ModelPrice>> {
  const parsed = parseYaml(text, Prices);
  if (parsed.kind === 'ok') return parsed.value;
  throw new ConfigError(parsed.problems.map((problem) => toPlaced('RATCHET_MODEL_PRICES', path, problem)));
}
