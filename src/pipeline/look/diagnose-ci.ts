import { diagnoseFailure } from '../../core/ci/diagnose-failure.ts';
import type { FailedJob } from '../../core/ci/looks-flaky.ts';
import { planRerun } from '../../core/ci/plan-rerun.ts';
import { toLogExcerpt } from '../../core/evidence/to-log-excerpt.ts';
import type { CheckAnnotation } from '../../core/model/check-run.ts';
import { GitHubError } from '../../core/model/errors.ts';
import type { CheckResult, PullRequestFacts } from '../../core/model/pull-request.ts';
import { REMEMBERED_SESSIONS } from '../../core/model/session.ts';
import type { CiFailure } from '../../core/model/snapshot.ts';
import type { Diagnosis, Workspace } from '../../core/model/workspace.ts';
import { isSameFailure } from '../../core/sessions/is-same-failure.ts';

import type { Deps } from '../deps.ts';
import { readMergeBase } from './read-merge-base.ts';
import type { Look } from './take-snapshot.ts';

type DiagnoseDeps = Pick<Deps, 'github' | 'log' | 'store'>;

/** Limits of one closer look: API calls and bytes. */
const MAX_READ_CHECKS = 5;
const MAX_ANNOTATIONS = 50;
const MAX_LOG_BYTES = 256 * 1024;
const MAX_EXCERPT_BYTES = 32 * 1024;

/**
 * Takes a closer look at red CI, once per CI result: is it flaky, is the base red too, is it the same failure as before
 * (resolution S7)? Returns the look with `ci.failure` set. Call it only if red CI is the problem to fix. Anything that cannot be
 * read counts as not flaky and not red on the base; only a rate limit is thrown, because all later calls would fail too.
 */
export async function diagnoseCi(deps: DiagnoseDeps, look: Look, signal: AbortSignal): Promise<Look> {
  const { facts, ci, workspace } = look;
  const ciRunId = ci?.runId ?? null;
  if (facts === null || ci === null || ciRunId === null) return look;
  const failing = ci.failing.map(({ check }) => check);
  const diagnosis =
    workspace.diagnosis?.ciRunId === ciRunId
      ? workspace.diagnosis
      : await takeDiagnosis(deps, { workspace, facts, failing, ciRunId }, signal);
  const failure = toFailure(deps, look, { diagnosis, failing, headSha: facts.headSha });
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

async function takeDiagnosis(deps: DiagnoseDeps, red: RedCi, signal: AbortSignal): Promise<Diagnosis> {
  const { workspace, failing, ciRunId } = red;
  const read = await readJobs(deps, workspace, failing.slice(0, MAX_READ_CHECKS), signal);
  const atBase = (await orNull(deps, readChecksAtMergeBase(deps, red, signal))) ?? [];
  const diagnosis = diagnoseFailure({ ciRunId, read, unread: failing.slice(MAX_READ_CHECKS), atBase });
  deps.store.updateWorkspace(workspace.key, { diagnosis });
  deps.log.info(
    {
      key: workspace.key,
      red: failing.length,
      flaky: diagnosis.flaky.length,
      redOnBase: diagnosis.redOnBase.length,
    },
    'red CI diagnosed',
  );
  return diagnosis;
}

/** The failure text of each job; null if neither annotations nor log can be read. */
async function readJobs(
  deps: DiagnoseDeps,
  { repository }: Workspace,
  checks: readonly CheckResult[],
  signal: AbortSignal,
): Promise<readonly FailedJob[]> {
  const told = checks.filter(({ source, appSlug }) => source === 'check_run' && appSlug !== null);
  const annotations = await orNull(deps, deps.github.readAllAnnotations(repository, told, MAX_ANNOTATIONS, signal));
  const jobs: FailedJob[] = [];
  for (const check of checks) {
    const isTold = told.includes(check);
    const log = isTold ? await orNull(deps, deps.github.readJobLog(repository, check, MAX_LOG_BYTES, signal)) : null;
    jobs.push({ check, text: toText(isTold ? (annotations?.get(check.id) ?? []) : [], log) });
  }
  return jobs;
}

function toText(annotations: readonly CheckAnnotation[], log: string | null): string | null {
  const failures = annotations.filter(({ level }) => level === 'failure').map(({ message }) => message);
  if (failures.length === 0 && log === null) return null;
  return toLogExcerpt([...failures, log ?? ''].join('\n'), { maxBytes: MAX_EXCERPT_BYTES });
}

async function readChecksAtMergeBase(
  { github }: DiagnoseDeps,
  { workspace: { repository }, facts }: RedCi,
  signal: AbortSignal,
): Promise<readonly CheckResult[]> {
  const mergeBase = await readMergeBase(github, { repository, facts }, signal);
  return mergeBase === null ? [] : github.readChecksAt(repository, mergeBase, signal);
}

async function orNull<Value>({ log }: DiagnoseDeps, reading: Promise<Value>): Promise<Value | null> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof GitHubError) || error.code === 'RATE_LIMITED') throw error;
    log.warn({ error, code: error.code }, 'a closer look at red CI could not read something');
    return null;
  }
}

function toFailure(
  { store }: Pick<Deps, 'store'>,
  { workspace, asked, policy }: Look,
  red: {
    readonly diagnosis: Diagnosis;
    readonly failing: readonly CheckResult[];
    readonly headSha: PullRequestFacts['headSha'];
  },
): CiFailure {
  const { diagnosis, failing, headSha } = red;
  const plan = planRerun(failing, { headSha, flaky: diagnosis.flaky, rerun: asked.rerun });
  const redOnBase = new Set(diagnosis.redOnBase);
  return {
    rerunnable: policy.ci.rerunFlaky && plan !== null,
    redOnBase: failing.length > 0 && failing.every(({ name }) => redOnBase.has(name)),
    sameAsBefore: isSameFailure(store.endedSessions(workspace.key, REMEMBERED_SESSIONS), diagnosis.signature),
  };
}
