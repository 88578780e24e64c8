import { POLICY_KEYS, type Policy, type Setting } from '../model/policy.ts';
import type { Ceilings } from './operator-policy.ts';

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
  const tellOf =
    (section: string): Tell =>
    (name, wanted, ceiling) =>
      tell(`${section}.${name}`, wanted, ceiling);
  const { ci, merge, reviews, labels, changes, engines, ...others } = policy;
  const keys = POLICY_KEYS;
  const under: Policy = {
    ...policy,
    ...clampKeys(keys, others, ceilings, tell),
    changes: clampKeys(keys.changes.keys, changes, ceilings.changes, tellOf('changes')),
    ci: clampKeys(keys.ci.keys, ci, ceilings.ci, tellOf('ci')),
    merge: clampKeys(keys.merge.keys, merge, ceilings.merge, tellOf('merge')),
    reviews: clampKeys(keys.reviews.keys, reviews, ceilings.reviews, tellOf('reviews')),
    engines: clampEngines(engines, ceilings.engines, tellOf('engines')),
    labels: clampKeys(keys.labels.keys, labels, ceilings.labels, tellOf('labels')),
  };
  return { policy: under, clamped };
}

function clampKeys<Values extends object>(
  keys: { readonly [Name in keyof Values]: Setting },
  values: Values,
  ceilings: Partial<Values> | undefined,
  tell: Tell,
): Values {
  const under = { ...values };
  for (const name in values) {
    const [wanted, ceiling] = [values[name], ceilings?.[name]];
    if (ceiling === undefined || !isMore(keys[name], wanted, ceiling)) continue;
    tell(name, wanted, ceiling);
    under[name] = ceiling;
  }
  return under;
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
    tell(`${id}.timeoutSeconds`, wanted, most);
    return [id, { ...settings, timeoutSeconds: most }] as const;
  });
  return { ...engines, engines: Object.fromEntries(entries) };
}
