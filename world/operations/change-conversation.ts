import { rowOf } from '../find.ts';
import type { JsonObject } from '../json.ts';
import { pullOf, renderIssueComment, renderReview, renderReviewComment, renderThread } from '../render/conversation.ts';
import { renderPull, renderPullAsIssue } from '../render/pulls.ts';
import type { IssueComment, Pull, Reaction, Review, ReviewComment, ReviewState, ReviewThread } from '../state.ts';
import { emit } from '../webhooks/emit.ts';
import type { WorldContext } from '../world-context.ts';
import { readPullTips } from './read-pull-code.ts';

/** Who says what. */
export type Remark = { readonly login: string; readonly body: string };

/** A comment on a line of the diff. */
export type LineRemark = { readonly path: string; readonly line: number; readonly body: string };

function emitIssueComment(
  world: WorldContext,
  comment: IssueComment,
  event: {
    readonly action: 'created' | 'edited' | 'deleted';
    readonly senderLogin: string;
    readonly extra?: JsonObject;
  },
): void {
  emit(world, {
    event: 'issue_comment',
    action: event.action,
    repositoryId: comment.repositoryId,
    senderLogin: event.senderLogin,
    body: {
      issue: renderPullAsIssue(world, pullOf(world, comment)),
      comment: renderIssueComment(world, comment),
      ...event.extra,
    },
  });
}

/** Adds a comment to the conversation. */
export function addComment(world: WorldContext, pull: Pull, remark: Remark): IssueComment {
  const at = world.now();
  const comment: IssueComment = {
    id: world.nextId(),
    repositoryId: pull.repositoryId,
    number: pull.number,
    authorLogin: remark.login,
    body: remark.body,
    createdAt: at,
    updatedAt: at,
  };
  world.state.issueComments.set(comment.id, comment);
  emitIssueComment(world, comment, { action: 'created', senderLogin: remark.login });
  return comment;
}

/** Changes the text of a comment. */
export function changeComment(world: WorldContext, comment: IssueComment, remark: Remark): IssueComment {
  const changed = { ...comment, body: remark.body, updatedAt: world.now() };
  world.state.issueComments.set(comment.id, changed);
  const extra = { changes: { body: { from: comment.body } } };
  emitIssueComment(world, changed, { action: 'edited', senderLogin: remark.login, extra });
  return changed;
}

/** Removes a comment. */
export function removeComment(world: WorldContext, comment: IssueComment, login: string): void {
  world.state.issueComments.delete(comment.id);
  emitIssueComment(world, comment, { action: 'deleted', senderLogin: login });
}

/** Adds a reaction; the same one twice by one user is one reaction, and `isNew` is false. */
export function addReaction(
  world: WorldContext,
  reaction: Pick<Reaction, 'subject' | 'subjectId' | 'content' | 'login'>,
): { readonly reaction: Reaction; readonly isNew: boolean } {
  const known = world.state.reactions.values().find((row) => {
    const isSameSubject = row.subject === reaction.subject && row.subjectId === reaction.subjectId;
    return isSameSubject && row.content === reaction.content && row.login === reaction.login;
  });
  if (known !== undefined) return { reaction: known, isNew: false };
  const added: Reaction = { ...reaction, id: world.nextId(), createdAt: world.now() };
  world.state.reactions.set(added.id, added);
  world.changed();
  return { reaction: added, isNew: true };
}

async function emitReview(
  world: WorldContext,
  review: Review,
  event: {
    readonly action: 'submitted' | 'edited' | 'dismissed';
    readonly senderLogin: string;
    readonly extra?: JsonObject;
  },
): Promise<void> {
  const rendered = renderReview(world, review);
  emit(world, {
    event: 'pull_request_review',
    action: event.action,
    repositoryId: review.repositoryId,
    senderLogin: event.senderLogin,
    body: {
      // REST has the state in capitals, webhooks have it in small letters.
      review: { ...rendered, state: review.state.toLowerCase() },
      pull_request: await renderPull(world, pullOf(world, review)),
      ...event.extra,
    },
  });
}

/** Submits a review with comments on lines; each comment opens a thread. */
export async function addReview(
  world: WorldContext,
  pull: Pull,
  request: Remark & { readonly state: ReviewState; readonly comments: readonly LineRemark[] },
): Promise<Review> {
  const { headSha } = await readPullTips(world, pull);
  const review: Review = {
    id: world.nextId(),
    repositoryId: pull.repositoryId,
    number: pull.number,
    authorLogin: request.login,
    body: request.body,
    state: request.state,
    commitSha: headSha,
    submittedAt: world.now(),
  };
  world.state.reviews.set(review.id, review);
  const comments = request.comments.map((remark) => storeThread(world, review, remark));
  await emitReview(world, review, { action: 'submitted', senderLogin: request.login });
  for (const comment of comments) await emitReviewComment(world, comment);
  return review;
}

function storeThread(world: WorldContext, review: Review, remark: LineRemark): ReviewComment {
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
  return storeReviewComment(
    world,
    thread,
    { reviewId: review.id, inReplyToId: null },
    { login: review.authorLogin, body: remark.body },
  );
}

function storeReviewComment(
  world: WorldContext,
  thread: ReviewThread,
  place: { readonly reviewId: number; readonly inReplyToId: number | null },
  remark: Remark,
): ReviewComment {
  const at = world.now();
  const comment: ReviewComment = {
    ...place,
    id: world.nextId(),
    repositoryId: thread.repositoryId,
    number: thread.number,
    threadId: thread.id,
    authorLogin: remark.login,
    body: remark.body,
    createdAt: at,
    updatedAt: at,
  };
  world.state.reviewComments.set(comment.id, comment);
  return comment;
}

async function emitReviewComment(world: WorldContext, comment: ReviewComment): Promise<void> {
  emit(world, {
    event: 'pull_request_review_comment',
    action: 'created',
    repositoryId: comment.repositoryId,
    senderLogin: comment.authorLogin,
    body: {
      comment: await renderReviewComment(world, comment),
      pull_request: await renderPull(world, pullOf(world, comment)),
    },
  });
}

/** Answers in a review thread. GitHub wraps every answer in a review of its own. */
export async function addReply(world: WorldContext, thread: ReviewThread, remark: Remark): Promise<ReviewComment> {
  const first = world.state.reviewComments.values().find((row) => row.threadId === thread.id);
  const review: Review = {
    id: world.nextId(),
    repositoryId: thread.repositoryId,
    number: thread.number,
    authorLogin: remark.login,
    body: '',
    state: 'COMMENTED',
    commitSha: (await readPullTips(world, pullOf(world, thread))).headSha,
    submittedAt: world.now(),
  };
  world.state.reviews.set(review.id, review);
  const place = { reviewId: review.id, inReplyToId: first?.id ?? null };
  const comment = storeReviewComment(world, thread, place, remark);
  await emitReview(world, review, { action: 'submitted', senderLogin: remark.login });
  await emitReviewComment(world, comment);
  return comment;
}

/** Dismisses a review, or changes its text. */
export async function changeReview(
  world: WorldContext,
  review: Review,
  change: { readonly kind: 'dismiss' } | { readonly kind: 'edit'; readonly body: string },
  senderLogin: string,
): Promise<Review> {
  const isDismissal = change.kind === 'dismiss';
  const changed: Review = isDismissal ? { ...review, state: 'DISMISSED' } : { ...review, body: change.body };
  world.state.reviews.set(review.id, changed);
  const extra = isDismissal ? {} : { changes: { body: { from: review.body } } };
  await emitReview(world, changed, { action: isDismissal ? 'dismissed' : 'edited', senderLogin, extra });
  return changed;
}

/** Resolves a thread, or opens it again. */
export async function setThreadResolved(
  world: WorldContext,
  thread: ReviewThread,
  isResolved: boolean,
  login: string,
): Promise<ReviewThread> {
  const changed = { ...rowOf(world.state.reviewThreads, thread.id), resolvedByLogin: isResolved ? login : null };
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
