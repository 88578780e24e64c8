import { cleanLine } from '../evidence/clean-line.ts';
import { ERROR_MARK } from './failed-steps.ts';

/** What is known of why a job failed. */
export interface FailureOutput {
  /** Messages of its annotations of level "failure". */
  readonly messages: readonly string[];
  /** The raw log, or its end; null if there is none. */
  readonly log: string | null;
}

const MAX_LINE_LENGTH = 2000;

/** Clean lines of the messages, each marked as an error as in a log, and then of the log. Empty if nothing can be read. */
export function toFailureLines({ messages, log }: FailureOutput): readonly string[] {
  return [...messages.map((message) => `${ERROR_MARK}${message}`), ...(log === null ? [] : [log])]
    .flatMap((text) => text.split('\n'))
    .map((line) => cleanLine(line, MAX_LINE_LENGTH));
}
