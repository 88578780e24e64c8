import type { ProvenFlake } from '../model/proven-flake.ts';
import type { DiagnosedJob, Flake } from '../model/workspace.ts';
import type { ClassifiedFailure } from './classify-failure.ts';
import type { FailedJob } from './failed-job.ts';

/** How long a flake is remembered. */
export const FLAKE_MEMORY_MS = 30 * 24 * 60 * 60_000;

/** So many proofs make a test known as flaky. One may be chance. */
const KNOWN_FROM = 2;

/** Tests of a job that are remembered. */
export const MAX_TESTS = 20;
const MAX_ID_LENGTH = 300;

/** Ids of the failed tests of a job, each once and cut. */
export function toTestIds({ failures }: Pick<FailedJob, 'failures'>): readonly string[] {
  const ids = failures.flatMap(({ kind, testId }) => (kind === 'test' && testId !== null ? [toCut(testId)] : []));
  return [...new Set(ids)].slice(0, MAX_TESTS);
}

/** What must be known as flaky for a job to be: all of it. Empty if a re-run of known flakes could not explain the failure. */
export function toFlakeSubjects(job: FailedJob): readonly string[] {
  if (job.failures.some(({ kind }) => kind === 'place')) return [];
  const tests = toTestIds(job);
  if (tests.length > 0) return tests.map((id) => `test ${id}`);
  return job.classified.class === 'unknown' ? [`check ${toCut(job.check.name)}`] : [];
}

/**
 * The class of a job with what the repository remembers: it is a flake if all that failed was proven twice to be one. It is never
 * more than a reason to run it again, so a test that really fails stays red.
 */
export function recallFlakes(job: FailedJob, proofs: readonly ProvenFlake[]): ClassifiedFailure {
  const { classified } = job;
  const subjects = toFlakeSubjects(job);
  if ((classified.class !== 'code' && classified.class !== 'unknown') || subjects.length === 0) return classified;
  const known = subjects.map((subject) => proofs.filter((proof) => proof.subject === subject));
  if (known.some((of) => of.length < KNOWN_FROM)) return classified;
  const [first = []] = known;
  return { ...classified, class: 'flake', rule: 'known-flake', line: toSentence(subjects, first) };
}

/** What a green re-run proves, for what is known of the red one. Nothing about what only a person could mend. */
export function toProvenFlakes({ name, headSha, at }: Flake, jobs: readonly DiagnosedJob[]): readonly ProvenFlake[] {
  const job = jobs.find((one) => one.name === name);
  if (job?.class === 'person') return [];
  const tests = job?.tests ?? [];
  const subjects = tests.length > 0 ? tests.map((id) => `test ${id}`) : [`check ${toCut(name)}`];
  return subjects.map((subject) => ({ subject, headSha, at }));
}

function toCut(id: string): string {
  return id.slice(0, MAX_ID_LENGTH).toWellFormed();
}

function toSentence(subjects: readonly string[], proofs: readonly ProvenFlake[]): string {
  const days = [...new Set(proofs.map(({ at }) => new Date(at).toISOString().slice(0, 10)))].sort();
  const [first = ''] = subjects;
  const name = JSON.stringify(first.slice(first.indexOf(' ') + 1));
  const rest = subjects.length === 1 ? '' : ` and ${subjects.length - 1} more`;
  return `${name}${rest} failed and passed at the same commit on ${days.join(', ')}`;
}
