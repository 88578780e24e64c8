import type { Policy } from '../model/policy.ts';

/** One setting that two policies have different values for, each as JSON. */
export interface SettingChange {
  /** Full name, such as `ci.settleSeconds`. */
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** What differs between two policies, in the order of the policy's keys. */
export function listChanges(before: Policy, after: Policy): readonly SettingChange[] {
  const known = new Map(listSettings(before, ''));
  return listSettings(after, '').flatMap(([name, value]) => {
    const was = known.get(name);
    return was === undefined || was === value ? [] : [{ name, before: was, after: value }];
  });
}

type Setting = readonly [name: string, value: string];

function listSettings(values: object, prefix: string): readonly Setting[] {
  return Object.entries(values).flatMap(([key, value]: [string, unknown]): readonly Setting[] => {
    const name = `${prefix}${key}`;
    return isSection(value) ? listSettings(value, `${name}.`) : [[name, JSON.stringify(value)]];
  });
}

function isSection(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
