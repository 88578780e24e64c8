import type { LogFailure } from '../../core/evidence/log-failure.ts';
import { readLog } from '../../core/evidence/read-log.ts';
import { matchRegistered } from './match-registered.ts';
import { readReports } from './read-reports.ts';
import type { Reported } from './reported.ts';

/** A failure, with the step in which it stands and how often it was seen, if that is known. */
export type LogSign = Reported & { readonly step?: string | null; readonly count?: number };

/** Failures are collected whatever an excerpt of the log would show. */
const EXCERPT_BYTES = 8 * 1024;

/** A place says more than an exit line, and a line that only mentions a failure says nothing for sure. */
const SURE: ReadonlySet<LogFailure['kind']> = new Set(['test', 'place', 'exception']);

/**
 * All that a log says for sure about failures, the most reliable source first: problem matchers of the workflow, reports of tools, and
 * what is recognised in the lines. `lines` are those of `log`, clean.
 */
export function readSigns(log: string, lines: readonly string[], definitions: readonly string[]): readonly LogSign[] {
  const groups = readLog(log, EXCERPT_BYTES).failures.filter(({ failure }) => SURE.has(failure.kind));
  const recognised = groups.map(({ failure: { from: _from, to: _to, ...sign }, count }) => ({ ...sign, count }));
  return [...matchRegistered(definitions, lines), ...readReports(lines), ...recognised];
}
