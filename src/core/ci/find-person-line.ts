import { toFailedSteps } from './failed-steps.ts';
import type { CiResult } from './latest-results.ts';
import { CODE_FAILURE, MESSAGE_PREFIX, PERSON_SIGN } from './person-signs.ts';

/** Messages have at most three prefixes: `##[error]Error: HttpError: …`. */
const MAX_PREFIXES = 4;

/**
 * The line of a failed job that shows that no code of the repository can mend it (resolution S21); null if there is none. A
 * message that a step of failing code printed does not count: its tests may be about such messages.
 */
export function findPersonLine({ conclusion }: Pick<CiResult, 'conclusion'>, lines: readonly string[]): string | null {
  // Only the workflow file or a setting can be the reason, and an agent may change neither.
  return findLine(lines) ?? (conclusion === 'startup_failure' ? 'GitHub could not start the workflow run.' : null);
}

function findLine(lines: readonly string[]): string | null {
  const failed = toFailedSteps(lines)
    .flat()
    .map((line) => line.replace(/^##\[error\]/u, ''));
  return failed.some((line) => CODE_FAILURE.test(line)) ? null : (failed.find(isSign) ?? null);
}

/** Tries the line without each more of its prefixes. A warning is no reason for a failure: its prefix stays. */
function isSign(line: string): boolean {
  let message = line;
  for (let count = 0; count < MAX_PREFIXES && !PERSON_SIGN.test(message); count += 1) {
    message = message.replace(MESSAGE_PREFIX, '').trimStart();
  }
  return PERSON_SIGN.test(message);
}
