import { createHash } from 'node:crypto';
import { toSignal } from '../core/ci/check-signal.ts';
import { toProgress, toStateProgress } from '../core/ci/parse-result.ts';
import { toRunProgress } from '../core/ci/run-progress.ts';
import type { Sha } from '../core/model/ids.ts';
import type { CheckResult } from '../core/model/pull-request.ts';
import type { ContextNode, SuiteNode, WorkflowRunNode } from './pull-request-schema.ts';

/** All CI results at a commit, from GraphQL's lists. Pure. A value that GitHub adds later becomes `unknown`. */
export function toCheckResults(
  { contexts, suites }: { readonly contexts: readonly ContextNode[]; readonly suites: readonly SuiteNode[] },
  headSha: Sha,
): readonly CheckResult[] {
  const greenSuites = new Set(suites.filter((suite) => toSignal(toProgress(suite)) === 'green').map(({ id }) => id));
  const jobs = contexts.map((context) => toCheckResult(context, headSha, greenSuites));
  return [...jobs, ...toWorkflowResults({ contexts, suites }, headSha)];
}

function toCheckResult(context: ContextNode, headSha: Sha, greenSuites: ReadonlySet<string>): CheckResult {
  if (context.__typename === 'StatusContext') return toStatusResult(context, headSha);
  const { id, app, workflowRun } = context.checkSuite;
  return {
    source: 'check_run',
    id: toId(context, toJobId(context.detailsUrl)),
    nodeId: context.id,
    appId: app?.databaseId ?? null,
    appSlug: app?.slug ?? null,
    name: context.name,
    ...toOrigin(workflowRun),
    ...(greenSuites.has(id) ? { isRunGreen: true } : {}),
    headSha,
    ...toProgress(context),
    startedAt: context.startedAt,
    completedAt: context.completedAt,
    detailsUrl: context.detailsUrl,
    // GraphQL has no run attempt. A re-run is a new check run.
    runAttempt: null,
  };
}

/** A check run of GitHub Actions has the id of its job, which its address has in full. */
function toJobId(detailsUrl: string | null): number | null {
  return toIdIn(/\/actions\/runs\/\d+\/job\/(?<id>\d{1,15})(?:[/?#]|$)/u, detailsUrl);
}

/** An id that GraphQL has no room for, and that is in no address, is replaced by one that no object of GitHub has. */
function toId({ id, databaseId }: Pick<SuiteNode, 'id' | 'databaseId'>, inAddress: number | null): number {
  return databaseId !== null && databaseId > 0 ? databaseId : (inAddress ?? toNumber(id) + 2 ** 48);
}

function toOrigin(
  run: WorkflowRunNode | null,
): Pick<CheckResult, 'event' | 'workflow' | 'workflowRunId' | 'runNumber'> {
  if (run === null) return { event: null };
  const { event, runNumber, url, workflow } = run;
  const runId = toIdIn(/\/actions\/runs\/(?<id>\d{1,15})(?:[/?#]|$)/u, url);
  return {
    ...{ event, runNumber, workflow: String(workflow.databaseId ?? workflow.id) },
    ...(runId === null ? {} : { workflowRunId: runId }),
  };
}

function toIdIn(pattern: RegExp, url: string | null): number | null {
  const id = pattern.exec(url ?? '')?.groups?.['id'];
  return id === undefined ? null : Number(id);
}

type WorkflowSuite = SuiteNode & { readonly workflowRun: NonNullable<SuiteNode['workflowRun']> };

function toWorkflowResults(
  { contexts, suites }: { readonly contexts: readonly ContextNode[]; readonly suites: readonly SuiteNode[] },
  headSha: Sha,
): readonly CheckResult[] {
  const jobsOf = Map.groupBy(
    contexts.flatMap((context) => (context.__typename === 'CheckRun' ? [context] : [])),
    ({ checkSuite }) => checkSuite.id,
  );
  return suites.flatMap((suite) => {
    const { workflowRun, checkRuns } = suite;
    if (workflowRun === null) return [];
    const jobs = (jobsOf.get(suite.id) ?? []).map(toProgress);
    const progress = toRunProgress(toProgress(suite), { jobs, hasJobs: (checkRuns?.totalCount ?? 0) > 0 });
    return progress === null ? [] : [toWorkflowResult({ ...suite, workflowRun }, headSha, progress)];
  });
}

function toWorkflowResult(suite: WorkflowSuite, headSha: Sha, progress: ReturnType<typeof toProgress>): CheckResult {
  return {
    source: 'check_run',
    id: toId(suite, null),
    appId: suite.app?.databaseId ?? null,
    appSlug: null,
    name: suite.workflowRun.workflow.name,
    isRun: true,
    ...toOrigin(suite.workflowRun),
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
    id: toNumber(context.id),
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

/** A number for what GraphQL identifies only by its opaque node id: 48 bits of the id's hash. */
function toNumber(nodeId: string): number {
  return createHash('sha256').update(nodeId).digest().readUIntBE(0, 6);
}
