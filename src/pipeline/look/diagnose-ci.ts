import { classifyFailure } from '../../core/ci/classify-failure.ts';
import { compareWithBase } from '../../core/ci/compare-with-base.ts';
import { diagnoseFailure, type FailureInput } from '../../core/ci/diagnose-failure.ts';
import type { FailedJob } from '../../core/ci/failed-job.ts';
import { FLAKE_MEMORY_MS, recallFlakes, toFlakeSubjects } from '../../core/ci/known-flakes.ts';
import { toCiFailure } from '../../core/ci/to-ci-failure.ts';
import { toFailureLines } from '../../core/ci/to-failure-lines.ts';
import { createLogReader } from '../../core/evidence/read-log.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { CheckResult, PullRequestFacts } from '../../core/model/pull-request.ts';
import { REMEMBERED_SESSIONS } from '../../core/model/session.ts';
import type { DiagnosedJob, Diagnosis, Workspace } from '../../core/model/workspace.ts';
import { isSameFailure } from '../../core/sessions/is-same-failure.ts';
import { createRegisteredMatchers } from '../../engines/log/registered-matchers.ts';
import type { Deps } from '../deps.ts';
import { orNull } from './or-null.ts';
import { type RedJob, readFailures } from './read-failures.ts';
import { readMergeBase } from './read-merge-base.ts';
import type { Look } from './take-snapshot.ts';

type DiagnoseDeps = Pick<Deps, 'clock' | 'github' | 'log' | 'redact' | 'store'>;

/** Limits of one closer look: API calls and bytes. */
const MAX_READ_CHECKS = 5;
const MAX_ANNOTATIONS = 50;
/** Of the end of a log. What it names as failures is read from the whole log. */
const MAX_LOG_BYTES = 256 * 1024;
/** Failures are collected whatever an excerpt of the log would show. */
const EXCERPT_BYTES = 8 * 1024;

/**
 * Takes a closer look at red CI, once per CI result: is it flaky, is the base red too, can code mend it, is it the same failure
 * as before (resolutions S7 and S21)? Returns the look with `ci.failure` set. Call it only if red CI is the problem to fix. Anything
 * that cannot be read counts as not flaky and not red on the base; only a rate limit is thrown, because all later calls would fail
 * too.
 */
export async function diagnoseCi(deps: DiagnoseDeps, look: Look, signal: AbortSignal): Promise<Look> {
  const { facts, ci, workspace, asked, policy } = look;
  const ciRunId = ci?.runId ?? null;
  if (facts === null || ci === null || ciRunId === null) return look;
  const failing = ci.failing.map(({ check }) => check);
  const diagnosis = await findDiagnosis(deps, { workspace, facts, failing, ciRunId }, signal);
  const sameAsBefore = isSameFailure(deps.store.endedSessions(workspace.key, REMEMBERED_SESSIONS), diagnosis.signature);
  const { headSha } = facts;
  const failure = toCiFailure({ diagnosis, failing, headSha, rerun: asked.rerun, policy, sameAsBefore });
  return {
    ...look,
    workspace: { ...workspace, diagnosis },
    snapshot: { ...look.snapshot, ci: { ...look.snapshot.ci, failure } },
  };
}

interface RedCi {
  readonly workspace: Workspace;
  readonly facts: PullRequestFacts;
  readonly failing: readonly CheckResult[];
  readonly ciRunId: string;
}

/**
 * The stored diagnosis while all that it looked at is the same. Its logs stay the same with the CI result. The base may be
 * replaced, and a red one may be repaired.
 */
async function findDiagnosis(deps: DiagnoseDeps, red: RedCi, signal: AbortSignal): Promise<Diagnosis> {
  const { workspace, facts, failing, ciRunId } = red;
  const known = workspace.diagnosis;
  if (known?.ciRunId !== ciRunId || known.freshStart !== workspace.freshStarts) {
    return keep(deps, red, await takeDiagnosis(deps, red, signal));
  }
  const isSameBase = known.base?.ref === facts.baseRef && known.base.sha === facts.baseSha;
  if (isSameBase && known.redOnBase.length + known.repairedOnBase.length === 0) return known;
  const { base, ...results } = await readBase(deps, red, signal);
  const diagnosis: Diagnosis = { ...known, base, ...compareWithBase(failing, results) };
  return JSON.stringify(diagnosis) === JSON.stringify(known) ? known : keep(deps, red, diagnosis);
}

async function takeDiagnosis(deps: DiagnoseDeps, red: RedCi, signal: AbortSignal): Promise<Diagnosis> {
  const { workspace, failing, ciRunId } = red;
  const read = recall(deps, workspace, await readJobs(deps, workspace, failing, signal));
  const base = await readBase(deps, red, signal);
  const { repository, freshStarts: freshStart } = workspace;
  const jobs = read.map(({ check, ...job }) => ({ ...job, job: check.name }));
  const failures = await readFailures(deps, { repository, headSha: red.facts.headSha }, jobs, signal);
  const unread = failing.slice(MAX_READ_CHECKS);
  const diagnosis = diagnoseFailure({ ciRunId, freshStart, failures, read, unread, ...base });
  const toRedacted = (job: DiagnosedJob): DiagnosedJob => ({
    ...job,
    command: job.command === null ? null : deps.redact(job.command),
  });
  return { ...diagnosis, jobs: diagnosis.jobs.map(toRedacted) };
}

function keep(deps: DiagnoseDeps, { workspace: { key }, failing }: RedCi, diagnosis: Diagnosis): Diagnosis {
  deps.store.updateWorkspace(key, { diagnosis });
  const { jobs, redOnBase, repairedOnBase } = diagnosis;
  for (const { name, class: is, rule, line } of jobs) {
    deps.log.info({ key, job: name, class: is, rule, line }, 'red job classified');
  }
  const counts = { redOnBase: redOnBase.length, repairedOnBase: repairedOnBase.length };
  deps.log.info({ key, red: failing.length, ...counts }, 'red CI diagnosed');
  return diagnosis;
}

type ReadJob = FailedJob & Omit<RedJob, 'job'>;

/** What the first jobs tell of their failures. */
async function readJobs(
  deps: DiagnoseDeps,
  { repository }: Workspace,
  failing: readonly CheckResult[],
  signal: AbortSignal,
): Promise<readonly ReadJob[]> {
  const checks = failing.slice(0, MAX_READ_CHECKS);
  const told = checks.filter(({ source, appSlug }) => source === 'check_run' && appSlug !== null);
  const annotations = await orNull(deps, deps.github.readAllAnnotations(repository, told, MAX_ANNOTATIONS, signal));
  const jobs: ReadJob[] = [];
  for (const check of checks) {
    const isTold = told.includes(check);
    const reader = createLogReader(EXCERPT_BYTES);
    const matchers = createRegisteredMatchers();
    const take = (piece: Uint8Array): void => {
      reader.push(piece);
      matchers.push(piece);
    };
    const want = { maxBytes: MAX_LOG_BYTES, take };
    const log = isTold ? await orNull(deps, deps.github.readJobLog(repository, check, want, signal)) : null;
    const own = isTold ? (annotations?.get(check.id) ?? []) : [];
    const messages = own.filter(({ level }) => level === 'failure');
    const lines = toFailureLines({ messages: messages.map(({ message }) => message), log });
    const groups = log === null ? [] : reader.end().failures;
    const job = toJob(deps, check, { groups, lines });
    jobs.push({ ...job, annotations: own, log, groups, registered: matchers.paths() });
  }
  return jobs;
}

function toJob(
  { redact }: Pick<Deps, 'redact'>,
  check: CheckResult,
  { groups, lines }: Pick<ReadJob, 'groups' | 'lines'>,
): FailedJob {
  const failures = groups.map(({ failure }) => failure);
  const classified = classifyFailure({ check, failures, lines });
  const orRedacted = (line: string | null): string | null => (line === null ? null : redact(line));
  const { line, personLine } = classified;
  return {
    ...{ check, failures, lines },
    classified: { ...classified, line: orRedacted(line), personLine: orRedacted(personLine) },
  };
}

/** The jobs with what the repository remembers of their tests. */
function recall(
  { clock, store }: Pick<Deps, 'clock' | 'store'>,
  { repository: { repositoryId } }: Workspace,
  jobs: readonly ReadJob[],
): readonly ReadJob[] {
  const subjects = jobs.flatMap(toFlakeSubjects);
  const proofs = subjects.length === 0 ? [] : store.provenFlakes(repositoryId, subjects, clock.now() - FLAKE_MEMORY_MS);
  return jobs.map((job) => ({ ...job, classified: recallFlakes(job, proofs) }));
}

type ReadBase = Pick<FailureInput, 'base' | 'atBase' | 'atTip'>;

/** The results at the merge base, and at the tip of the base branch if it has moved on and could have repaired something. */
async function readBase(deps: DiagnoseDeps, red: RedCi, signal: AbortSignal): Promise<ReadBase> {
  const { workspace, facts, failing } = red;
  const { repository } = workspace;
  const mergeBase = await orNull(deps, readMergeBase(deps.github, { repository, facts }, signal));
  const readAt = async (sha: Sha): Promise<readonly CheckResult[]> =>
    (await orNull(deps, deps.github.readChecksAt(repository, sha, signal))) ?? [];
  const atBase = mergeBase === null ? [] : await readAt(mergeBase);
  const isRedAtBase = compareWithBase(failing, { atBase, atTip: [] }).redOnBase.length > 0;
  const atTip = isRedAtBase && mergeBase !== facts.baseSha ? await readAt(facts.baseSha) : [];
  return { base: { ref: facts.baseRef, sha: facts.baseSha }, atBase, atTip };
}
