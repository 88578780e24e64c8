import type { Policy } from '../model/policy.ts';
import { isSection, type Section } from './section.ts';
import { toEnginesSection } from './to-engines-section.ts';

/** A setting that differs between two policies. Both values are JSON. */
export interface SettingChange {
  /** Full name, such as `ci.settleSeconds`. */
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** Lists the differences between two policies, with the file's key names and in its order. Removed keys come last. */
export function listChanges(before: Policy, after: Policy): readonly SettingChange[] {
  return compareSections(toFileKeys(before), toFileKeys(after), '');
}

/** The keys that a policy file would need for this policy. */
export function toFileKeys(policy: Policy): Section {
  return { ...policy, engines: toEnginesSection(policy.engines) };
}

function compareSections(before: Section, after: Section, prefix: string): readonly SettingChange[] {
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...keys].flatMap((key) => {
    const [was, is] = [toOwn(before, key), toOwn(after, key)];
    const name = `${prefix}${key}`;
    if (isSection(was) && isSection(is)) return compareSections(was, is, `${name}.`);
    const change = { name, before: JSON.stringify(was), after: JSON.stringify(is) };
    return change.before === change.after ? [] : [change];
  });
}

/** The key's own value; null if it is missing. */
function toOwn(section: Section, key: string): unknown {
  return Object.hasOwn(section, key) ? (section[key] ?? null) : null;
}
