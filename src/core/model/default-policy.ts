import {
  type Declared,
  ENGINE_KEYS,
  ENGINES_KEYS,
  type EngineSettings,
  type EnginesPolicy,
  POLICY_KEYS,
  type Policy,
  PROJECTS_KEYS,
} from './policy.ts';

type DefaultsOf<Keys> = {
  readonly [Name in keyof Keys]: Keys[Name] extends { readonly keys: infer Inner }
    ? DefaultsOf<Inner>
    : Keys[Name] extends { readonly default: infer Value }
      ? Value
      : never;
};

/** The policy of a repository that sets nothing. */
export const DEFAULT_POLICY: Policy = toDefaults(POLICY_KEYS);

/** Settings of an engine that the policy does not mention. */
export const DEFAULT_ENGINE_SETTINGS: EngineSettings = { ...toDefaults(ENGINE_KEYS), declared: null };

/** Used if a file configures engines but sets nothing else. */
export const DEFAULT_ENGINES_POLICY: EnginesPolicy = { ...toDefaults(ENGINES_KEYS), engines: {} };

/** The settings of projects where a file sets only some of them. */
export const NO_PROJECTS: NonNullable<EnginesPolicy['projects']> = toDefaults(PROJECTS_KEYS);

function toDefaults<Keys extends Declared>(keys: Keys): DefaultsOf<Keys>;
function toDefaults(keys: Declared): unknown {
  const values = Object.entries(keys).map(
    ([name, declared]) => [name, 'keys' in declared ? toDefaults(declared.keys) : declared.default] as const,
  );
  return Object.fromEntries(values);
}
