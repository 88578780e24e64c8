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
  /** The same of accounts that may not ask. Each request of a deleted account counts, because it cannot be withdrawn. */
  readonly unheard: readonly { readonly review: Review; readonly why: NoVoice }[];
  readonly ignored: readonly { readonly review: Review; readonly why: ReviewIgnoredWhy }[];
}

/** Which requests for changes stand. A plain comment does not withdraw one (trap 99); an approval or a dismissal does. */
export function judgeRequests(reviews: readonly Review[], roleOf: (actor: Actor | null) => Role): RequestVerdict {
  const newest = new Set(toNewestOpinions(reviews).values());
  const standing: ReviewByPerson[] = [];
  const unheard: { readonly review: Review; readonly why: NoVoice }[] = [];
  const ignored: { readonly review: Review; readonly why: ReviewIgnoredWhy }[] = [];
  for (const review of reviews) {
    if (review.state === 'approved') continue;
    const judged = judgeReview({ ...review, state: review.state }, newest.has(review), roleOf);
    if (typeof judged === 'string') ignored.push({ review, why: judged });
    else standing.push(judged);
    const noVoice = whyNoVoice(roleOf(review.author));
    const mayStand = newest.has(review) || review.author === null;
    if (review.state === 'changes_requested' && mayStand && noVoice !== null) unheard.push({ review, why: noVoice });
  }
  return { standing: standing.sort((a, b) => a.id - b.id), unheard, ignored };
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

/** The newest opinion of each account, by its id. A plain comment is none. */
export function toNewestOpinions(reviews: readonly Review[]): ReadonlyMap<number | undefined, Review> {
  const opinions = reviews.filter(({ author, state }) => author !== null && OPINIONS.has(state));
  return newestBy(opinions, ({ author }) => author?.id, isNewer);
}

const OPINIONS: ReadonlySet<Review['state']> = new Set(['approved', 'changes_requested', 'dismissed']);

/** Reviews come in any order (trap 99). */
function isNewer(a: Review, b: Review): boolean {
  const aAt = a.submittedAt ?? 0;
  const bAt = b.submittedAt ?? 0;
  return aAt === bAt ? a.id > b.id : aAt > bAt;
}

/**
 * What the account asks for with its standing request: the text of the request, after those of earlier requests that were not
 * answered, approved or said by threads. The newest opinion counts on GitHub, but it takes nothing back of what was asked before.
 */
export function toRequestText(
  request: ReviewByPerson,
  reviews: readonly Review[],
  { threads, isAnswered }: { readonly threads: readonly ReviewThread[]; readonly isAnswered: (id: number) => boolean },
): string {
  const before = reviews.filter(({ author, id }) => author?.id === request.author.id && id !== request.id);
  const ends = before.filter(({ id, state }) => state === 'approved' || isAnswered(id));
  const asked = before.filter(
    (review) =>
      review.state === 'changes_requested' &&
      ends.every((end) => isNewer(review, end)) &&
      !threads.some(({ reviewId }) => reviewId === review.id),
  );
  const texts = [...asked.toSorted((a, b) => (isNewer(a, b) ? 1 : -1)), request].map(({ body }) => body.trim());
  return texts.filter((text) => text !== '').join('\n\n');
}

/**
 * Whether the reviewer's threads say what a standing request asks for: its own threads, or, if it has no text, any thread of the
 * reviewer. Another thread of the reviewer does not replace a request with a text of its own.
 */
export function isSaidByThreads(request: ReviewByPerson, text: string, threads: readonly ReviewThread[]): boolean {
  const own = threads.filter(({ comments }) => comments[0]?.author?.id === request.author.id);
  return own.some((thread) => isPartOf(thread, request)) || (own.length > 0 && text === '');
}

/** Without the id of its review, an open thread counts as part of a request that is not newer. */
function isPartOf({ reviewId, isResolved, comments }: ReviewThread, { id, submittedAt }: Review): boolean {
  if (reviewId !== undefined) return reviewId === id;
  return !isResolved && comments.slice(0, 1).some(({ createdAt }) => createdAt >= (submittedAt ?? 0));
}
