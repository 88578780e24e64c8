import { createNameMatcher } from '../paths/check-name-glob.ts';
import { toNamesText } from '../text/words.ts';
import { OWN_CHECK_NAMES } from './own-checks.ts';

/** What a policy says about check names. A missing field restricts nothing. */
interface NamedChecks {
  readonly required?: readonly string[] | null | undefined;
  readonly ignore?: readonly string[] | undefined;
}

/** The required names that `ignore` excludes, each once: their results never count, so the verdict would wait for ever. */
export function findIgnoredRequired({ required, ignore }: NamedChecks): readonly string[] {
  const isIgnored = createNameMatcher(ignore ?? []);
  return [...new Set(required ?? [])].filter(isIgnored);
}

/** The required names of our own check runs, which are never part of the verdict either. */
export function findOwnRequired({ required }: NamedChecks): readonly string[] {
  return [...OWN_CHECK_NAMES].filter((name) => required?.includes(name));
}

/** The problem of a `required` list with names of our own. */
export function describeOwnRequired(names: readonly string[]): string {
  return `${toNamesText(names)} can never count: Ratchet's own check runs are left out`;
}

/** The problem of a `required` list with ignored names. */
export function describeIgnoredRequired(names: readonly string[]): string {
  return `${toNamesText(names)} can never count: \`ignore\` leaves ${names.length === 1 ? 'it' : 'them'} out`;
}
