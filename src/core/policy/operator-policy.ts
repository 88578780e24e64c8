import type { POLICY_KEYS, ValueOf } from '../model/policy.ts';
import type { PolicyLayer } from './policy-layer.ts';

type Capped = { readonly keys: unknown } | { readonly ceiling: unknown };
type CeilingOf<One> = One extends { readonly keys: infer Keys }
  ? { readonly [Name in keyof Keys as Keys[Name] extends Capped ? Name : never]?: CeilingOf<Keys[Name]> }
  : One extends { readonly ceiling: { readonly only: infer Only } }
    ? Only
    : One extends { readonly ceiling: { readonly each: infer Each } }
      ? { readonly [Name in keyof Each]?: number }
      : ValueOf<One>;

/**
 * The most that any repository of this server can be given. Only settings of which "more" means more money, more change or
 * more power have one. A switch has one ceiling, which is off; a key that is left out sets no ceiling.
 */
export type Ceilings = CeilingOf<{ readonly keys: typeof POLICY_KEYS }>;

/** What the operator of the server sets: defaults below every repository's own settings, and ceilings above them. */
export interface OperatorPolicy {
  readonly defaults: PolicyLayer;
  readonly ceilings: Ceilings;
}

/** Of an operator who sets nothing. */
export const NO_OPERATOR_POLICY: OperatorPolicy = { defaults: {}, ceilings: {} };
