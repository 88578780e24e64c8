import { type MergeState, type PullRequestFacts, REVIEW_DECISIONS } from '../core/model/pull-request.ts';
import { toActor, toReview, toReviewThread } from '../core/reviews/to-review-facts.ts';
import type {
  CommentNode,
  ContextNode,
  HeadCommitNode,
  PullRequestNode,
  ReviewNode,
  SuiteNode,
  ThreadNode,
} from './pull-request-schema.ts';
import { toBranchRules } from './to-branch-rules.ts';
import { toCheckResults } from './to-check-results.ts';
import { type OwnedRepository, toHeadPolicy, toOrganizationPolicyText, toPolicyText } from './to-policy-text.ts';

/** A pull request whose lists were read to the last page. */
export interface PullRequestParts {
  readonly pullRequest: PullRequestNode;
  readonly owner: OwnedRepository;
  readonly canPush: boolean;
  readonly headCommit: HeadCommitNode;
  readonly contexts: readonly ContextNode[];
  readonly suites: readonly SuiteNode[];
  readonly threads: readonly ThreadNode[];
  readonly reviews: readonly ReviewNode[];
}

/** Maps GitHub's answer to our model. Pure. Any value that GitHub adds later becomes `unknown`. */
export function toPullRequestFacts(parts: PullRequestParts): PullRequestFacts {
  const { pullRequest, headCommit, contexts, suites, threads, reviews } = parts;
  const merge = toMergeState(pullRequest.mergeable, pullRequest.mergeStateStatus);
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
    merge,
    isBlocked: pullRequest.mergeStateStatus === 'BLOCKED',
    autoMerge: pullRequest.autoMergeRequest !== null,
    inMergeQueue: pullRequest.isInMergeQueue,
    queueFailure: pullRequest.isInMergeQueue ? null : toQueueFailure(pullRequest.timelineItems),
    labels: (pullRequest.labels?.nodes ?? []).map(({ name }) => name),
    checks: toCheckResults({ contexts, suites }, pullRequest.headRefOid),
    threads: toReviewThreads(threads),
    reviews: reviews.map(toReview),
    reviewDecision: toReviewDecision(pullRequest.reviewDecision),
    hasWorkflows: hasWorkflows(headCommit),
    ...toBaseFacts(pullRequest),
    ...toHeadPolicy(headCommit),
    organizationPolicyText: toOrganizationPolicyText(parts.owner),
    rules: toBranchRules({
      // The fork's rules govern a fork's branch, and Ratchet does not push to it.
      head: pullRequest.isCrossRepository ? null : pullRequest.headRef,
      base: pullRequest.baseRef,
      canPush: parts.canPush,
      isConflicted: merge === 'conflict',
      isBehind: pullRequest.mergeStateStatus === 'BEHIND',
    }),
    headParents: headCommit.parents.nodes.map(({ oid }) => oid),
    beside: toBeside(pullRequest),
  };
}

/** A branch of a fork has other pull requests than the branch of that name here. */
function toBeside({ number, isCrossRepository, headRef }: PullRequestNode): readonly number[] {
  if (isCrossRepository || headRef === null) return [];
  const others = headRef.associatedPullRequests.nodes.filter((other) => !other.isCrossRepository);
  return others.map((other) => other.number).filter((other) => other !== number);
}

/** `baseRefOid` is the base at the last push to the head. A merge would use the tip of the base branch. */
function toBaseFacts({
  baseRef,
  baseRefOid,
}: PullRequestNode): Pick<PullRequestFacts, 'baseSha' | 'baseHasChecks' | 'policyText'> {
  const tip = baseRef?.target ?? null;
  if (tip === null) return { baseSha: baseRefOid, baseHasChecks: false, policyText: null };
  return {
    baseSha: tip.oid,
    baseHasChecks: (tip.statusCheckRollup?.contexts.totalCount ?? 0) > 0,
    policyText: toPolicyText(tip),
  };
}

/** Reasons for leaving the merge queue that say nothing about the merge result. A push in the queue has no known reason. */
const HARMLESS_REMOVAL = /^(?:manual|merged?|already_merged|queue_cleared|roll_?back|unknown(?:_removal_reason)?|)$/iu;

/** The reason, if leaving the merge queue was the newest of queueing and pushing. Any unknown one counts as a failure. */
function toQueueFailure({ nodes }: PullRequestNode['timelineItems']): string | null {
  const newest = nodes?.at(-1);
  if (newest?.__typename !== 'RemovedFromMergeQueueEvent') return null;
  const reason = (newest.reason ?? '').trim();
  return HARMLESS_REMOVAL.test(reason) ? null : reason;
}

/** An unknown state counts as closed, so nothing is done. */
function toState(state: string): PullRequestFacts['state'] {
  if (state === 'OPEN') return 'open';
  return state === 'MERGED' ? 'merged' : 'closed';
}

function toMergeState(mergeable: string, mergeStateStatus: string): MergeState {
  if (mergeable === 'CONFLICTING') return 'conflict';
  if (mergeable !== 'MERGEABLE') return 'unknown';
  return mergeStateStatus === 'BEHIND' ? 'behind' : 'clean';
}

/** A value that GitHub adds later says nothing. */
function toReviewDecision(decision: string | null): PullRequestFacts['reviewDecision'] {
  return REVIEW_DECISIONS.find((known) => known.toUpperCase() === decision) ?? null;
}

/** Review threads in our words. */
export function toReviewThreads(threads: readonly ThreadNode[]): PullRequestFacts['threads'] {
  return threads.map((thread) => {
    const comments = toThreadComments(thread);
    return toReviewThread({ ...thread, comments, isPartial: comments.length < thread.comments.totalCount });
  });
}

/** The newest comments of a long thread and the one that opened it, which shows whose thread it is (trap 101). */
function toThreadComments({ opening, comments }: ThreadNode): readonly CommentNode[] {
  const known = new Set(opening.nodes.map(({ fullDatabaseId }) => fullDatabaseId));
  return [...opening.nodes, ...comments.nodes.filter(({ fullDatabaseId }) => !known.has(fullDatabaseId))];
}

function hasWorkflows(commit: HeadCommitNode): boolean {
  return (commit.file?.object?.entries ?? []).some(({ name }) => /\.ya?ml$/i.test(name));
}
