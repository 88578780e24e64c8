import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { z } from 'zod';

/** Names of models: as the API has them, so exactly as written. */
export const ModelName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.:@/-]{0,127}$/u, 'must be the name of a model, as its API has it');

const MAX_MODELS = 20;

/** Models that an agent may use, the default first. */
export const Models = z
  .array(ModelName)
  .min(1)
  .max(MAX_MODELS)
  .refine((models) => new Set(models).size === models.length, 'must not name a model twice');

/** Longest output of one call. */
export const MAX_OUTPUT_TOKENS = { min: 256, max: 1_000_000 } as const;

/** Below it, somebody wrote the price of one token. */
const MIN_PRICE = 0.001;
const MAX_PRICE = 10_000;

const Price = z
  .number()
  .min(0)
  .max(MAX_PRICE)
  .refine((usd) => usd === 0 || usd >= MIN_PRICE, 'must be in USD per million tokens');

const PRICES = {
  input: Price.meta({ description: 'Input tokens.' }),
  cached: Price.meta({ description: 'Input tokens that the provider read from its cache.' }),
  written: Price.meta({ description: 'Input tokens that the provider wrote to its cache.' }),
  output: Price.meta({ description: 'Output tokens, with reasoning.' }),
};

/** USD per million tokens. All four are needed: a guess would be a wrong bill. */
export const ModelPriceSchema = z.strictObject({
  ...PRICES,
  long: z.strictObject({ above: z.int().min(1).max(100_000_000), ...PRICES }).exactOptional(),
});

/** Root of an API or registry: https, or plain http on this machine; without a trailing slash. */
export const RootUrl = z.string().transform((text, context) => {
  const url = URL.parse(text);
  const fault = url === null ? 'must be an https:// address' : findUrlFault(url);
  if (fault === null) return text.replace(/\/+$/u, '');
  context.addIssue({ code: 'custom', message: fault });
  return z.NEVER;
});

/** A path of a file. Absolute, so that nobody writes the key itself, which would then stand in messages. */
export const KeyFile = z
  .string()
  .refine((path) => isAbsolute(path), 'must be the absolute path of a file with the key');

/** Root of a model's API. */
export const ModelUrl = RootUrl.refine(
  (url) => !/\/v1(?:beta)?$/u.test(url),
  'must be the root of the API, without /v1: the paths below it belong to each call',
);

function findUrlFault(url: URL): string | null {
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return 'may be http only on this machine: what is sent would travel in clear text';
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an https:// address';
  if (url.username !== '' || url.password !== '') return 'must hold no user and no password';
  return url.search === '' && url.hash === '' ? null : 'must hold no query and no fragment';
}

/** Whether a host name means this machine. `localhost` counts: nobody else may answer for it (RFC 6761). */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}
