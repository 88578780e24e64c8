import { createNameMatcher } from '../paths/check-name-glob.ts';
import { toNamesText } from '../text/words.ts';
import { OWN_CHECK_NAMES } from './own-checks.ts';

/** What a policy says of the names of checks; what it leaves out, it does not restrict. */
interface NamedChecks {
  readonly required?: readonly string[] | null | undefined;
  readonly ignore?: readonly string[] | undefined;
}

/** The required names that `ignore` leaves out, each once: no result of theirs ever counts, and a verdict would wait for ever. */
export function findIgnoredRequired({ required, ignore }: NamedChecks): readonly string[] {
  const isIgnored = createNameMatcher(ignore ?? []);
  return [...new Set(required ?? [])].filter(isIgnored);
}

/** The required names of our own check runs, which are never part of the verdict either. */
export function findOwnRequired({ required }: NamedChecks): readonly string[] {
  return [...OWN_CHECK_NAMES].filter((name) => required?.includes(name));
}

/** What is wrong with `required` where it has names of our own. */
export function describeOwnRequired(names: readonly string[]): string {
  return `${toNamesText(names)} can never count: Ratchet's own check runs are left out`;
}

/** What is wrong with `required` where it has names that are ignored. */
export function describeIgnoredRequired(names: readonly string[]): string {
  return `${toNamesText(names)} can never count: \`ignore\` leaves ${names.length === 1 ? 'it' : 'them'} out`;
}
