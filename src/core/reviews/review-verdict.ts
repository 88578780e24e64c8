import type { EpochMs } from '../model/ids.ts';
import type { Actor, Review, ReviewThread } from '../model/pull-request.ts';
import { type AnswerMark, saidAt } from './answer-mark.ts';
import { isSaidByThreads, judgeRequests, type ReviewByPerson, type ReviewIgnoredWhy } from './judge-requests.ts';
import { judgeThread, type ThreadIgnoredWhy, type Word } from './judge-thread.ts';
import { createRoles, type ReviewAccounts } from './review-accounts.ts';

/** What was read of a pull request's reviews, and our answers to them. */
export interface ReviewInput extends ReviewAccounts {
  readonly threads: readonly ReviewThread[];
  readonly reviews: readonly Review[];
  /** Our answers to threads and to requests without a thread. GitHub may not show them (yet). */
  readonly given: readonly GivenAnswer[];
}

/** An answer to an item, and how far it had read. */
export interface GivenAnswer extends AnswerMark {
  readonly itemId: string;
}

/** Something that a reviewer wants changed: an open thread, or a request for changes without a thread. */
export type ActionableItem = ThreadItem | RequestItem;

/** An open thread. */
export interface ThreadItem {
  readonly kind: 'thread';
  readonly threadId: string;
  readonly path: string;
  readonly line: number | null;
  /** Login of the account that opened it. */
  readonly author: string;
  /** Comments of the accounts that count, oldest first. Untrusted. */
  readonly words: readonly Word[];
  /** Newest comment that is not ours, by any account. */
  readonly newestCommentId: number;
  /** Text of the opener's standing request for changes; empty if there is none. Untrusted. */
  readonly request: string;
}

/** A request for changes without a thread. */
export interface RequestItem {
  readonly kind: 'changes_requested';
  readonly reviewId: number;
  readonly author: string;
  /** Untrusted. */
  readonly body: string;
}

/** Why a thread or review asks for nothing. */
export type IgnoredWhy =
  | ThreadIgnoredWhy
  | ReviewIgnoredWhy
  /** Its threads replace it, and none of them asks for anything now: they are resolved, outdated or answered. */
  | 'said_by_threads';

/** What the reviews ask for now. */
export interface ReviewVerdict {
  readonly actionable: readonly ActionableItem[];
  readonly changesRequestedBy: readonly string[];
  /** Newest comment, edit and review of the actionable items, as one stable text; null without any. Part of the cause key. */
  readonly newestCommentId: string | null;
  /** When the newest of them was written; null if there are none. */
  readonly newestAt: EpochMs | null;
  /** Threads by id, reviews as `review:<id>`. */
  readonly ignored: readonly { readonly id: string; readonly why: IgnoredWhy }[];
  /** Number of threads and requests that we answered and whose reviewers have not replied. */
  readonly answeredByUs: number;
}

/**
 * The review verdict: unresolved threads in which somebody who may ask has the last word, and each standing request for changes
 * that no thread replaces. Ordinary comments are not read (traps 91 to 102).
 */
export function toReviewVerdict(input: ReviewInput): ReviewVerdict {
  const roleOf = createRoles(input);
  const requests = judgeRequests(input.reviews, roleOf);
  const judged = input.threads.map((thread) => ({
    thread,
    verdict: judgeThread(thread, roleOf, marksOf(input, thread.id)),
  }));
  const open = judged.flatMap(({ thread, verdict }) =>
    verdict.kind === 'actionable' ? [toThreadItem(thread, verdict, requests.standing)] : [],
  );
  const openers = new Set(judged.flatMap(({ verdict }) => (verdict.kind === 'actionable' ? [verdict.opener.id] : [])));
  const saidByThreads = requests.standing.filter((request) => isSaidByThreads(request, input.threads));
  const withoutThreads = requests.standing.filter((request) => !saidByThreads.includes(request));
  const answered = withoutThreads.filter(({ id }) => marksOf(input, toReviewItemId(id)).length > 0);
  const asking = withoutThreads.filter((request) => !answered.includes(request));
  const ignored = [
    ...judged.flatMap(({ thread, verdict }) =>
      verdict.kind === 'ignored' ? [{ id: thread.id, why: verdict.why }] : [],
    ),
    ...requests.ignored.map(({ review, why }) => ({ id: toReviewItemId(review.id), why })),
    ...saidByThreads
      .filter(({ author }) => !openers.has(author.id))
      .map((review) => toIgnored(review, 'said_by_threads')),
    ...answered.map((review) => toIgnored(review, 'answered_by_us')),
  ];
  return {
    actionable: [...open, ...asking.map(toRequestItem)],
    changesRequestedBy: requests.standing.map(({ author }) => author.login),
    newestCommentId: toNewest(open, asking),
    newestAt: toNewestAt(open, asking),
    ignored,
    answeredByUs: ignored.filter(({ why }) => why === 'answered_by_us').length,
  };
}

/** People whose comments or requests would cause an action, each once. GitHub has to say whether they may ask. */
export function findAskers(input: Omit<ReviewInput, 'writers'>): readonly Actor[] {
  const { actionable } = toReviewVerdict({ ...input, writers: null });
  const asking = new Set(actionable.flatMap((item) => (item.kind === 'changes_requested' ? [item.reviewId] : [])));
  const authors = [
    ...actionable.flatMap((item) =>
      item.kind === 'thread'
        ? item.words.flatMap(({ role, comment }) => (role === 'reviewer' ? comment.author : []))
        : [],
    ),
    ...input.reviews.flatMap(({ id, author }) => (asking.has(id) && author?.kind === 'user' ? author : [])),
  ].filter((author) => author !== null);
  return [...new Map(authors.map((author) => [author.id, author])).values()];
}

/** Id of an item in answers: its thread, or its review. */
export function toItemId(item: ActionableItem): string {
  return item.kind === 'thread' ? item.threadId : toReviewItemId(item.reviewId);
}

function toReviewItemId(reviewId: number): string {
  return `review:${reviewId}`;
}

function marksOf({ given }: ReviewInput, itemId: string): readonly AnswerMark[] {
  return given.filter((answer) => answer.itemId === itemId);
}

function toIgnored({ id }: Review, why: IgnoredWhy): ReviewVerdict['ignored'][number] {
  return { id: toReviewItemId(id), why };
}

function toThreadItem(
  { id, path, line, comments }: ReviewThread,
  { opener, words }: { readonly opener: Actor; readonly words: readonly Word[] },
  standing: readonly ReviewByPerson[],
): ThreadItem {
  const ours = new Set(words.flatMap(({ role, comment }) => (role === 'us' ? [comment] : [])));
  return {
    ...{ kind: 'thread', threadId: id, path, line, author: opener.login, words },
    newestCommentId: Math.max(0, ...comments.filter((comment) => !ours.has(comment)).map((comment) => comment.id)),
    request: standing.find(({ author }) => author.id === opener.id)?.body ?? '',
  };
}

function toRequestItem({ id, author, body }: ReviewByPerson): RequestItem {
  return { kind: 'changes_requested', reviewId: id, author: author.login, body };
}

function toWordsOfOthers(items: readonly ThreadItem[]): readonly Word[] {
  return items.flatMap(({ words }) => words.filter(({ role }) => role !== 'us'));
}

/** Comments and reviews have separate ids: one maximum over both could hide a new one. An edit is a new word (trap 92). */
function toNewest(items: readonly ThreadItem[], reviews: readonly Review[]): string | null {
  const comments = toWordsOfOthers(items).map(({ comment }) => comment);
  const edits = comments.filter((comment) => saidAt(comment) > comment.createdAt).map(saidAt);
  const commentIds = comments.map(({ id }) => id);
  const reviewIds = reviews.map(({ id }) => id);
  const parts = [toPart('c', commentIds), toPart('e', edits), toPart('r', reviewIds)].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join('.');
}

function toPart(letter: string, numbers: readonly number[]): string {
  return numbers.length === 0 ? '' : `${letter}${Math.max(...numbers)}`;
}

function toNewestAt(items: readonly ThreadItem[], reviews: readonly Review[]): EpochMs | null {
  const times = [
    ...toWordsOfOthers(items).map(({ comment }) => saidAt(comment)),
    ...reviews.flatMap(({ submittedAt }) => submittedAt ?? []),
  ];
  return times.length === 0 ? null : Math.max(...times);
}
