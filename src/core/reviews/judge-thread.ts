import type { Actor, ReviewComment, ReviewThread } from '../model/pull-request.ts';
import { type AnswerMark, hasSeen, parseAnswerMark, saidAt } from './answer-mark.ts';
import { type NoVoice, type Role, whyNoVoice } from './review-accounts.ts';

/** A comment whose author counts in the thread. */
export interface Word {
  readonly comment: ReviewComment;
  readonly role: Extract<Role, 'us' | 'author' | 'reviewer' | 'allowed_bot'>;
}

/** Why a thread asks for nothing. */
export type ThreadIgnoredWhy =
  | NoVoice
  | 'resolved'
  | 'outdated'
  | 'empty'
  /** Its first comment was hidden. */
  | 'hidden'
  /** Our answer is the last word; the reviewer is next. */
  | 'answered_by_us'
  /** The author of the pull request has the last word: people are working on it. */
  | 'answered_by_author'
  /** Only bots have written since our answer (trap 54). */
  | 'bot_loop';

/** What a thread asks for. */
export type ThreadVerdict =
  | { readonly kind: 'actionable'; readonly opener: Actor; readonly words: readonly Word[] }
  | { readonly kind: 'ignored'; readonly why: ThreadIgnoredWhy };

/**
 * Judges a thread by who opened it. It is actionable while somebody who may ask has the last word. `marks` are our answers to it,
 * which GitHub may not show (yet).
 */
export function judgeThread(
  thread: ReviewThread,
  roleOf: (actor: Actor | null) => Role,
  marks: readonly AnswerMark[],
): ThreadVerdict {
  if (thread.isResolved) return ignored('resolved');
  const opener = findOpener(thread, roleOf);
  if (opener.kind === 'ignored') return opener;
  const words = toWords(thread, roleOf);
  const open = toOpenWords(words, marks);
  const last = newestOf(open);
  const isAnswered = open.length < words.length;
  if (last === undefined) return ignored('answered_by_us');
  if (thread.isOutdated && !isAnswered && !isAuthorAnswered(words, last)) return ignored('outdated');
  if (last.role === 'author') return ignored('answered_by_author');
  if (isAnswered && open.every(({ role }) => role === 'allowed_bot')) return ignored('bot_loop');
  return { kind: 'actionable', opener: opener.by, words };
}

/** The account that opened the thread if it may ask for changes, else why it is ignored. */
function findOpener(
  { comments }: ReviewThread,
  roleOf: (actor: Actor | null) => Role,
): { readonly kind: 'opened'; readonly by: Actor } | (ThreadVerdict & { readonly kind: 'ignored' }) {
  const first = comments[0];
  if (first === undefined) return ignored('empty');
  if (first.isHidden === true) return ignored('hidden');
  const { author } = first;
  if (author === null) return ignored('author_unknown');
  const why = whyNoVoice(roleOf(author));
  return why === null ? { kind: 'opened', by: author } : ignored(why);
}

/** Hidden comments do not count, except our answers, because they were given. */
function toWords({ comments }: ReviewThread, roleOf: (actor: Actor | null) => Role): readonly Word[] {
  return comments.flatMap((comment) => {
    const role = roleOf(comment.author);
    if (comment.isHidden === true && role !== 'us') return [];
    return role === 'us' || role === 'author' || role === 'reviewer' || role === 'allowed_bot'
      ? [{ comment, role }]
      : [];
  });
}

/** Comments of others that none of our answers has read. */
function toOpenWords(words: readonly Word[], marks: readonly AnswerMark[]): readonly Word[] {
  const ours = words.flatMap(({ role, comment }) => (role === 'us' ? [toMark(comment)] : []));
  const all = [...marks, ...ours];
  return words.filter(({ role, comment }) => role !== 'us' && !all.some((mark) => hasSeen(mark, comment)));
}

/** A reply of ours without a mark has read everything before it. */
function toMark({ body, createdAt }: ReviewComment): AnswerMark {
  const said = parseAnswerMark(body);
  return said ?? { commentId: null, at: createdAt };
}

function newestOf(words: readonly Word[]): Word | undefined {
  return words.reduce<Word | undefined>((newest, word) => {
    const isNewer = newest === undefined || saidAt(word.comment) >= saidAt(newest.comment);
    return isNewer ? word : newest;
  }, undefined);
}

/** The author had answered and the reviewer came back: the line may have changed, but the request stands. */
function isAuthorAnswered(words: readonly Word[], last: Word): boolean {
  return last.role !== 'author' && words.some(({ role }) => role === 'author');
}

function ignored(why: ThreadIgnoredWhy): ThreadVerdict & { readonly kind: 'ignored' } {
  return { kind: 'ignored', why };
}
