import { loginOf } from '../auth/caller.ts';
import { ofPull, rowOf } from '../find.ts';
import { type JsonObject, numberAt, objectsAt, stringAt } from '../json.ts';
import { addReply, addReview, commentsOf, pendingReviewOf, startReview } from '../operations/change-reviews.ts';
import { problemOfReview } from '../operations/review-rules.ts';
import { renderReview, renderReviewComment } from '../render/conversation.ts';
import { isPending, isSeenBy, reviewsSeenBy } from '../seen-by.ts';
import type { Repository, SubmittedReviewState } from '../state.ts';
import { pullParam } from './pull-routes.ts';
import {
  created,
  failure,
  list,
  notFound,
  numberParam,
  ok,
  type Reply,
  type RestRequest,
  reading,
  writing,
} from './route.ts';

const STATES: Readonly<Record<string, SubmittedReviewState>> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
};

/** Reviews and review comments. */
export const REVIEW_ROUTES = [
  reading('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews', 'pull_requests', async (request, repository) => {
    const pull = pullParam(request, repository);
    if (pull === null) return notFound();
    const rows = reviewsSeenBy(request.world.state, pull, viewerOf(request));
    return await list(request, rows, (row) => renderReview(request.world, row));
  }),
  writing('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews', 'pull_requests', createReview),
  reading('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', 'pull_requests', async (request, repository) => {
    const pull = pullParam(request, repository);
    if (pull === null) return notFound();
    const { state } = request.world;
    const rows = ofPull(state.reviewComments, pull).filter((row) => !isPending(state, row));
    return await list(request, rows, async (row) => await renderReviewComment(request.world, row));
  }),
  reading(
    'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments',
    'pull_requests',
    async (request, repository) => {
      const pull = pullParam(request, repository);
      if (pull === null) return notFound();
      const { world } = request;
      const reviewId = numberParam(request, 'review_id');
      const review = reviewsSeenBy(world.state, pull, viewerOf(request)).find((row) => row.id === reviewId);
      const rows = review === undefined ? [] : commentsOf(world, review);
      return await list(request, rows, async (row) => await renderReviewComment(request.world, row));
    },
  ),
  reading('GET /repos/{owner}/{repo}/pulls/comments/{comment_id}', 'pull_requests', async (request, repository) => {
    const comment = request.world.state.reviewComments.get(numberParam(request, 'comment_id'));
    if (comment?.repositoryId !== repository.id) return notFound();
    if (!isSeenBy(request.world.state, comment, viewerOf(request))) return notFound();
    return ok(await renderReviewComment(request.world, comment));
  }),
  writing('POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies', 'pull_requests', reply),
] as const;

function viewerOf(request: RestRequest): string | null {
  const { world, caller } = request;
  return caller.kind === 'installation' || caller.kind === 'user' ? loginOf(world, caller) : null;
}

/** Creates a review. Without an `event` it stays pending. */
async function createReview(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world, caller, body } = request;
  const pull = pullParam(request, repository);
  if (pull === null) return notFound();
  const state = STATES[stringAt(body, 'event') ?? ''] ?? null;
  const comments = objectsAt(body, 'comments').map((comment) => ({
    path: stringAt(comment, 'path') ?? '',
    line: numberAt(comment, 'line') ?? numberAt(comment, 'position') ?? 1,
    body: stringAt(comment, 'body') ?? '',
  }));
  const review = { login: loginOf(world, caller), body: stringAt(body, 'body') ?? '', comments };
  const problem = problemOfReview(world, pull, { ...review, state, commentCount: comments.length, pending: null });
  if (problem !== null) return { ...failure(422, 'Unprocessable Entity'), body: unprocessable(problem) };
  const added =
    state === null ? await startReview(world, pull, review) : await addReview(world, pull, { ...review, state });
  return ok(renderReview(world, added));
}

function unprocessable(problem: string): JsonObject {
  const url = 'https://docs.github.com/rest/pulls/reviews#create-a-review-for-a-pull-request';
  return { message: 'Unprocessable Entity', errors: [problem], documentation_url: url, status: '422' };
}

async function reply(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world, caller } = request;
  const pull = pullParam(request, repository);
  const comment = world.state.reviewComments.get(numberParam(request, 'comment_id'));
  if (pull === null || comment?.repositoryId !== repository.id || comment.number !== pull.number) return notFound();
  const login = loginOf(world, caller);
  if (!isSeenBy(world.state, comment, login)) return notFound();
  // GraphQL adds the reply to the pending review instead.
  if (pendingReviewOf(world, pull, login) !== null) {
    return failure(422, 'user_id can only have one pending review per pull request');
  }
  const thread = rowOf(world.state.reviewThreads, comment.threadId);
  const remark = { login, body: stringAt(request.body, 'body') ?? '' };
  return created(await renderReviewComment(world, await addReply(world, thread, remark)));
}
