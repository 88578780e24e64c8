import { z } from 'zod';
import { LABEL_PREFIX } from '../core/commands/labels.ts';
import type { Bounds, Setting } from '../core/model/policy.ts';
import { MAX_NAME_GLOB_LENGTH } from '../core/paths/check-name-glob.ts';
import type { LayerOf } from '../core/policy/policy-layer.ts';
import { findCheckNameFault, findLoginFault, findNameGlobFault, findTextFault } from '../core/policy/value-faults.ts';
import { isPlainHost } from '../core/registry/connect-target.ts';
import { findVariableFault } from './engine-variables.ts';
import { PathGlob } from './path-glob.ts';

const MAX_ENTRIES = 100;
const MAX_PATHS = 1000;
const MAX_TEXT_LENGTH = 100;
const MAX_PATH_LENGTH = 1024;
const MAX_CHECK_NAME_LENGTH = 256;
const MAX_COMMAND_LENGTH = 4096;
const MAX_HOST_LENGTH = 253;
/** GitHub's own limit. */
const MAX_LABEL_LENGTH = 50;

const text = (maxLength: number): z.ZodString => z.string().min(1).max(maxLength);
/** A text that can equal what it is meant for. */
const checked = (schema: z.ZodString, findFault: (text: string) => string | null): z.ZodString =>
  schema.superRefine((given, context) => {
    const message = findFault(given);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
const label = checked(z.string().trim().min(1).max(MAX_LABEL_LENGTH), findTextFault);
/** The webhook receiver ignores events for labels without this prefix. */
const ownLabel = checked(z.string().trim().max(MAX_LABEL_LENGTH), findTextFault).regex(
  /^ratchet/i,
  `must begin with "${LABEL_PREFIX}"`,
);
const command = z.string().trim().min(1).max(MAX_COMMAND_LENGTH);
const path = text(MAX_PATH_LENGTH);
const argument = z
  .string()
  .max(MAX_COMMAND_LENGTH)
  .refine((given) => !given.includes('\u0000'), 'an argument holds no NUL');
const regenerable = z.strictObject({
  path: PathGlob.meta({ description: "Glob of the file's path." }),
  command: command.meta({ description: "Shell command, run in the file's folder, without network." }),
});

const variables = z.record(z.string().max(64), z.string().max(MAX_COMMAND_LENGTH)).superRefine((given, context) => {
  for (const name of Object.keys(given).slice(0, MAX_ENTRIES)) {
    const message = findVariableFault(name);
    if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
  }
  if (Object.keys(given).length > MAX_ENTRIES) context.addIssue({ code: 'custom', message: 'too many variables' });
});

const exitCodes = z.strictObject({
  success: codes('Nothing is wrong.'),
  diagnostic: codes('It ran, and found something.'),
  toolFailure: codes('It did not do its work, whatever it wrote.'),
});

function codes(description: string): z.ZodExactOptional<z.ZodArray<z.ZodInt>> {
  return listOfCodes().meta({ description }).exactOptional();
}

function listOfCodes(): z.ZodArray<z.ZodInt> {
  return z.array(z.int().min(0).max(255)).max(256);
}

/** By kind of list: the schema of an entry. */
const ENTRIES = {
  checkNames: checked(text(MAX_CHECK_NAME_LENGTH), findCheckNameFault),
  nameGlobs: checked(text(MAX_NAME_GLOB_LENGTH), findNameGlobFault),
  logins: checked(text(MAX_NAME_GLOB_LENGTH), findLoginFault),
  hosts: checked(text(MAX_HOST_LENGTH), (host) =>
    isPlainHost(host) ? null : 'an exact host name in lower case, without address, port or path',
  ),
  pathGlobs: PathGlob,
  regenerables: regenerable,
  arguments: argument,
} as const;

const VALUES = {
  switch: z.boolean(),
  label,
  ownLabel,
  text: text(MAX_TEXT_LENGTH),
  path,
  paths: z.array(path).max(MAX_PATHS),
  program: z.array(argument, 'expected a list: a program and its arguments; no shell runs it').min(1).max(MAX_ENTRIES),
  variables,
  exitCodes,
  codes: listOfCodes(),
} as const;

/** `engines` has a schema of its own. */
type PlainSetting = Exclude<Setting, { readonly kind: 'engines' }>;

/** The schema of a key's value. If the key is nullable, only null means "none". */
export function toSchema(setting: PlainSetting): z.ZodType {
  return setting.nullable === true ? toBare(setting).nullable() : toBare(setting);
}

function toBare(setting: PlainSetting): z.ZodType {
  switch (setting.kind) {
    case 'number':
      return toNumber(setting);
    case 'choice':
      return z.enum(setting.values);
    case 'commands':
      return z
        .union([command, toList(command, setting)], 'expected a command, or a list of commands, as text')
        .transform((given) => (typeof given === 'string' ? [given] : given));
    case 'checkNames':
    case 'nameGlobs':
    case 'logins':
    case 'hosts':
    case 'pathGlobs':
    case 'regenerables':
    case 'arguments':
      return toList(ENTRIES[setting.kind], setting);
    default:
      return VALUES[setting.kind];
  }
}

function toList(entry: z.ZodType, { nullable }: PlainSetting): z.ZodArray {
  const entries = z.array(entry).max(MAX_ENTRIES);
  return nullable === undefined ? entries : entries.min(1);
}

/** A number within bounds. */
export function toNumber({ min, max, isWhole }: Bounds): z.ZodNumber {
  return (isWhole ? z.int() : z.number()).min(min).max(max);
}

/** Schemas of declared keys, all optional. */
export type Shape<Keys> = { readonly [Name in keyof Keys]: z.ZodExactOptional<z.ZodType<LayerOf<Keys[Name]>>> };

/** The schemas of keys without sections. The kind of a key determines its type, which TypeScript cannot infer from zod. */
export function toShape<Keys extends Readonly<Record<string, PlainSetting>>>(keys: Keys): Shape<Keys>;
export function toShape(keys: Readonly<Record<string, PlainSetting>>): unknown {
  const entries = Object.entries(keys).map(
    ([name, setting]) => [name, toOptional(toSchema(setting), setting)] as const,
  );
  return Object.fromEntries(entries);
}

/** The schema with the description of its key, and with the default where a file could write it. */
export function toOptional(schema: z.ZodType, { doc, default: builtIn, nullable }: Setting): z.ZodExactOptional {
  const meta = nullable === 'unset' ? { description: doc } : { description: doc, default: builtIn };
  return schema.meta(meta).exactOptional();
}
