import { createHash } from 'node:crypto';
import { toCurrentRuns, type WorkflowRunFacts } from '../core/ci/current-runs.ts';
import { toProgress, toStateProgress } from '../core/ci/parse-result.ts';
import type { Sha } from '../core/model/ids.ts';
import type { CheckResult } from '../core/model/pull-request.ts';
import type { ContextNode, SuiteNode } from './pull-request-schema.ts';

/** All CI results at a commit, from GraphQL's lists. Pure. A value that GitHub adds later becomes `unknown`. */
export function toCheckResults(
  { contexts, suites }: { readonly contexts: readonly ContextNode[]; readonly suites: readonly SuiteNode[] },
  headSha: Sha,
): readonly CheckResult[] {
  return [...contexts.map((context) => toCheckResult(context, headSha)), ...toWorkflowResults(suites, headSha)];
}

function toCheckResult(context: ContextNode, headSha: Sha): CheckResult {
  if (context.__typename === 'StatusContext') return toStatusResult(context, headSha);
  const { app, workflowRun } = context.checkSuite;
  return {
    source: 'check_run',
    id: context.databaseId,
    nodeId: context.id,
    appId: app?.databaseId ?? null,
    appSlug: app?.slug ?? null,
    name: context.name,
    event: workflowRun?.event ?? null,
    ...toWorkflow(workflowRun, context.detailsUrl),
    headSha,
    ...toProgress(context),
    startedAt: context.startedAt,
    completedAt: context.completedAt,
    detailsUrl: context.detailsUrl,
    // GraphQL has no run attempt. A re-run is a new check run.
    runAttempt: null,
  };
}

type WorkflowRunNode = Pick<NonNullable<SuiteNode['workflowRun']>, 'databaseId'> & {
  readonly workflow: { readonly databaseId: number | null };
};

/** GraphQL's integers have 32 bits, and run ids can be larger. The id that is null then is read from the job's URL. */
function toWorkflow(
  run: WorkflowRunNode | null,
  detailsUrl: string | null,
): Pick<CheckResult, 'workflow' | 'workflowRunId'> {
  if (run === null) return {};
  const workflowId = run.workflow.databaseId;
  const runId = run.databaseId ?? toRunId(detailsUrl);
  return {
    ...(workflowId === null ? {} : { workflow: String(workflowId) }),
    ...(runId === null ? {} : { workflowRunId: runId }),
  };
}

function toRunId(detailsUrl: string | null): number | null {
  const id = /\/actions\/runs\/(?<id>\d{1,15})(?:\/|$)/u.exec(detailsUrl ?? '')?.groups?.['id'];
  return id === undefined ? null : Number(id);
}

/**
 * A workflow run is a result of its own in two cases. While it is not completed: its later jobs do not exist yet, and
 * the gap between two jobs would look green. And if it completed without any job: a start-up failure, or a run that was
 * never approved (trap 11).
 */
function toWorkflowResults(suites: readonly SuiteNode[], headSha: Sha): readonly CheckResult[] {
  const runs = suites.flatMap((suite) => {
    const { workflowRun, databaseId } = suite;
    return workflowRun === null || databaseId === null ? [] : [{ ...suite, workflowRun, databaseId }];
  });
  return toCurrentRuns(runs, toRunFacts)
    .filter((suite) => toProgress(suite).status !== 'completed' || (suite.checkRuns?.totalCount ?? 0) === 0)
    .map((suite) => toWorkflowResult(suite, headSha));
}

type WorkflowSuite = SuiteNode & {
  readonly workflowRun: NonNullable<SuiteNode['workflowRun']>;
  readonly databaseId: number;
};

function toRunFacts(suite: WorkflowSuite): WorkflowRunFacts {
  const { workflow, event } = suite.workflowRun;
  return {
    workflow: String(workflow.databaseId ?? workflow.name),
    event,
    age: [suite.createdAt, suite.databaseId],
    ...toProgress(suite),
  };
}

function toWorkflowResult(suite: WorkflowSuite, headSha: Sha): CheckResult {
  const progress = toProgress(suite);
  return {
    source: 'check_run',
    id: suite.databaseId,
    appId: suite.app?.databaseId ?? null,
    appSlug: null,
    name: suite.workflowRun.workflow.name,
    event: suite.workflowRun.event,
    ...toWorkflow(suite.workflowRun, null),
    headSha,
    ...progress,
    startedAt: suite.createdAt,
    completedAt: progress.status === 'completed' ? suite.updatedAt : null,
    detailsUrl: null,
    runAttempt: null,
  };
}

function toStatusResult(context: Extract<ContextNode, { __typename: 'StatusContext' }>, headSha: Sha): CheckResult {
  const progress = toStateProgress(context.state);
  return {
    source: 'status',
    id: toStatusId(context.id),
    appId: null,
    appSlug: null,
    name: context.context,
    event: null,
    headSha,
    ...progress,
    startedAt: context.createdAt,
    completedAt: progress.status === 'completed' ? context.createdAt : null,
    detailsUrl: context.targetUrl,
    runAttempt: null,
  };
}

/** A number for a status, which GraphQL identifies only by its opaque node id: 48 bits of the id's hash. */
function toStatusId(nodeId: string): number {
  return createHash('sha256').update(nodeId).digest().readUIntBE(0, 6);
}
