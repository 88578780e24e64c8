import { createHash } from 'node:crypto';
import type { Sha } from '../../core/model/ids.ts';
import type {
  Actor,
  CheckResult,
  MergeState,
  PullRequestFacts,
  Review,
  ReviewThread,
} from '../../core/model/pull-request.ts';
import type {
  ActorNode,
  ContextNode,
  HeadCommitNode,
  PolicyFileNode,
  PullRequestNode,
  ReviewNode,
  SuiteNode,
  ThreadNode,
} from './pull-request-schema.ts';

const checkStatuses: ReadonlyMap<string, CheckResult['status']> = new Map([
  ['QUEUED', 'queued'],
  ['REQUESTED', 'queued'],
  ['PENDING', 'queued'],
  ['IN_PROGRESS', 'in_progress'],
  ['WAITING', 'waiting'],
  ['COMPLETED', 'completed'],
]);

const checkConclusions: ReadonlyMap<string, CheckResult['conclusion']> = new Map([
  ['SUCCESS', 'success'],
  ['FAILURE', 'failure'],
  ['NEUTRAL', 'neutral'],
  ['CANCELLED', 'cancelled'],
  ['SKIPPED', 'skipped'],
  ['TIMED_OUT', 'timed_out'],
  ['ACTION_REQUIRED', 'action_required'],
  ['STARTUP_FAILURE', 'startup_failure'],
  ['STALE', 'stale'],
]);

type Progress = Pick<CheckResult, 'status' | 'conclusion'>;

const statusStates: ReadonlyMap<string, Progress> = new Map<string, Progress>([
  ['EXPECTED', { status: 'queued', conclusion: null }],
  ['PENDING', { status: 'in_progress', conclusion: null }],
  ['SUCCESS', { status: 'completed', conclusion: 'success' }],
  ['FAILURE', { status: 'completed', conclusion: 'failure' }],
  ['ERROR', { status: 'completed', conclusion: 'failure' }],
]);

const reviewStates: ReadonlyMap<string, Review['state']> = new Map([
  ['APPROVED', 'approved'],
  ['CHANGES_REQUESTED', 'changes_requested'],
  ['COMMENTED', 'commented'],
  ['DISMISSED', 'dismissed'],
  ['PENDING', 'pending'],
]);

/**
 * Stands for a policy file that is there and cannot be read as text (binary, too long, a folder): no valid policy, so that
 * it is reported and nothing is launched, where null would mean "no file: use the defaults".
 */
export const unreadablePolicyText = '\u0000';

/** The parts of a pull request that were read to their end, page by page. */
export interface PullRequestParts {
  readonly pullRequest: PullRequestNode;
  readonly headCommit: HeadCommitNode;
  readonly contexts: readonly ContextNode[];
  readonly suites: readonly SuiteNode[];
  readonly threads: readonly ThreadNode[];
}

/** GitHub's answer in our words. Pure; every value that GitHub may add later becomes `unknown`. */
export function toPullRequestFacts(parts: PullRequestParts): PullRequestFacts {
  const { pullRequest, headCommit, contexts, suites, threads } = parts;
  return {
    number: pullRequest.number,
    title: pullRequest.title,
    state: toState(pullRequest.state),
    draft: pullRequest.isDraft,
    fork: pullRequest.isCrossRepository,
    author: toActor(pullRequest.author),
    headSha: pullRequest.headRefOid,
    headRef: pullRequest.headRefName,
    baseRef: pullRequest.baseRefName,
    merge: toMergeState(pullRequest.mergeable, pullRequest.mergeStateStatus),
    autoMerge: pullRequest.autoMergeRequest !== null,
    inMergeQueue: pullRequest.isInMergeQueue,
    labels: (pullRequest.labels?.nodes ?? []).map(({ name }) => name),
    checks: [
      ...contexts.map((context) => toCheckResult(context, pullRequest.headRefOid)),
      ...toWorkflowResults(suites, pullRequest.headRefOid),
    ],
    threads: threads.map(toReviewThread),
    reviews: (pullRequest.reviews?.nodes ?? []).map(toReview),
    hasWorkflows: hasWorkflows(headCommit),
    ...toBaseFacts(pullRequest),
  };
}

/** `baseRefOid` is the base as of the last push to the head; the tip of the branch is what a merge would meet. */
function toBaseFacts({
  baseRef,
  baseRefOid,
}: PullRequestNode): Pick<PullRequestFacts, 'baseSha' | 'baseHasChecks' | 'policyText'> {
  const tip = baseRef?.target ?? null;
  if (tip === null) return { baseSha: baseRefOid, baseHasChecks: false, policyText: null };
  return {
    baseSha: tip.oid,
    baseHasChecks: (tip.statusCheckRollup?.contexts.totalCount ?? 0) > 0,
    policyText: toPolicyText(tip.file ?? null),
  };
}

/** An unknown state counts as closed: nothing is done for it. */
function toState(state: string): PullRequestFacts['state'] {
  if (state === 'OPEN') return 'open';
  return state === 'MERGED' ? 'merged' : 'closed';
}

function toMergeState(mergeable: string, mergeStateStatus: string): MergeState {
  if (mergeable === 'CONFLICTING') return 'conflict';
  if (mergeable !== 'MERGEABLE') return 'unknown';
  return mergeStateStatus === 'BEHIND' ? 'behind' : 'clean';
}

function toCheckResult(context: ContextNode, headSha: Sha): CheckResult {
  if (context.__typename === 'StatusContext') return toStatusResult(context, headSha);
  const { app, workflowRun } = context.checkSuite;
  const status = checkStatuses.get(context.status) ?? 'unknown';
  return {
    source: 'check_run',
    id: context.databaseId,
    appId: app?.databaseId ?? null,
    appSlug: app?.slug ?? null,
    name: context.name,
    event: workflowRun?.event ?? null,
    ...toWorkflow(workflowRun?.workflow.databaseId ?? null),
    headSha,
    status,
    conclusion: toConclusion(status, context.conclusion),
    startedAt: context.startedAt,
    completedAt: context.completedAt,
    detailsUrl: context.detailsUrl,
    // GraphQL tells no run attempt; a re-run shows as a new check run.
    runAttempt: null,
  };
}

function toWorkflow(id: number | null): Pick<CheckResult, 'workflow'> {
  return id === null ? {} : { workflow: String(id) };
}

/**
 * A workflow run counts by itself while it is not over (its later jobs do not exist yet, and the gap between two jobs would
 * read as green), and where it ended without any job: a start-up failure, or a run that nobody has approved (trap 11).
 */
function toWorkflowResults(suites: readonly SuiteNode[], headSha: Sha): readonly CheckResult[] {
  return suites.flatMap((suite) => {
    const { workflowRun, databaseId } = suite;
    if (workflowRun === null || databaseId === null) return [];
    const status = checkStatuses.get(suite.status) ?? 'unknown';
    if (status === 'completed' && (suite.checkRuns?.totalCount ?? 0) > 0) return [];
    return [
      {
        source: 'check_run' as const,
        id: databaseId,
        appId: suite.app?.databaseId ?? null,
        appSlug: null,
        name: workflowRun.workflow.name,
        event: workflowRun.event,
        ...toWorkflow(workflowRun.workflow.databaseId),
        headSha,
        status,
        conclusion: toConclusion(status, suite.conclusion),
        startedAt: suite.createdAt,
        completedAt: status === 'completed' ? suite.updatedAt : null,
        detailsUrl: null,
        runAttempt: null,
      },
    ];
  });
}

function toConclusion(status: CheckResult['status'], conclusion: string | null): CheckResult['conclusion'] {
  if (conclusion === null) return status === 'completed' ? 'unknown' : null;
  return checkConclusions.get(conclusion) ?? 'unknown';
}

function toStatusResult(context: Extract<ContextNode, { __typename: 'StatusContext' }>, headSha: Sha): CheckResult {
  const progress = statusStates.get(context.state) ?? { status: 'unknown', conclusion: null };
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

/** GraphQL names a status by its opaque node id only; 48 bits of its hash stand for it, equal for equal ids. */
function toStatusId(nodeId: string): number {
  return createHash('sha256').update(nodeId).digest().readUIntBE(0, 6);
}

function toReviewThread(thread: ThreadNode): ReviewThread {
  return {
    id: thread.id,
    path: thread.path,
    line: thread.line,
    isResolved: thread.isResolved,
    isOutdated: thread.isOutdated,
    comments: thread.comments.nodes.map((comment) => ({
      id: comment.fullDatabaseId,
      author: toActor(comment.author),
      body: comment.body,
      createdAt: comment.createdAt,
    })),
  };
}

function toReview(review: ReviewNode): Review {
  return {
    id: review.fullDatabaseId,
    author: toActor(review.author),
    state: reviewStates.get(review.state) ?? 'unknown',
    body: review.body,
    submittedAt: review.submittedAt,
    commitSha: review.commit?.oid ?? null,
  };
}

/** null for a deleted account, and for one without a number: it could not be compared. */
function toActor(actor: ActorNode): Actor | null {
  const id = actor?.databaseId ?? null;
  if (actor === null || id === null) return null;
  return { id, login: actor.login, kind: actor.__typename === 'User' ? 'user' : 'bot' };
}

function hasWorkflows(commit: HeadCommitNode): boolean {
  return (commit.file?.object?.entries ?? []).some(({ name }) => /\.ya?ml$/i.test(name));
}

function toPolicyText(file: PolicyFileNode): string | null {
  if (file === null) return null;
  const { object } = file;
  const isReadable = object?.__typename === 'Blob' && object.isBinary !== true && object.isTruncated !== true;
  return isReadable ? (object.text ?? unreadablePolicyText) : unreadablePolicyText;
}
