import { matchRegistered } from './match-registered.ts';
import { readReports } from './read-reports.ts';
import type { Reported } from './reported.ts';

/**
 * All that a log says about failures, the most reliable source first: problem matchers of the workflow, reports of tools, and what
 * is recognised in the lines. `lines` are those of `log`, clean.
 */
export function readSigns(_log: string, lines: readonly string[], definitions: readonly string[]): readonly Reported[] {
  return [...matchRegistered(definitions, lines), ...readReports(lines)];
}
