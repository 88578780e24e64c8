import { InvariantError } from '../model/errors.ts';
import type { FailureClass } from '../model/failure-class.ts';
import type { DiagnosedJob, Diagnosis } from '../model/workspace.ts';
import { classifyFailure } from './classify-failure.ts';
import { compareWithBase } from './compare-with-base.ts';
import type { FailedJob } from './failed-job.ts';
import { toFailureSignature } from './failure-signature.ts';
import { MAX_TESTS, toTestIds } from './known-flakes.ts';
import type { CiResult } from './latest-results.ts';

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

/** A line that shows the class of a job is cut to this length. */
const MAX_LINE_LENGTH = 400;

/** Of several jobs of one name, the one that is hardest to mend counts. */
const HARDEST: readonly FailureClass[] = ['code', 'unknown', 'person', 'infrastructure', 'flake'];

/** Classifies the failure (resolutions S7 and S21), from data alone. Names are in input order. */
export function diagnoseFailure(input: FailureInput): Diagnosis {
  const { ciRunId, freshStart, base, failures, read, unread, atBase, atTip } = input;
  const jobs = toJobs([...read, ...unread.map(toUnread)]);
  const failing = [...read.map(({ check }) => check), ...unread];
  return {
    ...{ ciRunId, freshStart, base, failures, jobs },
    flaky: jobs.filter((job) => job.class === 'infrastructure' || job.class === 'flake').map(({ name }) => name),
    person: toPersonFailures(read, unread),
    ...compareWithBase(failing, { atBase, atTip }),
    signature: toFailureSignature(read, unread),
  };
}

/** A job that was not read: only its conclusion says something. */
function toUnread(check: CiResult): FailedJob {
  return { check, failures: [], lines: [], classified: classifyFailure({ check, failures: [], lines: [] }) };
}

/** Each name once. */
function toJobs(all: readonly FailedJob[]): readonly DiagnosedJob[] {
  const ofName = Map.groupBy(all, ({ check }) => check.name);
  return [...ofName].map(([name, jobs]) => {
    const { class: is, line, rule } = toHardestJob(jobs).classified;
    const tests = [...new Set(jobs.flatMap(toTestIds))].slice(0, MAX_TESTS);
    return { name, class: is, line: line === null ? null : toCut(line), rule, tests, command: toCommand(jobs) };
  });
}

/** The job that is hardest to mend; of equal ones the first. @throws InvariantError if there is none. */
export function toHardestJob(jobs: readonly FailedJob[]): FailedJob {
  const [hardest] = HARDEST.flatMap((is) => jobs.filter(({ classified }) => classified.class === is));
  if (hardest === undefined) throw new InvariantError('there is no failed job');
  return hardest;
}

/** The command that ended the job, else the one whose output names a failure. */
function toCommand(jobs: readonly FailedJob[]): string | null {
  const failures = jobs.flatMap((job) => job.failures);
  const steps = failures.flatMap(({ kind, step }) => (step === null ? [] : [{ kind, step }]));
  const found = steps.find(({ kind }) => kind === 'exit') ?? steps[0];
  return found === undefined ? null : toCut(found.step);
}

function toCut(line: string): string {
  return line.trim().slice(0, MAX_LINE_LENGTH).toWellFormed();
}

/** A job that was not read counts like those that were, if no code can mend any of them: a matrix fails as a whole. */
function toPersonFailures(read: readonly FailedJob[], unread: readonly CiResult[]): Diagnosis['person'] {
  const names = new Set(toNamesWhereAll(read, ({ classified }) => classified.personLine !== null));
  const lines = new Map(
    read.flatMap(({ check: { name }, classified: { personLine } }) =>
      personLine === null || !names.has(name) ? [] : [[name, toCut(personLine)]],
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
