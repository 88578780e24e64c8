import type { Diagnosis } from '../model/workspace.ts';
import { compareWithBase } from './compare-with-base.ts';
import { toFailureSignature } from './failure-signature.ts';
import type { CiResult } from './latest-results.ts';
import { type FailedJob, looksFlaky } from './looks-flaky.ts';

/** What was read about one red CI result. */
export interface FailureInput extends Pick<Diagnosis, 'ciRunId' | 'freshStart' | 'base' | 'failures'> {
  /** Red jobs whose logs were read, as far as possible. */
  readonly read: readonly FailedJob[];
  /** Red jobs beyond the reading limit. */
  readonly unread: readonly CiResult[];
  /** Results at the merge base; empty if they could not be read. */
  readonly atBase: readonly CiResult[];
  /** Results at the tip of the base branch; empty if it is the merge base, or if they could not be read. */
  readonly atTip: readonly CiResult[];
}

/** A line that shows why no code can mend a job is cut to this length. */
const MAX_LINE_LENGTH = 400;

/** Classifies the failure (resolutions S7 and S21), from data alone. Names are in input order. */
export function diagnoseFailure(input: FailureInput): Diagnosis {
  const { ciRunId, freshStart, base, failures, read, unread, atBase, atTip } = input;
  const all = [...read, ...unread.map((check): FailedJob => ({ check, text: null, personLine: null }))];
  return {
    ...{ ciRunId, freshStart, base, failures },
    flaky: toNamesWhereAll(all, looksFlaky),
    person: toPersonFailures(read, unread),
    ...compareWithBase(
      all.map(({ check }) => check),
      { atBase, atTip },
    ),
    signature: toFailureSignature(read, unread),
  };
}

/** A job that was not read counts like those that were, if no code can mend any of them: a matrix fails as a whole. */
function toPersonFailures(read: readonly FailedJob[], unread: readonly CiResult[]): Diagnosis['person'] {
  const names = new Set(toNamesWhereAll(read, ({ personLine }) => personLine !== null));
  const lines = new Map(
    read.flatMap(({ check: { name }, personLine }) =>
      personLine === null || !names.has(name) ? [] : [[name, personLine.slice(0, MAX_LINE_LENGTH).toWellFormed()]],
    ),
  );
  const found = [...lines].map(([name, line]) => ({ name, line }));
  const [first] = found;
  if (first === undefined || read.some(({ check }) => !names.has(check.name))) return found;
  const others = new Set(unread.map(({ name }) => name).filter((name) => !names.has(name)));
  return [...found, ...[...others].map((name) => ({ name, line: first.line }))];
}

function toNamesWhereAll(jobs: readonly FailedJob[], isSo: (job: FailedJob) => boolean): readonly string[] {
  const others = new Set(jobs.filter((job) => !isSo(job)).map(({ check }) => check.name));
  return [...new Set(jobs.map(({ check }) => check.name))].filter((name) => !others.has(name));
}
