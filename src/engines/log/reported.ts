import type { FailureSign } from '../../core/evidence/log-failure.ts';
import type { ParsedFinding } from '../../core/model/finding.ts';

/** A failure that a parser read from a log. */
export type Reported = FailureSign;

export function toReported(tool: string, finding: ParsedFinding): Reported {
  const { path, line, column, rule, testId, message } = finding;
  return { kind: testId === null ? 'place' : 'test', tool, path, line, column, rule, testId, message };
}
