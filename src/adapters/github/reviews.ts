import { z } from 'zod';
import { GitHubError } from '../../core/model/errors.ts';
import type { PullRequestRef, RepositoryRef, ReviewThread } from '../../core/model/pull-request.ts';
import { SubmittedReviewResponse } from '../../payloads/pull-request-schema.ts';
import { toReviewThreads } from '../../payloads/to-pull-request-facts.ts';
import type { AskResult, ThreadReply } from '../../ports/github.ts';
import { parseResponse } from './parse-response.ts';
import { isWhole } from './read-pull-request.ts';
import type { RepositoryCalls } from './repository-calls.ts';
import {
  addReplyMutation,
  deleteReviewMutation,
  ownReviewsQuery,
  resolveThreadMutation,
  startReviewMutation,
  submitReviewMutation,
  threadQuery,
} from './review-documents.ts';

/** Dependencies of the review operations. */
export interface ReviewDeps {
  readonly calls: RepositoryCalls;
  readonly waitBefore: (tries: number) => Promise<void>;
}

/** Replies to post as one review. `body` contains `marker`, which identifies the review later. */
export interface ReviewToPost {
  readonly marker: string;
  readonly body: string;
  readonly replies: readonly ThreadReply[];
}

const MAX_TRIES = 3;

/**
 * Posts the replies as one review, and so as one mail: starts a pending review, adds a reply to each thread, then
 * submits it. A reply outside a review would be a review and a mail of its own. After a failure with unknown effect, or
 * a crash, continues from the state that GitHub reports. Skips threads in which GitHub refuses the reply. Returns the
 * threads at the time of submission; null if the review was submitted before or the threads do not fit on one page.
 * @throws GitHubError the last refusal, if GitHub refuses every reply.
 */
export async function postReview(
  deps: ReviewDeps,
  ref: PullRequestRef,
  review: ReviewToPost,
  signal: AbortSignal,
): Promise<readonly ReviewThread[] | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await postOnce(deps.calls, ref, review, signal);
    } catch (error) {
      if (!(error instanceof GitHubError) || error.retry !== 'now' || tries >= MAX_TRIES) throw error;
      await deps.waitBefore(tries);
    }
  }
}

async function postOnce(
  calls: RepositoryCalls,
  ref: PullRequestRef,
  review: ReviewToPost,
  signal: AbortSignal,
): Promise<readonly ReviewThread[] | null> {
  const { pullRequestId, submitted, pending } = await readOwnReviews(calls, ref, signal);
  if (submitted.some(({ body }) => body.includes(review.marker))) return null;
  const write = createWrite(calls, ref.repository, signal);
  const known = pending?.body.includes(review.marker) === true ? pending : null;
  // An account can have only one pending review. Delete one left by another, abandoned fixup.
  if (pending !== null && known === null) await write(deleteReviewMutation, { pullRequestReviewId: pending.id });
  const reviewId = known?.id ?? toReviewId(await write(startReviewMutation, { pullRequestId, body: review.body }));
  const { said, refusal } = await sayAll({ calls, write, ref, signal }, review, {
    reviewId,
    isResumed: known !== null,
  });
  if (said === 0 && refusal !== null) {
    await write(deleteReviewMutation, { pullRequestReviewId: reviewId });
    throw refusal;
  }
  return toThreads(
    await write(submitReviewMutation, { pullRequestReviewId: reviewId, event: 'COMMENT', body: review.body }),
  );
}

function toThreads(data: unknown): readonly ReviewThread[] | null {
  const { reviewThreads } = parseResponse(SubmittedReviewResponse, data, 'submitted review').submitPullRequestReview
    .pullRequestReview.pullRequest;
  return isWhole(reviewThreads) ? toReviewThreads(reviewThreads.nodes) : null;
}

const OwnReviews = z
  .object({
    repository: z
      .object({
        pullRequest: z
          .object({
            id: z.string(),
            reviews: z.object({
              nodes: z.array(
                z.object({ id: z.string(), state: z.string(), body: z.string(), viewerDidAuthor: z.boolean() }),
              ),
            }),
          })
          .nullable(),
      })
      .nullable(),
  })
  .nullable();

interface OwnReview {
  readonly id: string;
  readonly state: string;
  readonly body: string;
}

/** Identifies the App's own reviews by `viewerDidAuthor`, not by name. */
async function readOwnReviews(
  calls: RepositoryCalls,
  { repository, number }: PullRequestRef,
  signal: AbortSignal,
): Promise<{
  readonly pullRequestId: string;
  readonly submitted: readonly OwnReview[];
  readonly pending: OwnReview | null;
}> {
  const variables = { owner: repository.owner, name: repository.name, number };
  const data = await calls.graphql(repository, { query: ownReviewsQuery, variables, access: 'write' }, signal);
  const pullRequest = parseResponse(OwnReviews, data, 'own reviews')?.repository?.pullRequest ?? null;
  if (pullRequest === null) throw new GitHubError('NOT_FOUND', 'the pull request is gone', { retry: 'never' });
  const own = pullRequest.reviews.nodes.filter(({ viewerDidAuthor }) => viewerDidAuthor);
  return {
    pullRequestId: pullRequest.id,
    submitted: own.filter(({ state }) => state !== 'PENDING'),
    pending: own.find(({ state }) => state === 'PENDING') ?? null,
  };
}

type Write = (mutation: string, input: Readonly<Record<string, unknown>>) => Promise<unknown>;

function createWrite(calls: RepositoryCalls, repository: RepositoryRef, signal: AbortSignal): Write {
  return (mutation, input) => calls.mutate(repository, { mutation, variables: { input }, access: 'write' }, signal);
}

const StartedReview = z.object({ addPullRequestReview: z.object({ pullRequestReview: z.object({ id: z.string() }) }) });

function toReviewId(data: unknown): string {
  return parseResponse(StartedReview, data, 'started review').addPullRequestReview.pullRequestReview.id;
}

/** Returns the number of replies in the pending review, and the last refusal. */
async function sayAll(
  deps: {
    readonly calls: RepositoryCalls;
    readonly write: Write;
    readonly ref: PullRequestRef;
    readonly signal: AbortSignal;
  },
  { replies }: ReviewToPost,
  { reviewId, isResumed }: { readonly reviewId: string; readonly isResumed: boolean },
): Promise<{ readonly said: number; readonly refusal: GitHubError | null }> {
  let said = 0;
  let refusal: GitHubError | null = null;
  for (const { threadId, body } of replies) {
    try {
      if (!isResumed || !(await isSaid(deps, threadId, reviewId))) {
        await deps.write(addReplyMutation, {
          pullRequestReviewId: reviewId,
          pullRequestReviewThreadId: threadId,
          body,
        });
      }
      said += 1;
    } catch (error) {
      if (!(error instanceof GitHubError) || error.retry !== 'never') throw error;
      refusal = error;
    }
  }
  return { said, refusal };
}

const Thread = z
  .object({
    node: z
      .object({
        comments: z.object({
          nodes: z.array(z.object({ pullRequestReview: z.object({ id: z.string() }).nullable() })),
        }),
      })
      .nullable(),
  })
  .nullable();

/** Whether the pending review already has a reply in the thread. */
async function isSaid(
  {
    calls,
    ref,
    signal,
  }: { readonly calls: RepositoryCalls; readonly ref: PullRequestRef; readonly signal: AbortSignal },
  threadId: string,
  reviewId: string,
): Promise<boolean> {
  const document = { query: threadQuery, variables: { threadId }, access: 'write' } as const;
  const thread = parseResponse(Thread, await calls.graphql(ref.repository, document, signal), 'thread');
  return thread?.node?.comments.nodes.some(({ pullRequestReview }) => pullRequestReview?.id === reviewId) ?? false;
}

/** Resolves a thread. Idempotent. Returns `refused` if the thread is gone or the App may not resolve it. */
export async function resolveThread(
  calls: RepositoryCalls,
  { repository, threadId }: { readonly repository: RepositoryRef; readonly threadId: string },
  signal: AbortSignal,
): Promise<AskResult> {
  const variables = { input: { threadId } };
  try {
    await calls.mutate(
      repository,
      { mutation: resolveThreadMutation, variables, access: 'resolve', isIdempotent: true },
      signal,
    );
    return { kind: 'asked' };
  } catch (error) {
    if (!(error instanceof GitHubError) || error.retry !== 'never') throw error;
    return { kind: 'refused', why: error.message };
  }
}
