import { z } from 'zod';
import { toSignal } from '../core/ci/check-signal.ts';
import type { CiResult } from '../core/ci/latest-results.ts';
import { type Progress, toProgress, toStateProgress } from '../core/ci/parse-result.ts';
import { toRunProgress } from '../core/ci/run-progress.ts';
import { newestBy } from '../core/lists/newest-by.ts';
import type { EpochMs } from '../core/model/ids.ts';

const NO_ID = 'expected an id: a whole number, or its digits as text';
/** An id from GitHub. Some clients and jq filters give it as text. */
const Id = z.union(
  [
    z.int(NO_ID),
    z
      .string()
      .regex(/^\d{1,16}$/u, NO_ID)
      .transform(Number),
  ],
  NO_ID,
);

/** A value that is only a hint. An unexpected value counts as missing. */
const Lenient = z.unknown().optional();
const LenientId = Id.nullish().catch(null);
const LenientText = z.string().nullish().catch(null);

/** The fields that identify a result are required. Its state may be malformed, and then never counts as success. */
export const RawCheckRun = z.object({
  id: Id,
  name: z.string(),
  head_sha: z.string(),
  status: Lenient,
  conclusion: Lenient,
  started_at: Lenient,
  completed_at: Lenient,
  details_url: Lenient,
  app: z.object({ id: LenientId, slug: LenientText }).nullish().catch(null),
  check_suite: z.object({ id: LenientId }).nullish().catch(null),
});
type RawCheckRun = z.infer<typeof RawCheckRun>;

/** Status of a commit. GitHub's REST API gives the commit only in each status's URL, webhooks in `sha`. */
export const RawStatus = z.object({
  id: Id,
  context: z.string().default('default'),
  state: Lenient,
  created_at: Lenient,
  updated_at: Lenient,
  target_url: Lenient,
  sha: LenientText,
  url: LenientText,
});
type RawStatus = z.infer<typeof RawStatus>;

/** A workflow run of GitHub Actions. */
export const RawWorkflowRun = z.object({
  id: Id,
  name: LenientText,
  path: LenientText,
  workflow_id: LenientId,
  event: LenientText,
  head_sha: z.string(),
  status: Lenient,
  conclusion: Lenient,
  check_suite_id: LenientId,
  run_attempt: LenientId,
  run_started_at: Lenient,
  created_at: Lenient,
  updated_at: Lenient,
  html_url: Lenient,
});
type RawWorkflowRun = z.infer<typeof RawWorkflowRun>;

/** The three CI lists of GitHub's REST API. */
export interface RestCi {
  readonly checkRuns: readonly RawCheckRun[];
  readonly statuses: readonly RawStatus[];
  readonly workflowRuns: readonly RawWorkflowRun[];
}

/** Maps GitHub's REST objects to our results. A status without a commit belongs to `headSha`. */
export function toRestResults(raw: RestCi, headSha: string): readonly CiResult[] {
  const runs = [...newestBy(raw.workflowRuns, ({ id }) => id, isNewerAttempt).values()];
  const runOfSuite = new Map(runs.map((run) => [run.check_suite_id ?? null, run]));
  const findRun = (check: RawCheckRun): RawWorkflowRun | undefined => {
    const suiteId = check.check_suite?.id ?? null;
    return suiteId === null ? undefined : runOfSuite.get(suiteId);
  };
  const jobsOf = Map.groupBy(raw.checkRuns, (check) => findRun(check)?.id ?? null);
  return [
    ...raw.checkRuns.map((check) => toCheckRunResult(check, findRun(check))),
    ...raw.statuses.map((status) => toStatusResult(status, headSha)),
    ...runs.flatMap((run) => {
      const jobs = (jobsOf.get(run.id) ?? []).map(toProgress);
      const progress = toRunProgress(toProgress(run), { jobs, hasJobs: jobs.length > 0 });
      return progress === null ? [] : [toWorkflowRunResult(run, progress)];
    }),
  ];
}

function isNewerAttempt(run: RawWorkflowRun, than: RawWorkflowRun): boolean {
  return (run.run_attempt ?? 1) > (than.run_attempt ?? 1);
}

function toCheckRunResult(raw: RawCheckRun, run: RawWorkflowRun | undefined): CiResult {
  return {
    source: 'check_run',
    id: raw.id,
    appId: raw.app?.id ?? null,
    appSlug: raw.app?.slug ?? null,
    name: raw.name,
    ...toOrigin(run),
    ...(run !== undefined && toSignal(toProgress(run)) === 'green' ? { isRunGreen: true } : {}),
    headSha: raw.head_sha,
    ...toProgress(raw),
    startedAt: toInstant(raw.started_at),
    completedAt: toInstant(raw.completed_at),
    detailsUrl: toText(raw.details_url),
  };
}

/** Event, workflow and attempt of the workflow run behind a check run, as far as known. */
function toOrigin(
  run: RawWorkflowRun | undefined,
): Pick<CiResult, 'event' | 'workflow' | 'runAttempt' | 'runNumber' | 'workflowRunId'> {
  if (run === undefined) return { event: null, runAttempt: null };
  return {
    event: run.event ?? null,
    workflow: toWorkflow(run),
    runAttempt: run.run_attempt ?? null,
    workflowRunId: run.id,
    // Ids grow with each run of a repository.
    runNumber: run.id,
  };
}

function toStatusResult(raw: RawStatus, headSha: string): CiResult {
  const inUrl = /\/statuses\/(?<sha>[^/?#]+)$/u.exec(raw.url ?? '')?.groups?.['sha'];
  const progress = toStateProgress(raw.state);
  return {
    source: 'status',
    id: raw.id,
    appId: null,
    appSlug: null,
    name: raw.context,
    event: null,
    headSha: raw.sha ?? inUrl ?? headSha,
    ...progress,
    startedAt: toInstant(raw.created_at),
    completedAt: progress.status === 'completed' ? toInstant(raw.updated_at) : null,
    detailsUrl: toText(raw.target_url),
    runAttempt: null,
  };
}

function toWorkflowRunResult(run: RawWorkflowRun, progress: Progress): CiResult {
  return {
    source: 'check_run',
    id: run.id,
    appId: null,
    appSlug: null,
    name: run.name ?? toWorkflow(run),
    isRun: true,
    ...toOrigin(run),
    headSha: run.head_sha,
    ...progress,
    startedAt: toInstant(run.run_started_at) ?? toInstant(run.created_at),
    completedAt: progress.status === 'completed' ? toInstant(run.updated_at) : null,
    detailsUrl: toText(run.html_url),
  };
}

function toWorkflow(run: RawWorkflowRun): string {
  return String(run.workflow_id ?? run.path ?? run.name ?? run.id);
}

function toInstant(raw: unknown): EpochMs | null {
  const at = typeof raw === 'string' ? Date.parse(raw) : NaN;
  return Number.isNaN(at) ? null : at;
}

function toText(raw: unknown): string | null {
  return typeof raw === 'string' ? raw : null;
}
