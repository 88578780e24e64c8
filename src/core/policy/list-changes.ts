import type { Policy } from '../model/policy.ts';
import { toEnginesSection } from './to-engines-section.ts';

/** One setting that two policies have different values for, each as JSON. */
export interface SettingChange {
  /** Full name, such as `ci.settleSeconds`. */
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/**
 * What differs between two policies, by the names and in the order of the file's keys; what is no longer set comes after what is.
 */
export function listChanges(before: Policy, after: Policy): readonly SettingChange[] {
  return compareSections(toFileKeys(before), toFileKeys(after), '');
}

/** Values by key. */
export type Section = Readonly<Record<string, unknown>>;

/** The keys that a file would have to set for this policy. */
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

/** What is not there counts as null. */
function toOwn(section: Section, key: string): unknown {
  return Object.hasOwn(section, key) ? (section[key] ?? null) : null;
}

/** Whether a value is one of keys that belong together. */
export function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
