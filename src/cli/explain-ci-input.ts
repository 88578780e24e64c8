import { z } from 'zod';
import type { CiInput } from '../core/ci/ci-verdict.ts';
import type { CiResult } from '../core/ci/latest-results.ts';
import type { EpochMs } from '../core/model/ids.ts';
import { Instant } from '../schemas/instant.ts';
import { parseBySchema } from '../schemas/invalid-input.ts';

const Id = z.int();

/** A value of GitHub's that only helps: anything unexpected counts as not told. */
const Told = z.unknown();

const App = z.object({ id: Id, slug: z.string().nullish() });

const RawCheckRun = z.object({
  id: Id,
  name: z.string(),
  head_sha: z.string(),
  status: z.string().nullish(),
  conclusion: z.string().nullish(),
  started_at: Told.optional(),
  completed_at: Told.optional(),
  details_url: Told.optional(),
  app: App.nullish(),
  check_suite: z.object({ id: Id.nullish() }).nullish(),
});
type RawCheckRun = z.infer<typeof RawCheckRun>;

const RawStatus = z.object({
  id: Id,
  context: z.string().default('default'),
  state: z.string().nullish(),
  created_at: Told.optional(),
  updated_at: Told.optional(),
  target_url: Told.optional(),
  sha: z.string().nullish(),
  url: z.string().nullish(),
});
type RawStatus = z.infer<typeof RawStatus>;

const RawWorkflowRun = z.object({
  id: Id,
  name: z.string().nullish(),
  path: z.string().nullish(),
  workflow_id: Id.nullish(),
  event: z.string().nullish(),
  head_sha: z.string(),
  status: z.string().nullish(),
  conclusion: z.string().nullish(),
  check_suite_id: Id.nullish(),
  run_attempt: Id.nullish(),
  run_started_at: Told.optional(),
  created_at: Told.optional(),
  updated_at: Told.optional(),
  html_url: Told.optional(),
});
type RawWorkflowRun = z.infer<typeof RawWorkflowRun>;

const MAX_RESULTS = 10_000;
/** As in the policy file. */
const MAX_SETTLE_SECONDS = 86_400;
const DEFAULT_POLICY = { settleSeconds: 60, required: null, ignore: [] };

/** Input of `explain ci`: our own frame is strict, what GitHub sends is read only where it is used. */
const ExplainCiInput = z.strictObject({
  headSha: z.string().min(1),
  headPushedAt: Instant,
  now: Instant,
  ratchetAppId: Id.nullable().default(null),
  checkRuns: z.array(RawCheckRun).max(MAX_RESULTS).default([]),
  statuses: z.array(RawStatus).max(MAX_RESULTS).default([]),
  workflowRuns: z.array(RawWorkflowRun).max(MAX_RESULTS).default([]),
  policy: z
    .strictObject({
      settleSeconds: z.number().min(0).max(MAX_SETTLE_SECONDS).default(DEFAULT_POLICY.settleSeconds),
      required: z.array(z.string()).min(1).nullable().default(DEFAULT_POLICY.required),
      ignore: z.array(z.string()).default(DEFAULT_POLICY.ignore),
    })
    .default(DEFAULT_POLICY),
});

/**
 * The input of the CI verdict from raw REST answers. Nothing proves here that there is no CI, so silence stays pending.
 * @throws InvalidInputError naming each problem and its place.
 */
export function parseExplainCiInput(json: unknown): CiInput {
  const { headSha, headPushedAt, now, ratchetAppId, policy, ...raw } = parseBySchema(ExplainCiInput, json);
  const runs = toNewestRuns(raw.workflowRuns);
  const checks = [
    ...raw.checkRuns.map((check) => toCheckRunResult(check, raw.workflowRuns)),
    ...raw.statuses.map((status) => toStatusResult(status, headSha)),
    ...runs.filter((run) => isAResult(run, raw.checkRuns)).map(toWorkflowRunResult),
  ];
  return { headSha, headPushedAt, now, ownAppId: ratchetAppId, checks, policy, noCiProven: false };
}

function toCheckRunResult(raw: RawCheckRun, runs: readonly RawWorkflowRun[]): CiResult {
  return {
    source: 'check_run',
    id: raw.id,
    appId: raw.app?.id ?? null,
    appSlug: raw.app?.slug ?? null,
    name: raw.name,
    ...toOrigin(runs.find((run) => isRunOf(run, raw))),
    headSha: raw.head_sha,
    status: toStatus(raw.status),
    conclusion: toConclusion(raw.conclusion),
    startedAt: toInstant(raw.started_at),
    completedAt: toInstant(raw.completed_at),
    detailsUrl: toText(raw.details_url),
  };
}

function isRunOf(run: RawWorkflowRun, check: RawCheckRun): boolean {
  const suiteId = check.check_suite?.id ?? null;
  return suiteId !== null && run.check_suite_id === suiteId;
}

/** Event, workflow and attempt of the workflow run behind a check run, as far as they are told. */
function toOrigin(run: RawWorkflowRun | undefined): Pick<CiResult, 'event' | 'workflow' | 'runAttempt'> {
  if (run === undefined) return { event: null, runAttempt: null };
  return { event: run.event ?? null, workflow: toWorkflow(run), runAttempt: run.run_attempt ?? null };
}

/** GitHub's list names no commit but in the address of each status. */
function toStatusResult(raw: RawStatus, headSha: string): CiResult {
  const inUrl = /\/statuses\/(?<sha>[^/?#]+)$/u.exec(raw.url ?? '')?.groups?.['sha'];
  const isOver = raw.state?.toLowerCase() !== 'pending';
  return {
    source: 'status',
    id: raw.id,
    appId: null,
    appSlug: null,
    name: raw.context,
    event: null,
    headSha: raw.sha ?? inUrl ?? headSha,
    status: isOver ? 'completed' : 'in_progress',
    conclusion: isOver ? toStateConclusion(raw.state) : null,
    startedAt: toInstant(raw.created_at),
    completedAt: isOver ? toInstant(raw.updated_at) : null,
    detailsUrl: toText(raw.target_url),
    runAttempt: null,
  };
}

/** Of each workflow and event the newest run; an older one is history. */
function toNewestRuns(runs: readonly RawWorkflowRun[]): readonly RawWorkflowRun[] {
  const newest = new Map<string, RawWorkflowRun>();
  for (const run of runs) {
    const key = JSON.stringify([run.head_sha, toWorkflow(run), run.event ?? null]);
    const known = newest.get(key);
    if (known === undefined || isNewer(run, known)) newest.set(key, run);
  }
  return [...newest.values()];
}

function isNewer(a: RawWorkflowRun, b: RawWorkflowRun): boolean {
  return a.id === b.id ? (a.run_attempt ?? 0) > (b.run_attempt ?? 0) : a.id > b.id;
}

/**
 * A run counts by itself while it is not over (later jobs do not exist yet), and where it ended without any job: a start-up
 * failure, or a run that nobody has approved (trap 11).
 */
function isAResult(run: RawWorkflowRun, checkRuns: readonly RawCheckRun[]): boolean {
  if (toStatus(run.status) !== 'completed') return true;
  return !checkRuns.some((check) => isRunOf(run, check));
}

function toWorkflowRunResult(run: RawWorkflowRun): CiResult {
  return {
    source: 'check_run',
    id: run.id,
    appId: null,
    appSlug: null,
    name: run.name ?? toWorkflow(run),
    ...toOrigin(run),
    headSha: run.head_sha,
    status: toStatus(run.status),
    conclusion: toConclusion(run.conclusion),
    startedAt: toInstant(run.run_started_at) ?? toInstant(run.created_at),
    completedAt: toStatus(run.status) === 'completed' ? toInstant(run.updated_at) : null,
    detailsUrl: toText(run.html_url),
  };
}

function toWorkflow(run: RawWorkflowRun): string {
  return String(run.workflow_id ?? run.path ?? run.name ?? run.id);
}

function toStatus(raw: string | null | undefined): CiResult['status'] {
  switch (raw?.toLowerCase()) {
    case 'completed':
      return 'completed';
    case 'queued':
    case 'requested':
    case 'pending':
      return 'queued';
    case 'in_progress':
      return 'in_progress';
    case 'waiting':
      return 'waiting';
    default:
      return 'unknown';
  }
}

const Conclusion = z
  .enum([
    'success',
    'failure',
    'neutral',
    'cancelled',
    'skipped',
    'timed_out',
    'action_required',
    'startup_failure',
    'stale',
  ])
  .nullable();

function toConclusion(raw: string | null | undefined): CiResult['conclusion'] {
  const known = Conclusion.safeParse(raw?.toLowerCase() ?? null);
  return known.success ? known.data : 'unknown';
}

function toStateConclusion(raw: string | null | undefined): CiResult['conclusion'] {
  switch (raw?.toLowerCase()) {
    case 'success':
      return 'success';
    case 'failure':
    case 'error':
      return 'failure';
    default:
      return 'unknown';
  }
}

function toInstant(raw: unknown): EpochMs | null {
  const at = typeof raw === 'string' ? Date.parse(raw) : NaN;
  return Number.isNaN(at) ? null : at;
}

function toText(raw: unknown): string | null {
  return typeof raw === 'string' ? raw : null;
}
