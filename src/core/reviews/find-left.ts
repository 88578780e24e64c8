import type { EpochMs } from '../model/ids.ts';
import type { Actor, Review, ReviewThread } from '../model/pull-request.ts';
import type { LeftItem } from '../model/snapshot.ts';
import type { MarkedAnswer } from './answer-mark.ts';
import { toNewestOpinions } from './judge-requests.ts';
import type { Judged, JudgedThread, ReviewInput } from './judge-reviews.ts';
import type { ThreadVerdict } from './judge-thread.ts';
import { readTenor } from './read-tenor.ts';

/** Longest answer that is quoted, in UTF-16 code units. */
const MAX_ANSWER_LENGTH = 300;

/** What is open and asks nothing of Ratchet. */
export interface LeftOpen {
  /** What only a person can settle. */
  readonly left: readonly LeftItem[];
  /** Number of all other threads and requests. */
  readonly otherOpen: number;
}

/**
 * What is left to people: items that our answer did not change, until a person reacts to it, resolves or approves; comments of
 * unknown accounts; and every open thread, if the base takes only resolved ones.
 */
export function findLeft({ threads, requests, all }: Judged, input: ReviewInput): LeftOpen {
  const open = [
    ...threads.flatMap((judged) => toOpenThread(judged, input)),
    ...requests.flatMap(({ request, answer, isSaidByThreads }) =>
      answer === null || isSaidByThreads || answer.status === 'fixed' ? [] : [toAnswered(answer, request.author, null)],
    ),
    ...all.unheard.map(({ review: { author }, why }) =>
      why === 'author_unknown' ? toLeft('unknown_author', author, null) : null,
    ),
  ];
  const left = open.filter((item) => item !== null);
  return { left, otherOpen: open.length - left.length };
}

/** What is left of an open thread: something for a person, or null: nothing. Empty if it is not open, or Ratchet is to act. */
function toOpenThread({ thread, verdict }: JudgedThread, input: ReviewInput): readonly (LeftItem | null)[] {
  if (verdict.kind === 'actionable' || verdict.why === 'resolved' || verdict.why === 'empty') return [];
  const waiting = toWaiting(thread, verdict, input.reviews);
  if (waiting !== null) return [waiting];
  const isResolvedSoon = input.given.some(({ itemId, resolvesSoon }) => resolvesSoon && itemId === thread.id);
  if (isResolvedSoon && verdict.why === 'answered_by_us') return [];
  return [input.mustResolveThreads ? toLeft('unresolved', toOpener(thread), thread.path) : null];
}

/** What a person has to settle in the thread itself. */
function toWaiting(
  thread: ReviewThread,
  { wait, heard }: Extract<ThreadVerdict, { kind: 'ignored' }>,
  reviews: readonly Review[],
): LeftItem | null {
  if (wait === null) return null;
  if (wait.kind !== 'answer') return toLeft(wait.kind, toOpener(thread), thread.path);
  if (isDismissed(thread, reviews) || isApproved(heard, wait.answeredAt, reviews)) return null;
  return toAnswered(wait.answer, heard[0] ?? toOpener(thread), thread.path);
}

function toOpener({ comments: [first] }: ReviewThread): Actor | null {
  return first?.author ?? null;
}

/** Whether a person dismissed the review that opened the thread. */
function isDismissed({ reviewId }: ReviewThread, reviews: readonly Review[]): boolean {
  return reviews.some(({ id, state }) => id === reviewId && state === 'dismissed');
}

/** Whether all reviewers of a thread have approved since our answer, and asked for nothing with it. */
function isApproved(reviewers: readonly Actor[], since: EpochMs, reviews: readonly Review[]): boolean {
  const newest = toNewestOpinions(reviews);
  const isContent = ({ id }: Actor): boolean => {
    const opinion = newest.get(id);
    if (opinion?.state !== 'approved' || (opinion.submittedAt ?? 0) <= since) return false;
    return opinion.body.trim() === '' || readTenor(opinion.body) !== null;
  };
  return reviewers.length > 0 && reviewers.every(isContent);
}

function toAnswered({ status, words }: MarkedAnswer, by: Actor | null, path: string | null): LeftItem {
  const item = toLeft(status === 'declined' ? 'declined' : 'needs_human', by, path);
  return { ...item, answer: words.slice(0, MAX_ANSWER_LENGTH).toWellFormed() };
}

function toLeft(why: LeftItem['why'], by: Actor | null, path: string | null): LeftItem {
  return { why, by: by?.login ?? null, path, answer: '' };
}
