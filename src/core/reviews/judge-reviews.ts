import type { Review, ReviewThread } from '../model/pull-request.ts';
import type { MarkedAnswer } from './answer-mark.ts';
import {
  isSaidByThreads,
  judgeRequests,
  type RequestVerdict,
  type ReviewByPerson,
  toRequestText,
} from './judge-requests.ts';
import { judgeThread, type ThreadVerdict } from './judge-thread.ts';
import { createRoles, type ReviewAccounts } from './review-accounts.ts';

/** What was read of a pull request's reviews, and our answers to them. */
export interface ReviewInput extends ReviewAccounts {
  readonly threads: readonly ReviewThread[];
  readonly reviews: readonly Review[];
  /** Our answers to threads and to requests without a thread. GitHub may not show them (yet). */
  readonly given: readonly GivenAnswer[];
  /** The base takes the pull request only when every thread is resolved. */
  readonly mustResolveThreads: boolean;
}

/** An answer to an item, and how far it had read. */
export interface GivenAnswer extends MarkedAnswer {
  readonly itemId: string;
  /** It fixed a thread, and Ratchet is about to resolve it. */
  readonly resolvesSoon: boolean;
}

/** A thread and what it asks for. */
export interface JudgedThread {
  readonly thread: ReviewThread;
  readonly verdict: ThreadVerdict;
}

/** A standing request for changes and what it asks for. */
export interface JudgedRequest {
  readonly request: ReviewByPerson;
  readonly text: string;
  readonly isSaidByThreads: boolean;
  /** Our newest answer to it. */
  readonly answer: MarkedAnswer | null;
}

/** Everything that was judged. */
export interface Judged {
  readonly threads: readonly JudgedThread[];
  readonly requests: readonly JudgedRequest[];
  readonly all: RequestVerdict;
}

/** Judges every thread and every review. */
export function judgeReviews(input: ReviewInput): Judged {
  const roleOf = createRoles(input);
  const all = judgeRequests(input.reviews, roleOf);
  const threads = input.threads.map((thread) => ({
    thread,
    verdict: judgeThread(thread, roleOf, answersTo(input, thread.id)),
  }));
  const isAnswered = (id: number): boolean => answersTo(input, toReviewItemId(id)).length > 0;
  const requests = all.standing.map((request) => {
    const text = toRequestText(request, input.reviews, { threads: input.threads, isAnswered });
    const answer =
      answersTo(input, toReviewItemId(request.id))
        .toSorted((a, b) => a.at - b.at)
        .at(-1) ?? null;
    return { request, text, isSaidByThreads: isSaidByThreads(request, text, input.threads), answer };
  });
  return { threads, requests, all };
}

/** Id of a request for changes in answers. */
export function toReviewItemId(reviewId: number): string {
  return `review:${reviewId}`;
}

function answersTo({ given }: ReviewInput, itemId: string): readonly GivenAnswer[] {
  return given.filter((answer) => answer.itemId === itemId);
}
