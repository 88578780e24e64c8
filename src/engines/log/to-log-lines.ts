import { cleanLine } from '../../core/evidence/clean-line.ts';

/** Reports and problem matchers are looked for in so much of the end of a log. In UTF-16 code units. */
const MAX_LENGTH = 1024 * 1024;

/** The lines at the end of a log, without colours and timestamps. A report of a tool may be one long line. */
export function toLogLines(log: string): readonly string[] {
  const end = log.slice(-MAX_LENGTH);
  const start = end.length < log.length ? end.indexOf('\n') + 1 : 0;
  return end
    .slice(start)
    .split('\n')
    .map((line) => cleanLine(line, MAX_LENGTH));
}
