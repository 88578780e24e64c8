import { type Declared, POLICY_KEYS, type Policy, type Setting } from '../model/policy.ts';
import type { Ceilings } from './operator-policy.ts';
import { isSection, type Section } from './section.ts';

/** A policy under the operator's ceilings. */
export interface ClampedPolicy {
  readonly policy: Policy;
  /** One line for each value that exceeded its ceiling: `maxAttempts: 10 → 5 (operator)`. */
  readonly clamped: readonly string[];
}

type Tell = (name: string, wanted: unknown, ceiling: unknown) => void;

/** Lowers values to their ceilings, and reports each change. */
export function clampPolicy(policy: Policy, ceilings: Ceilings): ClampedPolicy {
  const clamped: string[] = [];
  const tell: Tell = (name, wanted, ceiling) =>
    clamped.push(`${name}: ${String(wanted)} → ${String(ceiling)} (operator)`);
  const { engines, ...others } = clampKeys(POLICY_KEYS, policy, ceilings, tell);
  return { policy: { ...others, engines: clampEngines(engines, ceilings.engines, tell) }, clamped };
}

function clampKeys<Values extends Section>(keys: Declared, values: Values, ceilings: Section, tell: Tell): Values;
function clampKeys(keys: Declared, values: Section, ceilings: Section, tell: Tell): unknown {
  const under = Object.entries(keys).map(
    ([name, declared]) =>
      [
        name,
        clampKey(declared, values[name], ceilings[name], (key, ...change) => tell(`${name}${key}`, ...change)),
      ] as const,
  );
  return Object.fromEntries(under);
}

function clampKey(declared: Declared[string], wanted: unknown, ceiling: unknown, tell: Tell): unknown {
  if ('keys' in declared) {
    const inner: Tell = (key, ...change) => tell(`.${key}`, ...change);
    return isSection(wanted) && isSection(ceiling) ? clampKeys(declared.keys, wanted, ceiling, inner) : wanted;
  }
  if (declared.kind === 'engines' || ceiling === undefined || !isMore(declared, wanted, ceiling)) return wanted;
  tell('', wanted, ceiling);
  return ceiling;
}

/** Whether a value exceeds its ceiling. Numbers and choices are ordered; other settings must equal their only ceiling. */
function isMore(setting: Setting, wanted: unknown, ceiling: unknown): boolean {
  if (typeof wanted === 'number' && typeof ceiling === 'number') return wanted > ceiling;
  if (setting.kind !== 'choice') return wanted !== ceiling;
  const highest = setting.values.findIndex((value) => value === ceiling);
  return !setting.values.slice(0, highest + 1).some((value) => value === wanted);
}

/** Clamps the engines' timeouts. A timeout that the policy does not set is limited when the engine runs. */
function clampEngines(engines: Policy['engines'], ceilings: Ceilings['engines'], tell: Tell): Policy['engines'] {
  const most = ceilings?.timeoutSeconds;
  if (engines === null || most === undefined) return engines;
  const entries = Object.entries(engines.engines).map(([id, settings]) => {
    const { timeoutSeconds: wanted } = settings;
    if (wanted === null || wanted <= most) return [id, settings] as const;
    tell(`engines.${id}.timeoutSeconds`, wanted, most);
    return [id, { ...settings, timeoutSeconds: most }] as const;
  });
  return { ...engines, engines: Object.fromEntries(entries) };
}
