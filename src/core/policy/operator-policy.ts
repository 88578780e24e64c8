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
 * Upper limits for all repositories of this server. Only settings have one whose increase means more cost, more change
 * or more power. The only ceiling of a switch is off. A missing key sets no ceiling.
 */
export type Ceilings = CeilingOf<{ readonly keys: typeof POLICY_KEYS }>;

/** The operator's settings: defaults below each repository's settings, and ceilings above them. */
export interface OperatorPolicy {
  readonly defaults: PolicyLayer;
  readonly ceilings: Ceilings;
  /** Owners (`acme`) and repositories (`acme/widget`) in which Ratchet only observes, whatever they set themselves. */
  readonly observe?: readonly string[];
}

/** The policy of an operator who sets nothing. */
export const NO_OPERATOR_POLICY: OperatorPolicy = { defaults: {}, ceilings: {} };

/** The operator's settings for one repository. GitHub compares names without case. */
export function toOperatorPolicyOf(
  operator: OperatorPolicy,
  { owner, name }: { readonly owner: string; readonly name: string },
): OperatorPolicy {
  const [account, repository] = [owner, `${owner}/${name}`].map((text) => text.toLowerCase());
  const isObserved = operator.observe
    ?.map((text) => text.toLowerCase())
    .some((text) => text === account || text === repository);
  return isObserved === true ? { ...operator, ceilings: { ...operator.ceilings, mode: 'observe' } } : operator;
}
