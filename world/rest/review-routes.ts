import { loginOf } from '../auth/caller.ts';
import { ofPull, rowOf } from '../find.ts';
import { numberAt, objectsAt, stringAt } from '../json.ts';
import { addReply, addReview } from '../operations/change-conversation.ts';
import { renderReview, renderReviewComment } from '../render/conversation.ts';
import type { Repository, ReviewState } from '../state.ts';
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

const STATES: Readonly<Record<string, ReviewState>> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
};

/** Reviews and their comments on lines. */
export const REVIEW_ROUTES = [
  reading('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews', 'pull_requests', async (request, repository) => {
    const pull = pullParam(request, repository);
    if (pull === null) return notFound();
    const rows = ofPull(request.world.state.reviews, pull);
    return await list(request, rows, (row) => renderReview(request.world, row));
  }),
  writing('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews', 'pull_requests', createReview),
  reading('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', 'pull_requests', async (request, repository) => {
    const pull = pullParam(request, repository);
    if (pull === null) return notFound();
    const rows = ofPull(request.world.state.reviewComments, pull);
    return await list(request, rows, async (row) => await renderReviewComment(request.world, row));
  }),
  reading(
    'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments',
    'pull_requests',
    async (request, repository) => {
      const pull = pullParam(request, repository);
      if (pull === null) return notFound();
      const reviewId = numberParam(request, 'review_id');
      const rows = ofPull(request.world.state.reviewComments, pull).filter((row) => row.reviewId === reviewId);
      return await list(request, rows, async (row) => await renderReviewComment(request.world, row));
    },
  ),
  reading('GET /repos/{owner}/{repo}/pulls/comments/{comment_id}', 'pull_requests', async (request, repository) => {
    const comment = request.world.state.reviewComments.get(numberParam(request, 'comment_id'));
    if (comment?.repositoryId !== repository.id) return notFound();
    return ok(await renderReviewComment(request.world, comment));
  }),
  writing('POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies', 'pull_requests', reply),
] as const;

async function createReview(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world, caller, body } = request;
  const pull = pullParam(request, repository);
  if (pull === null) return notFound();
  const state = STATES[stringAt(body, 'event') ?? 'COMMENT'] ?? 'COMMENTED';
  const login = loginOf(world, caller);
  if (login === pull.authorLogin && state !== 'COMMENTED') return failure(422, 'Can not approve your own pull request');
  const comments = objectsAt(body, 'comments').map((comment) => ({
    path: stringAt(comment, 'path') ?? '',
    line: numberAt(comment, 'line') ?? numberAt(comment, 'position') ?? 1,
    body: stringAt(comment, 'body') ?? '',
  }));
  const review = await addReview(world, pull, { login, body: stringAt(body, 'body') ?? '', state, comments });
  return ok(renderReview(world, review));
}

async function reply(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world, caller } = request;
  const pull = pullParam(request, repository);
  const comment = world.state.reviewComments.get(numberParam(request, 'comment_id'));
  if (pull === null || comment?.repositoryId !== repository.id || comment.number !== pull.number) return notFound();
  const thread = rowOf(world.state.reviewThreads, comment.threadId);
  const remark = { login: loginOf(world, caller), body: stringAt(request.body, 'body') ?? '' };
  return created(await renderReviewComment(world, await addReply(world, thread, remark)));
}
