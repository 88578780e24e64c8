import { cleanLine } from '../../core/evidence/clean-line.ts';

/** A report of a tool may be one long line. */
const MAX_LINE_LENGTH = 1024 * 1024;

/** The lines of a log without colours and timestamps. */
export function toLogLines(log: string): readonly string[] {
  return log.split('\n').map((line) => cleanLine(line, MAX_LINE_LENGTH));
}
