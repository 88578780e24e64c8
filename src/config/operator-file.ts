import { z } from 'zod';
import { ConfigError } from '../core/model/errors.ts';
import { type Declared, POLICY_KEYS, type Setting } from '../core/model/policy.ts';
import type { Ceilings, OperatorPolicy } from '../core/policy/operator-policy.ts';
import { parseYaml, toPlaced } from './parse-yaml.ts';
import { PolicyDefaults, toKeySchema } from './policy-file-schema.ts';
import { toNumber } from './setting-schema.ts';

/** Letters, digits, `_` and `-` for accounts, dots too for repositories. */
const REPOSITORIES = /^[A-Za-z0-9][\w-]{0,99}(?:\/[\w.-]{1,100})?$/u;

/** The operator's file: defaults for all repositories, and ceilings that no repository may exceed. */
const OperatorFile = z.strictObject({
  version: z.literal(1).exactOptional(),
  defaults: PolicyDefaults.exactOptional(),
  ceilings: toCeilings(POLICY_KEYS).exactOptional(),
  observe: z
    .array(z.string().regex(REPOSITORIES, 'must list owners and repositories: acme, or acme/widget'))
    .exactOptional(),
});

function toCeilings(keys: typeof POLICY_KEYS): z.ZodType<Ceilings>;
function toCeilings(keys: Declared): z.ZodType;
function toCeilings(keys: Declared): z.ZodType {
  const entries = Object.entries(keys).flatMap(([name, declared]) => {
    const schema = 'keys' in declared ? toCeilings(declared.keys) : toCeiling(declared);
    return schema === null ? [] : [[name, schema.exactOptional()] as const];
  });
  return z.strictObject(Object.fromEntries(entries));
}

function toCeiling(setting: Setting): z.ZodType | null {
  const { ceiling } = setting;
  if (ceiling === undefined) return null;
  // No number at all would be no ceiling.
  if (ceiling === 'any') return setting.kind === 'number' ? toNumber(setting) : toKeySchema(setting);
  if ('only' in ceiling) return z.literal(ceiling.only);
  const limits = Object.entries(ceiling.each).map(
    ([name, bounds]) => [name, toNumber(bounds).exactOptional()] as const,
  );
  return z.strictObject(Object.fromEntries(limits));
}

/**
 * Parses the operator's file. `path` is the value of `RATCHET_POLICY_FILE`, for messages.
 * @throws ConfigError that lists each problem with its place: a mistyped ceiling must not count as no ceiling.
 */
export function parseOperatorFile(text: string, path: string): OperatorPolicy {
  const parsed = parseYaml(text, OperatorFile);
  if (parsed.kind === 'ok') {
    const { defaults = {}, ceilings = {}, observe } = parsed.value;
    return { defaults, ceilings, ...(observe === undefined ? {} : { observe }) };
  }
  throw new ConfigError(parsed.problems.map((problem) => toPlaced('RATCHET_POLICY_FILE', path, problem)));
}
