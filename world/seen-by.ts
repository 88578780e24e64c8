import { ofPull } from './find.ts';
import type { Pull, Review, ReviewComment, ReviewThread, State } from './state.ts';

/** Whether the comment belongs to a pending review. */
export function isPending(state: State, comment: ReviewComment): boolean {
  return state.reviews.get(comment.reviewId)?.state === 'PENDING';
}

/** Whether a user sees the comment. Only its author sees a pending one. `null` is the public. */
export function isSeenBy(state: State, comment: ReviewComment, login: string | null): boolean {
  return comment.authorLogin === login || !isPending(state, comment);
}

/** The reviews of a pull request that a user sees, oldest first. */
export function reviewsSeenBy(state: State, pull: Pull, login: string | null): readonly Review[] {
  return ofPull(state.reviews, pull).filter((review) => review.state !== 'PENDING' || review.authorLogin === login);
}

/** The comments of a thread that a user sees, oldest first. */
export function threadCommentsSeenBy(
  state: State,
  thread: ReviewThread,
  login: string | null,
): readonly ReviewComment[] {
  return [...state.reviewComments.values()].filter((row) => row.threadId === thread.id && isSeenBy(state, row, login));
}

/** The threads of a pull request with a comment that the user sees. */
export function threadsSeenBy(state: State, pull: Pull, login: string | null): readonly ReviewThread[] {
  return ofPull(state.reviewThreads, pull).filter((thread) => threadCommentsSeenBy(state, thread, login).length > 0);
}
