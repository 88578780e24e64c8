import type { ReportedFailure } from '../model/reported-failure.ts';
import { toOneLine } from '../text/escape.ts';
import type { FailureSign } from './log-failure.ts';
import { type ResolvePath, toCandidates } from './resolve-path.ts';

/** What the log of one red job says about failures, the most reliable source first. */
export interface JobSigns {
  readonly job: string;
  readonly signs: readonly FailureSign[];
}

/** Limits of what is stored and shown. */
const MAX_OF_A_JOB = 10;
const MAX_REPORTED = 30;
const MAX_CANDIDATES = 60;
const MAX_TEXT_LENGTH = 300;

/** The paths whose existence at the head decides which failures are linked. */
export function toCandidatePaths(jobs: readonly JobSigns[]): readonly string[] {
  const paths = jobs.flatMap(({ signs }) => signs.flatMap(({ path }) => (path === null ? [] : toCandidates(path))));
  return [...new Set(paths)].slice(0, MAX_CANDIDATES);
}

/**
 * The failures of red jobs that name a failed test, or a file that `resolve` knows. Equal ones of a job count once. Texts are cut,
 * and `redact` removes secrets from them.
 */
export function toReportedFailures(
  jobs: readonly JobSigns[],
  resolve: ResolvePath,
  redact: (text: string) => string,
): readonly ReportedFailure[] {
  // A part of a secret would not be recognised, so texts are cut behind that.
  const toText = (text: string): string => redact(toOneLine(text)).slice(0, MAX_TEXT_LENGTH).toWellFormed();
  const toTextOrNull = (text: string | null): string | null => (text === null ? null : toText(text));
  return jobs
    .flatMap(({ job, signs }) => {
      const found = new Map<string, ReportedFailure>();
      for (const { tool, path: raw, line: at, rule, testId, message } of signs) {
        const path = raw === null ? null : resolve(raw);
        if (path === null && testId === null) continue;
        const line = path === null ? null : at;
        const key = path === null || line === null ? JSON.stringify([path, testId ?? message]) : `${path}:${line}`;
        if (found.has(key)) continue;
        const texts = { rule: toTextOrNull(rule), testId: toTextOrNull(testId), message: toText(message) };
        found.set(key, { job, tool, path, line, ...texts });
        if (found.size === MAX_OF_A_JOB) break;
      }
      return [...found.values()];
    })
    .slice(0, MAX_REPORTED);
}
