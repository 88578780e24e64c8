import type { Actor, Review, ReviewComment, ReviewThread } from '../model/pull-request.ts';

/** What was read of a pull request's reviews. */
export interface ReviewInput {
  readonly threads: readonly ReviewThread[];
  readonly reviews: readonly Review[];
  /** The pull request's author; null when the account is gone. */
  readonly author: Actor | null;
  /** Slug of our App, with or without `[bot]`; null where it is not known. */
  readonly ownSlug: string | null;
}

/** Something that a reviewer wants changed: an open thread, or a request for changes that has no thread. */
export type ActionableItem =
  | {
      readonly kind: 'thread';
      readonly threadId: string;
      readonly path: string;
      readonly line: number | null;
      readonly author: string;
    }
  | { readonly kind: 'changes_requested'; readonly reviewId: number; readonly author: string };

/** Why a thread or review asks for nothing. */
export type IgnoredWhy =
  | 'resolved'
  | 'outdated'
  | 'empty'
  | 'answered_by_us'
  | 'by_author'
  | 'by_bot'
  | 'author_unknown';

/** What there is to do about the reviews. */
export interface ReviewVerdict {
  readonly actionable: readonly ActionableItem[];
  readonly changesRequestedBy: readonly string[];
  /** Newest comment and review behind the actionable items, as one stable text; null without any. Part of the cause key. */
  readonly newestCommentId: string | null;
  readonly ignored: readonly { readonly id: string; readonly why: IgnoredWhy }[];
}

/**
 * The review verdict: unresolved current threads that a person other than the author opened and that we have not answered
 * last, and each standing request for changes whose reviewer has no unresolved thread (traps 91 to 102).
 */
export function toReviewVerdict(input: ReviewInput): ReviewVerdict {
  const judged = input.threads.map((thread) => ({ thread, verdict: judgeThread(thread, input) }));
  const open = judged.flatMap(({ thread, verdict }) =>
    verdict.kind === 'actionable' ? [{ thread, author: verdict.author }] : [],
  );
  const ignored = judged.flatMap(({ thread, verdict }) =>
    verdict.kind === 'ignored' ? [{ id: thread.id, why: verdict.why }] : [],
  );
  const standing = toStandingRequests(input);
  const withoutThread = standing.filter(({ author }) => !hasUnresolvedThread(input.threads, author));
  return {
    actionable: [...open.map(({ thread, author }) => toThreadItem(thread, author)), ...withoutThread.map(toReviewItem)],
    changesRequestedBy: standing.map(({ author }) => author.login),
    newestCommentId: toNewest(
      open.flatMap(({ thread }) => thread.comments),
      withoutThread,
    ),
    ignored,
  };
}

type ThreadVerdict =
  | { readonly kind: 'actionable'; readonly author: Actor }
  | { readonly kind: 'ignored'; readonly why: IgnoredWhy };

function judgeThread(thread: ReviewThread, input: ReviewInput): ThreadVerdict {
  const first = thread.comments[0];
  const last = thread.comments.at(-1);
  if (thread.isResolved) return { kind: 'ignored', why: 'resolved' };
  if (thread.isOutdated) return { kind: 'ignored', why: 'outdated' };
  if (first === undefined || last === undefined) return { kind: 'ignored', why: 'empty' };
  if (first.author === null) return { kind: 'ignored', why: 'author_unknown' };
  if (first.author.kind === 'bot') return { kind: 'ignored', why: 'by_bot' };
  if (first.author.id === input.author?.id) return { kind: 'ignored', why: 'by_author' };
  if (last.author !== null && isOwn(last.author, input.ownSlug)) return { kind: 'ignored', why: 'answered_by_us' };
  return { kind: 'actionable', author: first.author };
}

/**
 * Only Apps are bots and a slug belongs to one App, so the name is proof enough here. Where ours is not known, every bot could
 * be us: better one thread unanswered than an answer to ourselves (trap 145).
 */
function isOwn(actor: Actor, ownSlug: string | null): boolean {
  if (actor.kind !== 'bot') return false;
  return ownSlug === null || toSlug(actor.login) === toSlug(ownSlug);
}

function toSlug(login: string): string {
  return login.toLowerCase().replace(/\[bot\]$/, '');
}

type ReviewByPerson = Review & { readonly author: Actor };

/** The newest verdict of each person, where it is a request for changes; a mere comment takes no verdict back (trap 99). */
function toStandingRequests({ reviews, author: prAuthor }: ReviewInput): readonly ReviewByPerson[] {
  const newest = new Map<number, ReviewByPerson>();
  for (const review of reviews) {
    const { author, state } = review;
    if (author === null || author.kind === 'bot' || author.id === prAuthor?.id) continue;
    if (state !== 'approved' && state !== 'changes_requested' && state !== 'dismissed') continue;
    const known = newest.get(author.id);
    if (known === undefined || isOlder(known, review)) newest.set(author.id, { ...review, author });
  }
  return [...newest.values()].filter((review) => review.state === 'changes_requested').sort((a, b) => a.id - b.id);
}

function isOlder(a: Review, b: Review): boolean {
  const aAt = a.submittedAt ?? 0;
  const bAt = b.submittedAt ?? 0;
  return aAt === bAt ? a.id < b.id : aAt < bAt;
}

/** An unresolved thread of the reviewer says it better, and an outdated or answered one waits for the reviewer, not for us. */
function hasUnresolvedThread(threads: readonly ReviewThread[], reviewer: Actor): boolean {
  return threads.some((thread) => !thread.isResolved && thread.comments[0]?.author?.id === reviewer.id);
}

function toThreadItem({ id, path, line }: ReviewThread, author: Actor): ActionableItem {
  return { kind: 'thread', threadId: id, path, line, author: author.login };
}

function toReviewItem({ id, author }: ReviewByPerson): ActionableItem {
  return { kind: 'changes_requested', reviewId: id, author: author.login };
}

/** Comments and reviews are numbered apart: one maximum over both could hide a new one. */
function toNewest(comments: readonly ReviewComment[], reviews: readonly Review[]): string | null {
  const newestComment = comments.map(({ id }) => id).reduce((a, b) => Math.max(a, b), 0);
  const newestReview = reviews.map(({ id }) => id).reduce((a, b) => Math.max(a, b), 0);
  const parts = [newestComment > 0 ? `c${newestComment}` : null, newestReview > 0 ? `r${newestReview}` : null];
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.join('.');
}
