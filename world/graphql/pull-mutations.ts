import { changePull } from '../operations/change-pulls.ts';
import {
  addReply,
  addReview,
  commentsOf,
  deletePendingReview,
  type LineRemark,
  pendingReviewOf,
  setThreadResolved,
  startReview,
  submitReview,
} from '../operations/change-reviews.ts';
import { problemOfReview } from '../operations/review-rules.ts';
import { pullOf } from '../render/conversation.ts';
import { threadCommentsSeenBy } from '../seen-by.ts';
import type { Pull, Review, ReviewThread, SubmittedReviewState } from '../state.ts';
import { demand, type GraphContext, hasAccess, repositoryOf, viewerOf } from './access.ts';
import { actorNode } from './actor-node.ts';
import { type FieldArguments, graphError, noNode, numberArgument, objectsArgument, stringArgument } from './node.ts';
import { pullNode } from './pull-node.ts';
import { reviewCommentNode, reviewNode, threadNode } from './thread-node.ts';

const STATES: Readonly<Record<string, SubmittedReviewState>> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
};

type Mutation = (context: GraphContext, input: FieldArguments) => Promise<object>;

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  addPullRequestReview,
  submitPullRequestReview,
  deletePullRequestReview,
  addPullRequestReviewThreadReply,
  resolveReviewThread: async (context, input) => await setResolved(context, input, true),
  unresolveReviewThread: async (context, input) => await setResolved(context, input, false),
  disablePullRequestAutoMerge,
};

/** Mutations on pull requests, reviews and threads, as fields of the root. */
export function pullMutations(context: GraphContext): Readonly<Record<string, unknown>> {
  const entries = Object.entries(MUTATIONS).map(([name, mutate]) => {
    const field = async ({ input }: FieldArguments): Promise<object> => {
      const fields: FieldArguments = typeof input === 'object' && input !== null ? { ...input } : {};
      return { clientMutationId: stringArgument(fields, 'clientMutationId'), ...(await mutate(context, fields)) };
    };
    return [name, field] as const;
  });
  return Object.fromEntries(entries);
}

function toKey(id: string, prefix: string): number {
  return id.startsWith(`${prefix}_`) ? Number(id.slice(prefix.length + 1)) : Number.NaN;
}

/** Returns the row. NOT_FOUND if it is hidden from the caller, FORBIDDEN without write permission. */
function requireRow<T extends { readonly repositoryId: number }>(
  context: GraphContext,
  row: T | undefined,
  id: string,
): T {
  if (row === undefined || !hasAccess(context, repositoryOf(context, row), 'metadata')) throw noNode(id);
  demand(context, repositoryOf(context, row), 'pull_requests', 'write');
  return row;
}

function requirePull(context: GraphContext, id: string): Pull {
  return requireRow(context, context.world.state.pulls.get(toKey(id, 'PR')), id);
}

function requireThread(context: GraphContext, id: string): ReviewThread {
  const { state } = context.world;
  const thread = requireRow(context, state.reviewThreads.get(toKey(id, 'PRRT')), id);
  if (threadCommentsSeenBy(state, thread, viewerOf(context)).length === 0) throw noNode(id);
  return thread;
}

function requireReview(context: GraphContext, id: string): Review {
  const review = requireRow(context, context.world.state.reviews.get(toKey(id, 'PRR')), id);
  if (review.state === 'PENDING' && review.authorLogin !== viewerOf(context)) throw noNode(id);
  return review;
}

/** The new threads of a review. GitHub has retired `comments`, which use line positions in the diff. */
function threadsOf(input: FieldArguments): readonly LineRemark[] {
  if (objectsArgument(input, 'comments').length > 0) {
    throw graphError('UNPROCESSABLE', 'The world serves `threads`, not the retired `comments`');
  }
  return objectsArgument(input, 'threads').map((thread) => ({
    path: stringArgument(thread, 'path') ?? '',
    line: numberArgument(thread, 'line') ?? 1,
    body: stringArgument(thread, 'body') ?? '',
  }));
}

async function addPullRequestReview(context: GraphContext, input: FieldArguments): Promise<object> {
  const { world } = context;
  const pull = requirePull(context, stringArgument(input, 'pullRequestId') ?? '');
  const request = {
    login: viewerOf(context),
    body: stringArgument(input, 'body') ?? '',
    comments: threadsOf(input),
  };
  const state = STATES[stringArgument(input, 'event') ?? ''] ?? null;
  const attempt = { ...request, state, commentCount: request.comments.length, pending: null };
  const problem = problemOfReview(world, pull, attempt);
  if (problem !== null) throw graphError('UNPROCESSABLE', problem);
  const review =
    state === null ? await startReview(world, pull, request) : await addReview(world, pull, { ...request, state });
  return reviewPayload(context, review);
}

function reviewPayload(context: GraphContext, review: Review): object {
  const node = reviewNode(context, review);
  return { pullRequestReview: node, reviewEdge: { __typename: 'PullRequestReviewEdge', cursor: node['id'], node } };
}

/** The review with the given id. With a pull request's id, the caller's own pending review there. */
function findReviewToSubmit(context: GraphContext, input: FieldArguments): Review {
  const reviewId = stringArgument(input, 'pullRequestReviewId');
  if (reviewId !== null) return requireReview(context, reviewId);
  const pullId = stringArgument(input, 'pullRequestId') ?? '';
  const review = pendingReviewOf(context.world, requirePull(context, pullId), viewerOf(context));
  if (review === null) throw graphError('UNPROCESSABLE', 'Viewer does not have a pending review on this pull request');
  return review;
}

async function submitPullRequestReview(context: GraphContext, input: FieldArguments): Promise<object> {
  const { world } = context;
  const review = findReviewToSubmit(context, input);
  const state = STATES[stringArgument(input, 'event') ?? ''];
  if (review.state !== 'PENDING') throw graphError('UNPROCESSABLE', 'Review has already been submitted.');
  if (state === undefined) throw graphError('UNPROCESSABLE', 'Can not dismiss a pending review');
  const body = stringArgument(input, 'body');
  const login = viewerOf(context);
  const commentCount = commentsOf(world, review).length;
  const attempt = { login, body: body ?? review.body, state, commentCount, pending: review };
  const problem = problemOfReview(world, pullOf(world, review), attempt);
  if (problem !== null) throw graphError('UNPROCESSABLE', problem);
  const submitted = await submitReview(world, review, { state, body });
  const pullRequest = async (): Promise<object> => await pullNode(context, pullOf(world, submitted));
  return { pullRequestReview: { ...reviewNode(context, submitted), pullRequest } };
}

async function deletePullRequestReview(context: GraphContext, input: FieldArguments): Promise<object> {
  const review = requireReview(context, stringArgument(input, 'pullRequestReviewId') ?? '');
  if (review.state !== 'PENDING') {
    throw graphError('UNPROCESSABLE', 'Can not delete a non-pending pull request review');
  }
  deletePendingReview(context.world, review);
  return await Promise.resolve({ pullRequestReview: reviewNode(context, review) });
}

async function addPullRequestReviewThreadReply(context: GraphContext, input: FieldArguments): Promise<object> {
  const { world } = context;
  const thread = requireThread(context, stringArgument(input, 'pullRequestReviewThreadId') ?? '');
  const reviewId = stringArgument(input, 'pullRequestReviewId');
  if (reviewId !== null) requireOwnPending(context, requireReview(context, reviewId), thread);
  const body = stringArgument(input, 'body') ?? '';
  if (body.trim() === '') throw graphError('UNPROCESSABLE', "Body can't be blank");
  const comment = await addReply(world, thread, { login: viewerOf(context), body });
  return { comment: reviewCommentNode(context, comment) };
}

/** A reply joins the caller's only pending review on the pull request, so the given review must be that one. */
function requireOwnPending(context: GraphContext, review: Review, thread: ReviewThread): void {
  if (review.state !== 'PENDING') throw graphError('UNPROCESSABLE', 'Review has already been submitted.');
  const pending = pendingReviewOf(context.world, pullOf(context.world, thread), viewerOf(context));
  if (pending?.id !== review.id) {
    throw graphError('UNPROCESSABLE', 'The review is not on the pull request of the thread');
  }
}

/** To resolve, an App needs `contents: write` besides `pull_requests`; a user needs write permission. */
async function setResolved(context: GraphContext, input: FieldArguments, isResolved: boolean): Promise<object> {
  const thread = requireThread(context, stringArgument(input, 'threadId') ?? '');
  demand(context, repositoryOf(context, thread), 'contents', 'write');
  return { thread: threadNode(context, await setThreadResolved(context.world, thread, isResolved, viewerOf(context))) };
}

async function disablePullRequestAutoMerge(context: GraphContext, input: FieldArguments): Promise<object> {
  const pull = requirePull(context, stringArgument(input, 'pullRequestId') ?? '');
  if (pull.autoMerge === null) throw graphError('UNPROCESSABLE', 'Auto merge is not enabled for this pull request.');
  const senderLogin = viewerOf(context);
  const event = { action: 'auto_merge_disabled', senderLogin, extra: { reason: 'Auto-merge was disabled' } };
  const changed = await changePull(context.world, pull, { autoMerge: null }, event);
  return { actor: actorNode(context, senderLogin), pullRequest: await pullNode(context, changed) };
}
