import { newestBy } from '../lists/newest-by.ts';
import { assertNever } from '../model/errors.ts';
import type { Actor, Review, ReviewThread } from '../model/pull-request.ts';
import { type NoVoice, type Role, whyNoVoice } from './review-accounts.ts';

/** A review by an account that may ask for changes. */
export type ReviewByPerson = Review & { readonly author: Actor };

/** Why a review alone asks for nothing. */
export type ReviewIgnoredWhy =
  | NoVoice
  /** A later review of the same account replaced it. */
  | 'superseded'
  | 'dismissed'
  /** A plain comment never triggers anything. */
  | 'comment_only'
  /** Its author has not submitted it yet. */
  | 'pending'
  | 'unknown_state';

/** What the reviews of a pull request ask for. */
export interface RequestVerdict {
  /** Accounts' newest opinions that are requests for changes, oldest first. */
  readonly standing: readonly ReviewByPerson[];
  readonly ignored: readonly { readonly review: Review; readonly why: ReviewIgnoredWhy }[];
}

/** Which requests for changes stand. A plain comment does not withdraw one (trap 99); an approval or a dismissal does. */
export function judgeRequests(reviews: readonly Review[], roleOf: (actor: Actor | null) => Role): RequestVerdict {
  const opinions = reviews.filter(({ author, state }) => author !== null && OPINIONS.has(state));
  const newest = new Set(newestBy(opinions, ({ author }) => author?.id, isNewer).values());
  const standing: ReviewByPerson[] = [];
  const ignored: { readonly review: Review; readonly why: ReviewIgnoredWhy }[] = [];
  for (const review of reviews) {
    if (review.state === 'approved') continue;
    const judged = judgeReview({ ...review, state: review.state }, newest.has(review), roleOf);
    if (typeof judged === 'string') ignored.push({ review, why: judged });
    else standing.push(judged);
  }
  return { standing: standing.sort((a, b) => a.id - b.id), ignored };
}

/** The review if it is a standing request, else why it asks for nothing. */
function judgeReview(
  review: Review & { readonly state: Exclude<Review['state'], 'approved'> },
  isNewest: boolean,
  roleOf: (actor: Actor | null) => Role,
): ReviewByPerson | ReviewIgnoredWhy {
  const { author, state } = review;
  if (state !== 'changes_requested') return toWhy(state);
  if (author === null) return 'author_unknown';
  const noVoice = whyNoVoice(roleOf(author));
  if (noVoice !== null) return noVoice;
  return isNewest ? { ...review, author } : 'superseded';
}

function toWhy(state: Exclude<Review['state'], 'approved' | 'changes_requested'>): ReviewIgnoredWhy {
  switch (state) {
    case 'dismissed':
      return 'dismissed';
    case 'commented':
      return 'comment_only';
    case 'pending':
      return 'pending';
    case 'unknown':
      return 'unknown_state';
    default:
      return assertNever(state);
  }
}

const OPINIONS: ReadonlySet<Review['state']> = new Set(['approved', 'changes_requested', 'dismissed']);

/** Reviews come in any order (trap 99). */
function isNewer(a: Review, b: Review): boolean {
  const aAt = a.submittedAt ?? 0;
  const bAt = b.submittedAt ?? 0;
  return aAt === bAt ? a.id > b.id : aAt > bAt;
}

/**
 * Whether the reviewer's threads replace a standing request: an unresolved thread is more precise, and if all threads of the
 * request are resolved, the reviewer is next. A request without text can only be about threads.
 */
export function isSaidByThreads(request: ReviewByPerson, threads: readonly ReviewThread[]): boolean {
  const own = threads.filter(({ comments }) => comments[0]?.author?.id === request.author.id);
  if (own.some((thread) => !thread.isResolved || thread.reviewId === request.id)) return true;
  return own.length > 0 && request.body.trim() === '';
}
