import type { EpochMs } from '../model/ids.ts';
import type { Actor, Review, ReviewThread } from '../model/pull-request.ts';
import type { LeftItem } from '../model/snapshot.ts';
import { saidAt } from './answer-mark.ts';
import { findLeft } from './find-left.ts';
import type { ReviewIgnoredWhy } from './judge-requests.ts';
import {
  type JudgedRequest,
  type JudgedThread,
  judgeReviews,
  type ReviewInput,
  toReviewItemId,
} from './judge-reviews.ts';
import type { ThreadIgnoredWhy, ThreadVerdict, Word } from './judge-thread.ts';

/** Something that a reviewer wants changed: an open thread, or a request for changes without a thread. */
export type ActionableItem = ThreadItem | RequestItem;

/** An open thread. */
export interface ThreadItem {
  readonly kind: 'thread';
  readonly threadId: string;
  readonly path: string;
  readonly line: number | null;
  /** Login of the account that asks: the first one in the thread that may. */
  readonly author: string;
  /** Comments of the accounts that count, oldest first. Untrusted. */
  readonly words: readonly Word[];
  /** Newest comment that is not ours, by any account. */
  readonly newestCommentId: number;
  /** Text of that account's standing request for changes, if threads say what it wants; empty if not. Untrusted. */
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
  /** Its threads replace it, and none of them asks for anything now: they are resolved or answered. */
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
  /** What asks nothing of Ratchet and only a person can settle. */
  readonly left: readonly LeftItem[];
  /** Number of the other open threads and requests that ask nothing of Ratchet. */
  readonly otherOpen: number;
}

/**
 * The review verdict: unresolved threads in which somebody who may ask has the last word, and each standing request for changes
 * that its threads do not say. Ordinary comments are not read (traps 91 to 102).
 */
export function toReviewVerdict(input: ReviewInput): ReviewVerdict {
  const judged = judgeReviews(input);
  const { threads, requests, all } = judged;
  const saidByThreads = requests.filter((one) => one.isSaidByThreads);
  const open = threads.flatMap(({ thread, verdict }) =>
    verdict.kind === 'actionable' ? [toThreadItem(thread, verdict, saidByThreads)] : [],
  );
  const askers = new Set(threads.flatMap(({ verdict }) => (verdict.kind === 'actionable' ? [verdict.asker.id] : [])));
  const answered = requests.filter((one) => !one.isSaidByThreads && one.answer !== null);
  const asking = requests.filter((one) => !one.isSaidByThreads && one.answer === null);
  return {
    actionable: [...open, ...asking.map(toRequestItem)],
    changesRequestedBy: requests.map(({ request }) => request.author.login),
    ...toNewest(
      threads,
      asking.map(({ request }) => request),
    ),
    ignored: [
      ...threads.flatMap(({ thread, verdict }) =>
        verdict.kind === 'ignored' ? [{ id: thread.id, why: verdict.why }] : [],
      ),
      ...all.ignored.map(({ review, why }) => ({ id: toReviewItemId(review.id), why })),
      ...saidByThreads
        .filter(({ request }) => !askers.has(request.author.id))
        .map(({ request }) => toIgnored(request, 'said_by_threads')),
      ...answered.map(({ request }) => toIgnored(request, 'answered_by_us')),
    ],
    ...findLeft(judged, input),
  };
}

/**
 * People whose comments and requests matter, each once: those that would cause an action, and those that settle what we left open.
 * GitHub has to say whether they may write.
 */
export function findAskers(input: Omit<ReviewInput, 'writers' | 'unread'>): readonly Actor[] {
  const { threads, requests } = judgeReviews({ ...input, writers: null, unread: new Set() });
  const authors = [
    ...threads.flatMap(({ verdict }) =>
      verdict.kind === 'actionable'
        ? verdict.words.flatMap(({ role, comment }) => (role === 'reviewer' ? [comment.author] : []))
        : verdict.heard,
    ),
    ...requests.flatMap(({ request: { author } }) => (author.kind === 'user' ? [author] : [])),
  ];
  return [...new Map(authors.map((author) => [author.id, author])).values()];
}

/** Id of an item in answers: its thread, or its review. */
export function toItemId(item: ActionableItem): string {
  return item.kind === 'thread' ? item.threadId : toReviewItemId(item.reviewId);
}

function toIgnored({ id }: Review, why: IgnoredWhy): ReviewVerdict['ignored'][number] {
  return { id: toReviewItemId(id), why };
}

function toThreadItem(
  { id, path, line, comments }: ReviewThread,
  { asker, words }: Extract<ThreadVerdict, { kind: 'actionable' }>,
  saidByThreads: readonly JudgedRequest[],
): ThreadItem {
  const ours = new Set(words.flatMap(({ role, comment }) => (role === 'us' ? [comment.id] : [])));
  return {
    ...{ kind: 'thread', threadId: id, path, line, author: asker.login, words },
    newestCommentId: Math.max(0, ...comments.map((comment) => comment.id).filter((commentId) => !ours.has(commentId))),
    request: saidByThreads.find(({ request }) => request.author.id === asker.id)?.text ?? '',
  };
}

function toRequestItem({ request: { id, author }, text }: JudgedRequest): RequestItem {
  return { kind: 'changes_requested', reviewId: id, author: author.login, body: text };
}

/** Comments and reviews have separate ids: one maximum over both could hide a new one. An edit is a new word (trap 92). */
function toNewest(
  threads: readonly JudgedThread[],
  reviews: readonly Review[],
): Pick<ReviewVerdict, 'newestCommentId' | 'newestAt'> {
  const said = threads.flatMap(({ verdict }) => (verdict.kind === 'actionable' ? verdict.said : []));
  const comments = said.flatMap(({ role, comment }) => (role === 'us' ? [] : [comment]));
  const edits = comments.filter((comment) => saidAt(comment) > comment.createdAt).map(saidAt);
  const commentIds = comments.map(({ id }) => id);
  const reviewIds = reviews.map(({ id }) => id);
  const parts = [toPart('c', commentIds), toPart('e', edits), toPart('r', reviewIds)].filter((part) => part !== '');
  const times = [...comments.map(saidAt), ...reviews.flatMap(({ submittedAt }) => submittedAt ?? [])];
  return {
    newestCommentId: parts.length === 0 ? null : parts.join('.'),
    newestAt: times.length === 0 ? null : Math.max(...times),
  };
}

function toPart(letter: string, numbers: readonly number[]): string {
  return numbers.length === 0 ? '' : `${letter}${Math.max(...numbers)}`;
}
