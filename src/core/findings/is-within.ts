import type { Finding } from '../model/finding.ts';

/**
 * Whether a finding belongs to one of the files, or to one of the groups of tests whose ids begin its own (`package::Test`).
 * `path` is that of the finding, or what it is called on the other side.
 */
export function isWithin(
  parts: ReadonlySet<string | null>,
  { testId }: Pick<Finding, 'testId'>,
  path: string | null,
): boolean {
  return (path !== null && parts.has(path)) || (testId !== null && parts.has(testId.replace(/::.*$/su, '')));
}
