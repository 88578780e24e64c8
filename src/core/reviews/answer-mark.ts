import type { EpochMs } from '../model/ids.ts';
import type { ReviewComment } from '../model/pull-request.ts';

/** How far one of our answers had read a thread. Later comments and edits are new. */
export interface AnswerMark {
  /** Newest comment that was read; null: none, and only `at` counts. */
  readonly commentId: number | null;
  /** Edits after this time were not read. */
  readonly at: EpochMs;
}

/** An invisible line in each of our replies. */
const MARK = /^<!-- ratchet:seen=(?<commentId>\d{1,16}|-)@(?<at>\d{1,16}) -->$/gmu;

/** The text of the mark, for the end of a reply. */
export function renderAnswerMark({ commentId, at }: AnswerMark): string {
  return `<!-- ratchet:seen=${commentId ?? '-'}@${at} -->`;
}

/** The last mark in one of our replies; null if there is none. Marks in the text of other accounts mean nothing. */
export function parseAnswerMark(body: string): AnswerMark | null {
  const found = [...body.matchAll(MARK)].at(-1)?.groups;
  if (found === undefined) return null;
  return { commentId: found['commentId'] === '-' ? null : Number(found['commentId']), at: Number(found['at']) };
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
