import type { EpochMs } from '../model/ids.ts';
import type { ReviewComment } from '../model/pull-request.ts';
import { ANSWER_STATUSES, type AnswerStatus } from '../model/session.ts';

/** How far one of our answers had read a thread. Later comments and edits are new. */
export interface AnswerMark {
  /** Newest comment that was read; null: none, and only `at` counts. */
  readonly commentId: number | null;
  /** Edits after this time were not read. */
  readonly at: EpochMs;
}

/** An answer that was read back from one of our replies. */
export interface MarkedAnswer extends AnswerMark {
  /** null: not known, because the reply has no mark, or one of an earlier version. */
  readonly status: AnswerStatus | null;
  /** The visible text of the reply. */
  readonly words: string;
}

/** An invisible line in each of our replies. Earlier versions wrote no status. */
const MARK = /^<!-- ratchet:seen=(?<commentId>\d{1,16}|-)@(?<at>\d{1,16})(?: (?<status>[a-z_]{1,20}))? -->$/gmu;

/** The agent's words in a reply are escaped. */
const ESCAPED = /\\([\\`*_[\]<>#~&$])/gu;

/** The text of the mark, for the end of a reply. */
export function renderAnswerMark({ commentId, at }: AnswerMark, status: AnswerStatus): string {
  return `<!-- ratchet:seen=${commentId ?? '-'}@${at} ${status} -->`;
}

/** The answer in one of our replies, by its last mark. A reply without a mark has read everything before it. */
export function parseReply({ body, createdAt }: Pick<ReviewComment, 'body' | 'createdAt'>): MarkedAnswer {
  const found = [...body.matchAll(MARK)].at(-1)?.groups;
  const words = body.replaceAll(MARK, '').replaceAll(ESCAPED, '$1').trim();
  if (found === undefined) return { commentId: null, at: createdAt, status: null, words };
  const commentId = found['commentId'] === '-' ? null : Number(found['commentId']);
  const status = ANSWER_STATUSES.find((known) => known === found['status']) ?? null;
  return { commentId, at: Number(found['at']), status, words };
}

/** When a comment was last written. An edit by a person counts (trap 92), an edit by a bot does not (trap 25). */
export function saidAt({ author, createdAt, updatedAt }: ReviewComment): EpochMs {
  return author?.kind === 'bot' ? createdAt : Math.max(createdAt, updatedAt);
}

/** Whether the author of the mark had read the current text of the comment. */
export function hasSeen(mark: AnswerMark, comment: ReviewComment): boolean {
  const isEdited = saidAt(comment) > comment.createdAt;
  if (mark.commentId === null || isEdited) return isKnownId(mark, comment) && saidAt(comment) <= mark.at;
  return isKnownId(mark, comment);
}

function isKnownId({ commentId }: AnswerMark, { id }: ReviewComment): boolean {
  return commentId === null || id <= commentId;
}
