import { z } from 'zod';
import {
  describeIgnoredRequired,
  describeOwnRequired,
  findIgnoredRequired,
  findOwnRequired,
} from '../core/ci/ignored-required.ts';
import { type Declared, POLICY_KEYS, type Setting } from '../core/model/policy.ts';
import { findLabelFault } from '../core/policy/value-faults.ts';
import { EnginesSetting } from './engines-schema.ts';
import { type Shape, toOptional, toSchema } from './setting-schema.ts';

/** Schemas of sections and keys, all optional. The kind of a key determines its type, which TypeScript cannot infer from zod. */
function toSections<Keys extends Declared>(keys: Keys): Shape<Keys>;
function toSections(keys: Declared): unknown {
  const entries = Object.entries(keys).map(([name, declared]) => {
    if (!('keys' in declared)) return [name, toOptional(toKeySchema(declared), declared)] as const;
    const section = z.strictObject(toSections(declared.keys));
    const refine = REFINEMENTS[name];
    const checked = refine === undefined ? section : section.superRefine(refine);
    return [name, checked.meta({ description: declared.doc }).exactOptional()] as const;
  });
  return Object.fromEntries(entries);
}

/** The schema of a key's value. */
export function toKeySchema(setting: Setting): z.ZodType {
  return setting.kind === 'engines' ? EnginesSetting : toSchema(setting);
}

/** Checks one file. `mergePolicy` compares with what other files and the defaults say. */
function refuseOneLabel(given: { readonly enable?: unknown; readonly hold?: unknown }, context: z.RefinementCtx): void {
  const { enable, hold } = given;
  if (typeof enable !== 'string' || typeof hold !== 'string') return;
  const message = findLabelFault({ enable, hold });
  if (message !== null) context.addIssue({ code: 'custom', path: ['enable'], message });
}

/** By section: what its keys may not say together. */
const REFINEMENTS: Readonly<Record<string, (given: object, context: z.RefinementCtx) => void>> = {
  ci: refuseFutileRequired,
  labels: refuseOneLabel,
};

/** Checks one file. `mergePolicy` finds contradictions between files. */
function refuseFutileRequired(names: Parameters<typeof findIgnoredRequired>[0], context: z.RefinementCtx): void {
  const refuse = (message: string): void => context.addIssue({ code: 'custom', path: ['required'], message });
  const ignored = findIgnoredRequired(names);
  const own = findOwnRequired(names);
  if (ignored.length > 0) refuse(describeIgnoredRequired(ignored));
  if (own.length > 0) refuse(describeOwnRequired(own));
}

const policySettings = toSections(POLICY_KEYS);

/** `.github/ratchet.yml`. An unknown key is an error at any depth. */
export const PolicyFile = z.strictObject({
  version: z.literal(1).meta({ description: 'Version of this format.', default: 1 }).exactOptional(),
  ...policySettings,
});

/** `defaults` of the operator's file. */
export const PolicyDefaults = z.strictObject(policySettings);
