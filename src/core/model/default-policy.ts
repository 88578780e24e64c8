import { type Declared, POLICY_KEYS, type Policy } from './policy.ts';

type DefaultsOf<Keys> = {
  readonly [Name in keyof Keys]: Keys[Name] extends { readonly keys: infer Inner }
    ? DefaultsOf<Inner>
    : Keys[Name] extends { readonly default: infer Value }
      ? Value
      : never;
};

/** The policy of a repository that sets nothing. */
export const DEFAULT_POLICY: Policy = toDefaults(POLICY_KEYS);

function toDefaults<Keys extends Declared>(keys: Keys): DefaultsOf<Keys>;
function toDefaults(keys: Declared): unknown {
  const values = Object.entries(keys).map(
    ([name, declared]) => [name, 'keys' in declared ? toDefaults(declared.keys) : declared.default] as const,
  );
  return Object.fromEntries(values);
}
