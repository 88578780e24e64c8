import type { Pull, Review, SubmittedReviewState } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { pendingReviewOf } from './change-reviews.ts';

/** What an account wants to do with a review; `state` is null to leave it pending. */
export type ReviewAttempt = {
  readonly login: string;
  readonly body: string;
  readonly state: SubmittedReviewState | null;
  readonly commentCount: number;
  /** The pending review to submit; null for a new one. */
  readonly pending: Review | null;
};

/** What GitHub says to a review that says nothing; an approval may be silent. */
const NEEDS_TEXT: Readonly<Record<SubmittedReviewState, string | null>> = {
  APPROVED: null,
  DISMISSED: null,
  CHANGES_REQUESTED: 'You need to leave a comment indicating the requested changes.',
  COMMENTED: 'Review body can not be blank',
};

/** Why GitHub refuses the review, in its words; null when it does not. */
export function problemOfReview(world: WorldContext, pull: Pull, attempt: ReviewAttempt): string | null {
  const { login, state, pending } = attempt;
  const known = pendingReviewOf(world, pull, login);
  if (known !== null && known.id !== pending?.id) return 'User can only have one pending review per pull request';
  if (login === pull.authorLogin && state === 'APPROVED') return 'Can not approve your own pull request';
  if (login === pull.authorLogin && state === 'CHANGES_REQUESTED') {
    return 'Can not request changes on your own pull request';
  }
  const isEmpty = attempt.body.trim() === '' && attempt.commentCount === 0;
  return isEmpty && state !== null ? NEEDS_TEXT[state] : null;
}
