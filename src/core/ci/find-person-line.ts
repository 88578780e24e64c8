import { cleanLine } from '../evidence/clean-line.ts';
import type { CiResult } from './latest-results.ts';
import { CODE_FAILURE, MESSAGE_PREFIX, PERSON_SIGN } from './person-signs.ts';

/** What is known of why a job failed. */
export interface FailureOutput {
  /** Messages of its annotations of level "failure". */
  readonly messages: readonly string[];
  /** The raw log, or its end; null if there is none. */
  readonly log: string | null;
}

const MAX_LINE_LENGTH = 2000;
/** Messages have at most three prefixes: `##[error]Error: HttpError: …`. */
const MAX_PREFIXES = 4;

/**
 * The line of a failed job that shows that no code of the repository can mend it (resolution S21); null if there is none. A
 * message that a step of failing code printed does not count: its tests may be about such messages.
 */
export function findPersonLine({ conclusion }: Pick<CiResult, 'conclusion'>, output: FailureOutput): string | null {
  // Only the workflow file or a setting can be the reason, and an agent may change neither.
  return findLine(output) ?? (conclusion === 'startup_failure' ? 'GitHub could not start the workflow run.' : null);
}

function findLine({ messages, log }: FailureOutput): string | null {
  const steps = log === null ? [] : toFailedSteps(log);
  const lines = steps.flat().map((line) => line.replace(/^##\[error\]/u, ''));
  if (lines.some((line) => CODE_FAILURE.test(line))) return null;
  return [...messages.flatMap(toLines), ...lines].find(isSign) ?? null;
}

function toLines(text: string): readonly string[] {
  return text.split('\n').map((line) => cleanLine(line, MAX_LINE_LENGTH));
}

/** Tries the line without each more of its prefixes. A warning is no reason for a failure: its prefix stays. */
function isSign(line: string): boolean {
  let message = line;
  for (let count = 0; count < MAX_PREFIXES && !PERSON_SIGN.test(message); count += 1) {
    message = message.replace(MESSAGE_PREFIX, '').trimStart();
  }
  return PERSON_SIGN.test(message);
}

/** The output of each step with an error; all output if no step reports one. Without the scripts that the runner shows first. */
function toFailedSteps(log: string): readonly (readonly string[])[] {
  const steps = toSteps(toLines(log));
  const failed = steps.filter((lines) => lines.some((line) => line.startsWith('##[error]')));
  return failed.length === 0 ? steps : failed;
}

function toSteps(lines: readonly string[]): readonly (readonly string[])[] {
  const steps: string[][] = [[]];
  let isHeader = false;
  for (const line of lines) {
    if (line.startsWith('##[group]Run ')) {
      isHeader = true;
      steps.push([]);
    } else if (isHeader) isHeader = line !== '##[endgroup]';
    else steps.at(-1)?.push(line);
  }
  return steps;
}
