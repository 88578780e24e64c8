import type { Violation } from '../judge/judge-change.ts';
import type { TestChangeFact } from '../model/test-change.ts';

/** The reasons to refuse a change for what it certainly does to tests. They say what, where and why, for people and the next attempt. */
export function toTestViolations(facts: readonly TestChangeFact[]): readonly Violation[] {
  return facts
    .filter(({ is }) => is === 'rejected')
    .map(({ code, path, line, message }) => ({
      code: code === 'TEST_DELETED' ? 'TESTS_DELETED' : 'TESTS_WEAKENED',
      paths: [path],
      message: `${code} in ${JSON.stringify(path)}${line === null ? '' : `, line ${line}`}: ${message}`,
    }));
}
