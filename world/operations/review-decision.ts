import { isAtLeast, permissionOf } from '../auth/permissions.ts';
import { findProtections, ofPull, rowOf } from '../find.ts';
import type { Pull, Review, State } from '../state.ts';

/** GitHub's `reviewDecision`; null if no review is required and there is no approval or request for changes. */
export type ReviewDecision = 'APPROVED' | 'CHANGES_REQUESTED' | 'REVIEW_REQUIRED' | null;

/** Decides by the newest opinion of each reviewer with write permission. Bots count as such. */
export function reviewDecisionOf(state: State, pull: Pull): ReviewDecision {
  const repository = rowOf(state.repositories, pull.repositoryId);
  const opinions = latestOpinions(state, pull).filter(({ authorLogin }) => {
    return authorLogin.endsWith('[bot]') || isAtLeast(permissionOf(repository, authorLogin), 'write');
  });
  if (opinions.some((review) => review.state === 'CHANGES_REQUESTED')) return 'CHANGES_REQUESTED';
  const approvals = opinions.filter((review) => review.state === 'APPROVED').length;
  const required = Math.max(0, ...findProtections(repository, pull.baseBranch).map((rule) => rule.requiredApprovals));
  if (approvals < required) return 'REVIEW_REQUIRED';
  return approvals > 0 ? 'APPROVED' : null;
}

/** The newest approval, request for changes or dismissal of each reviewer except the author. */
function latestOpinions(state: State, pull: Pull): readonly Review[] {
  const opinions = ofPull(state.reviews, pull).filter((review) => {
    return review.state !== 'COMMENTED' && review.state !== 'PENDING' && review.authorLogin !== pull.authorLogin;
  });
  return [...new Map(opinions.map((review) => [review.authorLogin, review])).values()];
}
