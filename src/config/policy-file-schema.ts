import { z } from 'zod';
import {
  describeIgnoredRequired,
  describeOwnRequired,
  findIgnoredRequired,
  findOwnRequired,
} from '../core/ci/ignored-required.ts';
import { LABEL_PREFIX } from '../core/commands/labels.ts';
import { type Bounds, type Declared, POLICY_KEYS, type Setting } from '../core/model/policy.ts';
import { MAX_NAME_GLOB_LENGTH } from '../core/paths/check-name-glob.ts';
import type { LayerOf } from '../core/policy/policy-layer.ts';
import { EnginesSetting } from './engines-schema.ts';
import { PathGlob } from './path-glob.ts';

const MAX_ENTRIES = 100;
const MAX_CHECK_NAME_LENGTH = 256;
/** GitHub's own limit. */
const MAX_LABEL_LENGTH = 50;

const text = (maxLength: number): z.ZodString => z.string().min(1).max(maxLength);
const label = z.string().trim().min(1).max(MAX_LABEL_LENGTH);
/** The webhook receiver ignores events for labels without this prefix. */
const ownLabel = z
  .string()
  .trim()
  .max(MAX_LABEL_LENGTH)
  .regex(/^ratchet/i, `must begin with "${LABEL_PREFIX}"`);
const command = z.string().trim().min(1).max(4096);
const regenerable = z.strictObject({
  path: PathGlob.meta({ description: "Glob of the file's path." }),
  command: command.meta({ description: "Shell command, run in the file's folder, without network." }),
});

/** The schema of a key's value. If the key is nullable, only null means "none". */
export function toSchema(setting: Setting): z.ZodType {
  return setting.nullable === true && setting.kind !== 'engines' ? toBare(setting).nullable() : toBare(setting);
}

function toBare(setting: Setting): z.ZodType {
  const list = (of: z.ZodType): z.ZodArray => {
    const entries = z.array(of).max(MAX_ENTRIES);
    return setting.nullable === true ? entries.min(1) : entries;
  };
  switch (setting.kind) {
    case 'switch':
      return z.boolean();
    case 'number':
      return toNumber(setting);
    case 'choice':
      return z.enum(setting.values);
    case 'label':
      return label;
    case 'ownLabel':
      return ownLabel;
    case 'checkNames':
      return list(text(MAX_CHECK_NAME_LENGTH));
    case 'nameGlobs':
      return list(text(MAX_NAME_GLOB_LENGTH));
    case 'pathGlobs':
      return list(PathGlob);
    case 'regenerables':
      return list(regenerable);
    case 'commands':
      return z
        .union([command, list(command)], 'expected a command, or a list of commands, as text')
        .transform((given) => (typeof given === 'string' ? [given] : given));
    case 'engines':
      return EnginesSetting;
  }
}

/** A number within bounds. */
export function toNumber({ min, max, isWhole }: Bounds): z.ZodNumber {
  return (isWhole ? z.int() : z.number()).min(min).max(max);
}

type Shape<Keys> = { readonly [Name in keyof Keys]: z.ZodExactOptional<z.ZodType<LayerOf<Keys[Name]>>> };

/** Schemas of declared keys, all optional. The kind of a key determines its type, which TypeScript cannot infer from zod. */
function toShape<Keys extends Declared>(keys: Keys): Shape<Keys>;
function toShape(keys: Declared): unknown {
  const entries = Object.entries(keys).map(([name, declared]) => {
    const { doc: description } = declared;
    if (!('keys' in declared)) {
      return [name, toSchema(declared).meta({ description, default: declared.default }).exactOptional()] as const;
    }
    const section = z.strictObject(toShape(declared.keys));
    const checked = name === 'ci' ? section.superRefine(refuseFutileRequired) : section;
    return [name, checked.meta({ description }).exactOptional()] as const;
  });
  return Object.fromEntries(entries);
}

/** Checks one file. `mergePolicy` finds contradictions between files. */
function refuseFutileRequired(names: Parameters<typeof findIgnoredRequired>[0], context: z.RefinementCtx): void {
  const refuse = (message: string): void => context.addIssue({ code: 'custom', path: ['required'], message });
  const ignored = findIgnoredRequired(names);
  const own = findOwnRequired(names);
  if (ignored.length > 0) refuse(describeIgnoredRequired(ignored));
  if (own.length > 0) refuse(describeOwnRequired(own));
}

const policySettings = toShape(POLICY_KEYS);

/** `.github/ratchet.yml`. An unknown key is an error at any depth. */
export const PolicyFile = z.strictObject({
  version: z.literal(1).meta({ description: 'Version of this format.', default: 1 }).exactOptional(),
  ...policySettings,
});

/** `defaults` of the operator's file. */
export const PolicyDefaults = z.strictObject(policySettings);
