import type { EpochMs } from '../model/ids.ts';
import type { Actor, ReviewComment, ReviewThread } from '../model/pull-request.ts';
import { hasSeen, type MarkedAnswer, parseReply, saidAt } from './answer-mark.ts';
import { asksNothing, type Context, settles } from './closes-thread.ts';
import { readTenor } from './read-tenor.ts';
import { type NoVoice, type Role, whyNoVoice } from './review-accounts.ts';

/** A comment whose author counts in the thread. */
export interface Word {
  readonly comment: ReviewComment & { readonly author: Actor };
  readonly role: Extract<Role, 'us' | 'author' | 'reviewer' | 'allowed_bot'>;
}

/** Why a thread asks for nothing. */
export type ThreadIgnoredWhy =
  | NoVoice
  | 'resolved'
  | 'empty'
  /** The comment that opened it was hidden, and nobody who counts has written another one. */
  | 'hidden'
  /** Those who may ask have only thanked or praised. */
  | 'no_request'
  /** Our answer is the last word; the reviewer is next. */
  | 'answered_by_us'
  /** The author of the pull request has the last word: people are working on it. */
  | 'answered_by_author'
  /** Only bots have written since our answer (trap 54). */
  | 'bot_loop';

/** What only a person can do about a thread that asks for nothing. */
export type ThreadWait =
  /** Our answer changed nothing, and no person has reacted to it. */
  | { readonly kind: 'answer'; readonly answer: MarkedAnswer; readonly answeredAt: EpochMs }
  /** The last word is of a deleted account, or of one whose permission was not read. */
  | { readonly kind: 'unknown_author' }
  /** Not all comments were read, and those that were ask for nothing. */
  | { readonly kind: 'unread' };

/** What a thread asks for. */
export type ThreadVerdict =
  | {
      readonly kind: 'actionable';
      /** The first account that asks, whoever opened the thread. */
      readonly asker: Actor;
      /** All comments of the accounts that count, oldest first. */
      readonly words: readonly Word[];
      /** Those of `words` that are more than thanks. */
      readonly said: readonly Word[];
    }
  | {
      readonly kind: 'ignored';
      readonly why: ThreadIgnoredWhy;
      readonly wait: ThreadWait | null;
      /** Reviewers in a thread in which we changed nothing: what they say settles it, if they may write. */
      readonly heard: readonly Actor[];
    };

interface Talk {
  readonly words: readonly Word[];
  /** Our newest answer. */
  readonly answer: MarkedAnswer | null;
  /** Comments of others that none of our answers has read. */
  readonly open: readonly Word[];
  /** Those of `open` that are more than thanks. */
  readonly said: readonly Word[];
}

type RoleOf = (actor: Actor | null) => Role;

/** Why the account that opened a thread does not count. */
type OpenedBy = NoVoice | 'hidden' | null;

/**
 * Judges a thread by who speaks in it, not by who opened it. It is actionable while somebody who may ask has the last word, also
 * if its lines have changed since. `given` are our answers to it, which GitHub may not show (yet).
 */
export function judgeThread(thread: ReviewThread, roleOf: RoleOf, given: readonly MarkedAnswer[]): ThreadVerdict {
  const [first] = thread.comments;
  if (thread.isResolved) return { kind: 'ignored', why: 'resolved', wait: null, heard: [] };
  if (first === undefined) return { kind: 'ignored', why: 'empty', wait: null, heard: [] };
  const talk = toTalk(toWords(thread, roleOf), given);
  const openedBy = first.isHidden === true ? 'hidden' : whyNoVoice(roleOf(first.author));
  const last = newestOf(talk.said);
  if (last === undefined) return toIgnored(thread, talk, { why: whyNothingSaid(talk, openedBy), roleOf });
  const why = whyLastIgnored(talk, last, openedBy);
  if (why !== null) return toIgnored(thread, talk, { why, roleOf });
  const said = talk.words.filter((word) => talk.said.includes(word) || !talk.open.includes(word));
  const asker = said.toReversed().reduce((found, word) => (isVoice(word) ? word : found), last);
  return { kind: 'actionable', asker: asker.comment.author, words: talk.words, said };
}

/** Hidden comments do not count, except our answers, because they were given. */
function toWords({ comments }: ReviewThread, roleOf: RoleOf): readonly Word[] {
  return comments.filter(hasAuthor).flatMap((comment) => {
    const role = roleOf(comment.author);
    if (comment.isHidden === true && role !== 'us') return [];
    return role === 'us' || role === 'author' || role === 'reviewer' || role === 'allowed_bot'
      ? [{ comment, role }]
      : [];
  });
}

function hasAuthor(comment: ReviewComment): comment is Word['comment'] {
  return comment.author !== null;
}

function toTalk(words: readonly Word[], given: readonly MarkedAnswer[]): Talk {
  const answers = [...words.flatMap(({ role, comment }) => (role === 'us' ? [parseReply(comment)] : [])), ...given];
  const answer = answers.toSorted((a, b) => a.at - b.at).at(-1) ?? null;
  const open = words.filter(({ role, comment }) => role !== 'us' && !answers.some((mark) => hasSeen(mark, comment)));
  const context = { answered: toAnswered(answer), authorSpoke: open.some(({ role }) => role === 'author') };
  const said = open.filter(({ role, comment }) => {
    const tenor = role === 'author' ? null : readTenor(comment.body);
    return tenor === null || !asksNothing(tenor, context);
  });
  return { words, answer, open, said };
}

function toAnswered(answer: MarkedAnswer | null): Context['answered'] {
  return answer === null ? null : (answer.status ?? 'unknown');
}

/** Why a thread in which nothing new was said asks for nothing. */
function whyNothingSaid({ words, answer }: Talk, openedBy: OpenedBy): ThreadIgnoredWhy {
  const isOurs = words.every(({ role }) => role === 'us');
  if (isOurs && (openedBy === 'hidden' || openedBy === 'by_us')) return openedBy;
  if (answer !== null) return 'answered_by_us';
  return openedBy === null || words.some(isVoice) ? 'no_request' : openedBy;
}

/** Why the last word asks for nothing; null: it asks. */
function whyLastIgnored({ words, answer, said }: Talk, last: Word, openedBy: OpenedBy): ThreadIgnoredWhy | null {
  if (last.role === 'author') {
    const isTalk = answer !== null || words.some(isVoice);
    return isTalk || openedBy === null ? 'answered_by_author' : openedBy;
  }
  return answer !== null && said.every(({ role }) => role === 'allowed_bot') ? 'bot_loop' : null;
}

function toIgnored(
  thread: ReviewThread,
  talk: Talk,
  { why, roleOf }: { readonly why: ThreadIgnoredWhy; readonly roleOf: RoleOf },
): ThreadVerdict {
  const isLeftOpen = talk.answer !== null && talk.answer.status !== 'fixed';
  const reviewers = isLeftOpen ? talk.words.filter(({ role }) => role === 'reviewer') : [];
  return {
    kind: 'ignored',
    why,
    wait: isUnknownLast(thread, talk, roleOf) ? { kind: 'unknown_author' } : findWait(thread, talk, why),
    heard: reviewers.map(({ comment }) => comment.author),
  };
}

function findWait(thread: ReviewThread, { words, open, answer }: Talk, why: ThreadIgnoredWhy): ThreadWait | null {
  if (why === 'hidden' || why === 'by_us' || why === 'answered_by_author') return null;
  if (answer === null) return thread.isPartial === true ? { kind: 'unread' } : null;
  if (answer.status === 'fixed') return null;
  const answered = toAnswered(answer);
  const isSettled = open.some(({ role, comment }) => {
    const tenor = role === 'reviewer' ? readTenor(comment.body) : null;
    return tenor !== null && settles(tenor, answered);
  });
  const ours = words.flatMap(({ role, comment }) => (role === 'us' ? [comment.createdAt] : []));
  return isSettled ? null : { kind: 'answer', answer, answeredAt: Math.max(answer.at, ...ours) };
}

/** Whether an unknown account asks for something, and no person who counts has written since. */
function isUnknownLast({ comments }: ReviewThread, { open, answer }: Talk, roleOf: RoleOf): boolean {
  const asks = comments.filter(
    (comment) =>
      roleOf(comment.author) === 'unknown' &&
      comment.isHidden !== true &&
      (answer === null || !hasSeen(answer, comment)) &&
      readTenor(comment.body) === null,
  );
  const people = open.flatMap(({ role, comment }) => (role === 'allowed_bot' ? [] : [saidAt(comment)]));
  return asks.some((comment) => people.every((at) => at < saidAt(comment)));
}

function newestOf(words: readonly Word[]): Word | undefined {
  return words.toSorted((a, b) => saidAt(a.comment) - saidAt(b.comment)).at(-1);
}

function isVoice({ role }: Word): boolean {
  return role === 'reviewer' || role === 'allowed_bot';
}
