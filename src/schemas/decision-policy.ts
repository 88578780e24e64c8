import { z } from 'zod';
import { DEFAULT_POLICY } from '../core/model/default-policy.ts';
import { POLICY_KEYS } from '../core/model/policy.ts';
import type { DecisionPolicy } from '../core/model/snapshot.ts';
import { toDecisionPolicy } from '../core/policy/to-decision-policy.ts';

/** The decision's policy as JSON. Missing values have their defaults. */
export const DecisionPolicyJson = toSchema(toDecisionPolicy(DEFAULT_POLICY));

function toSchema(builtIn: DecisionPolicy): z.ZodType<DecisionPolicy, Partial<DecisionPolicy> | undefined>;
function toSchema(builtIn: Readonly<Record<string, unknown>>): z.ZodType {
  const entries = Object.entries(builtIn).map(([name, value]) => [name, toValue(value).default(value)] as const);
  return z.strictObject(Object.fromEntries(entries)).default(builtIn);
}

/** Counts, switches, and the mode as the only text. */
function toValue(builtIn: unknown): z.ZodType {
  if (typeof builtIn === 'number') return z.int().min(0);
  return typeof builtIn === 'boolean' ? z.boolean() : z.enum(POLICY_KEYS.mode.values);
}
