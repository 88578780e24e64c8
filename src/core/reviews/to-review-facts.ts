import type { EpochMs, Sha } from '../model/ids.ts';
import type { Actor, Review, ReviewComment, ReviewThread } from '../model/pull-request.ts';

/** An account as GraphQL returns it; null for a deleted one. */
export type ActorNode = {
  readonly __typename: string;
  readonly login: string;
  readonly databaseId?: number | null | undefined;
} | null;

/** A comment in a thread as GraphQL returns it, with numbers and times parsed. */
export interface CommentNode {
  readonly fullDatabaseId: number;
  readonly body: string;
  readonly createdAt: EpochMs;
  readonly lastEditedAt?: EpochMs | null | undefined;
  readonly isMinimized?: boolean | null | undefined;
  readonly author: ActorNode;
  /** The review that it was submitted with. */
  readonly pullRequestReview?: { readonly fullDatabaseId: number | null } | null | undefined;
}

/** A review thread as GraphQL returns it, with the comments that were read, oldest first. */
export interface ThreadNode {
  readonly id: string;
  readonly path: string;
  readonly line: number | null;
  readonly isResolved: boolean;
  readonly isOutdated: boolean;
  readonly comments: readonly CommentNode[];
  /** It has more comments than these. */
  readonly isPartial?: boolean;
}

/** A review as GraphQL returns it, with numbers and times parsed. */
export interface ReviewNode {
  readonly fullDatabaseId: number;
  readonly state: string;
  readonly body: string;
  readonly submittedAt: EpochMs | null;
  readonly commit: { readonly oid: Sha } | null;
  readonly author: ActorNode;
}

const REVIEW_STATES: ReadonlyMap<string, Review['state']> = new Map([
  ['APPROVED', 'approved'],
  ['CHANGES_REQUESTED', 'changes_requested'],
  ['COMMENTED', 'commented'],
  ['DISMISSED', 'dismissed'],
  ['PENDING', 'pending'],
]);

/** null for a deleted account, and for one without an id, which could not be compared. */
export function toActor(actor: ActorNode): Actor | null {
  const id = actor?.databaseId ?? null;
  if (actor === null || id === null) return null;
  return { id, login: actor.login, kind: actor.__typename === 'User' ? 'user' : 'bot' };
}

/** Maps a thread to our model. */
export function toReviewThread(thread: ThreadNode): ReviewThread {
  const { id, path, line, isResolved, isOutdated, comments, isPartial } = thread;
  const reviewId = comments[0]?.pullRequestReview?.fullDatabaseId ?? null;
  return {
    ...{ id, path, line, isResolved, isOutdated },
    comments: comments.map(toReviewComment),
    ...(reviewId === null ? {} : { reviewId }),
    ...(isPartial === true ? { isPartial } : {}),
  };
}

function toReviewComment({
  fullDatabaseId,
  body,
  createdAt,
  lastEditedAt,
  isMinimized,
  author,
}: CommentNode): ReviewComment {
  return {
    ...{ id: fullDatabaseId, author: toActor(author), body, createdAt, updatedAt: lastEditedAt ?? createdAt },
    ...(isMinimized === true ? { isHidden: true } : {}),
  };
}

/** Maps a review to our model. A state that GitHub adds later becomes `unknown` (trap 89). */
export function toReview({ fullDatabaseId, state, body, submittedAt, commit, author }: ReviewNode): Review {
  return {
    id: fullDatabaseId,
    author: toActor(author),
    state: REVIEW_STATES.get(state.toUpperCase()) ?? 'unknown',
    body,
    submittedAt,
    commitSha: commit?.oid ?? null,
  };
}
