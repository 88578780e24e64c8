import { ofPull, rowOf } from '../find.ts';
import type { JsonObject } from '../json.ts';
import { pullOf, renderReview, renderReviewComment, renderThread } from '../render/conversation.ts';
import { renderPull } from '../render/pulls.ts';
import type { Pull, Review, ReviewComment, ReviewThread, SubmittedReviewState } from '../state.ts';
import { emit } from '../webhooks/emit.ts';
import type { WorldContext } from '../world-context.ts';
import type { Remark } from './change-conversation.ts';
import { readPullTips } from './read-pull-code.ts';

/** A comment on a line of the diff. */
export type LineRemark = { readonly path: string; readonly line: number; readonly body: string };

/** A review to start. Each comment opens a thread. */
export type NewReview = Remark & { readonly comments: readonly LineRemark[] };

/** A webhook about a review or one of its comments. */
type ReviewEvent<Action extends string> = {
  readonly action: Action;
  readonly senderLogin: string;
  readonly extra?: JsonObject;
};

async function emitReview(
  world: WorldContext,
  review: Review,
  event: ReviewEvent<'submitted' | 'edited' | 'dismissed'>,
): Promise<void> {
  const rendered = renderReview(world, review);
  emit(world, {
    event: 'pull_request_review',
    action: event.action,
    repositoryId: review.repositoryId,
    senderLogin: event.senderLogin,
    body: {
      // The state is upper case in REST and lower case in webhooks.
      review: { ...rendered, state: review.state.toLowerCase() },
      pull_request: await renderPull(world, pullOf(world, review)),
      ...event.extra,
    },
  });
}

async function emitReviewComment(
  world: WorldContext,
  comment: ReviewComment,
  event: ReviewEvent<'created' | 'edited'>,
): Promise<void> {
  emit(world, {
    event: 'pull_request_review_comment',
    action: event.action,
    repositoryId: comment.repositoryId,
    senderLogin: event.senderLogin,
    body: {
      comment: await renderReviewComment(world, comment),
      pull_request: await renderPull(world, pullOf(world, comment)),
      ...event.extra,
    },
  });
}

/** The account's only pending review on a pull request, or null. */
export function pendingReviewOf(world: WorldContext, pull: Pull, login: string): Review | null {
  const own = ofPull(world.state.reviews, pull).filter((review) => review.authorLogin === login);
  return own.find((review) => review.state === 'PENDING') ?? null;
}

/** Starts a pending review. The caller makes sure that the account has none yet. */
export async function startReview(world: WorldContext, pull: Pull, request: NewReview): Promise<Review> {
  const { headSha } = await readPullTips(world, pull);
  const at = world.now();
  const review: Review = {
    id: world.nextId(),
    repositoryId: pull.repositoryId,
    number: pull.number,
    authorLogin: request.login,
    body: request.body,
    state: 'PENDING',
    commitSha: headSha,
    createdAt: at,
    updatedAt: at,
    lastEditedAt: null,
    submittedAt: null,
  };
  world.state.reviews.set(review.id, review);
  for (const remark of request.comments) openThread(world, review, remark);
  world.changed();
  return review;
}

/** Submits a pending review. Everyone now sees it and its comments. `body` replaces its text unless null. */
export async function submitReview(
  world: WorldContext,
  pending: Review,
  verdict: { readonly state: SubmittedReviewState; readonly body: string | null },
): Promise<Review> {
  const at = world.now();
  const body = verdict.body ?? pending.body;
  const review: Review = { ...pending, body, state: verdict.state, updatedAt: at, submittedAt: at };
  world.state.reviews.set(review.id, review);
  const senderLogin = review.authorLogin;
  await emitReview(world, review, { action: 'submitted', senderLogin });
  for (const comment of commentsOf(world, review)) {
    await emitReviewComment(world, comment, { action: 'created', senderLogin });
  }
  return review;
}

/** Starts and submits a review. */
export async function addReview(
  world: WorldContext,
  pull: Pull,
  request: NewReview & { readonly state: SubmittedReviewState },
): Promise<Review> {
  return await submitReview(world, await startReview(world, pull, request), { state: request.state, body: null });
}

/** Deletes a pending review, its comments, and the threads that are then empty. Sends no webhook. */
export function deletePendingReview(world: WorldContext, review: Review): void {
  const { state } = world;
  for (const comment of commentsOf(world, review)) state.reviewComments.delete(comment.id);
  state.reviews.delete(review.id);
  const used = new Set([...state.reviewComments.values()].map((comment) => comment.threadId));
  for (const id of [...state.reviewThreads.keys()]) if (!used.has(id)) state.reviewThreads.delete(id);
  world.changed();
}

/** The comments of a review, oldest first. */
export function commentsOf(world: WorldContext, review: Review): readonly ReviewComment[] {
  return [...world.state.reviewComments.values()].filter((comment) => comment.reviewId === review.id);
}

function openThread(world: WorldContext, review: Review, remark: LineRemark): void {
  const thread: ReviewThread = {
    id: world.nextId(),
    repositoryId: review.repositoryId,
    number: review.number,
    path: remark.path,
    line: remark.line,
    commitSha: review.commitSha,
    resolvedByLogin: null,
  };
  world.state.reviewThreads.set(thread.id, thread);
  storeComment(world, thread, review, { login: review.authorLogin, body: remark.body });
}

function storeComment(world: WorldContext, thread: ReviewThread, review: Review, remark: Remark): ReviewComment {
  const first = world.state.reviewComments.values().find((row) => row.threadId === thread.id);
  const at = world.now();
  const comment: ReviewComment = {
    id: world.nextId(),
    repositoryId: thread.repositoryId,
    number: thread.number,
    threadId: thread.id,
    reviewId: review.id,
    inReplyToId: first?.id ?? null,
    authorLogin: remark.login,
    body: remark.body,
    createdAt: at,
    updatedAt: at,
    lastEditedAt: null,
  };
  world.state.reviewComments.set(comment.id, comment);
  return comment;
}

/**
 * Replies in a review thread. The reply joins the account's pending review if there is one, and stays hidden with it.
 * Otherwise GitHub creates a review for it and submits that at once.
 */
export async function addReply(world: WorldContext, thread: ReviewThread, remark: Remark): Promise<ReviewComment> {
  const pull = pullOf(world, thread);
  const pending = pendingReviewOf(world, pull, remark.login);
  if (pending !== null) {
    const comment = storeComment(world, thread, pending, remark);
    world.changed();
    return comment;
  }
  const review = await startReview(world, pull, { login: remark.login, body: '', comments: [] });
  const comment = storeComment(world, thread, review, remark);
  await submitReview(world, review, { state: 'COMMENTED', body: null });
  return comment;
}

/** Changes the text of a review comment. */
export async function changeReviewComment(
  world: WorldContext,
  comment: ReviewComment,
  remark: Remark,
): Promise<ReviewComment> {
  const at = world.now();
  const changed: ReviewComment = { ...comment, body: remark.body, updatedAt: at, lastEditedAt: at };
  world.state.reviewComments.set(comment.id, changed);
  const extra = { changes: { body: { from: comment.body } } };
  await emitReviewComment(world, changed, { action: 'edited', senderLogin: remark.login, extra });
  return changed;
}

export async function dismissReview(world: WorldContext, review: Review, senderLogin: string): Promise<Review> {
  const dismissed: Review = { ...review, state: 'DISMISSED', updatedAt: world.now() };
  world.state.reviews.set(review.id, dismissed);
  await emitReview(world, dismissed, { action: 'dismissed', senderLogin });
  return dismissed;
}

/** Changes the text of a review. */
export async function editReview(world: WorldContext, review: Review, remark: Remark): Promise<Review> {
  const at = world.now();
  const edited: Review = { ...review, body: remark.body, updatedAt: at, lastEditedAt: at };
  world.state.reviews.set(review.id, edited);
  const extra = { changes: { body: { from: review.body } } };
  await emitReview(world, edited, { action: 'edited', senderLogin: remark.login, extra });
  return edited;
}

/** Dismisses all approvals of a pull request. */
export async function dismissApprovals(world: WorldContext, pull: Pull, senderLogin: string): Promise<void> {
  const approvals = ofPull(world.state.reviews, pull).filter((review) => review.state === 'APPROVED');
  for (const approval of approvals) await dismissReview(world, approval, senderLogin);
}

/** Resolves or unresolves a thread. No-op if nothing changes. */
export async function setThreadResolved(
  world: WorldContext,
  thread: ReviewThread,
  isResolved: boolean,
  login: string,
): Promise<ReviewThread> {
  const known = rowOf(world.state.reviewThreads, thread.id);
  if ((known.resolvedByLogin !== null) === isResolved) return known;
  const changed = { ...known, resolvedByLogin: isResolved ? login : null };
  world.state.reviewThreads.set(thread.id, changed);
  emit(world, {
    event: 'pull_request_review_thread',
    action: isResolved ? 'resolved' : 'unresolved',
    repositoryId: thread.repositoryId,
    senderLogin: login,
    body: {
      thread: await renderThread(world, changed),
      pull_request: await renderPull(world, pullOf(world, thread)),
    },
  });
  return changed;
}
