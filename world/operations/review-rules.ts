import type { Pull, Review, SubmittedReviewState } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { pendingReviewOf } from './change-reviews.ts';

/** A review that an account wants to create or submit. `state` null leaves it pending. */
export type ReviewAttempt = {
  readonly login: string;
  readonly body: string;
  readonly state: SubmittedReviewState | null;
  readonly commentCount: number;
  /** The pending review to submit; null for a new one. */
  readonly pending: Review | null;
};

/** GitHub's error for an empty review, by state. An approval may be empty. */
const NEEDS_TEXT: Readonly<Record<SubmittedReviewState, string | null>> = {
  APPROVED: null,
  DISMISSED: null,
  CHANGES_REQUESTED: 'You need to leave a comment indicating the requested changes.',
  COMMENTED: 'Review body can not be blank',
};

/** GitHub's error for a refused review; null if it is accepted. */
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
