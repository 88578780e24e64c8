import type { EpochMs } from '../model/ids.ts';
import type { ReviewComment } from '../model/pull-request.ts';

/** Up to where an answer of ours has read a thread: what came or was edited after it is a new word. */
export interface AnswerMark {
  /** Newest comment that was seen; null: none, and `at` alone counts. */
  readonly commentId: number | null;
  /** What was edited after it was not seen. */
  readonly at: EpochMs;
}

/** A line of its own, which nobody sees, in each reply of ours. */
const MARK = /^<!-- ratchet:seen=(?<commentId>\d{1,16}|-)@(?<at>\d{1,16}) -->$/gmu;

/** The text of the mark, for the end of a reply. */
export function renderAnswerMark({ commentId, at }: AnswerMark): string {
  return `<!-- ratchet:seen=${commentId ?? '-'}@${at} -->`;
}

/** The last mark in the text of a reply of ours; null when there is none. Of another account's text it means nothing. */
export function parseResponseMark(body: string): AnswerMark | null {
  const found = [...body.replaceAll('\r', '').matchAll(MARK)].at(-1)?.groups;
  if (found === undefined) return null;
  return { commentId: found['commentId'] === '-' ? null : Number(found['commentId']), at: Number(found['at']) };
}

/** When a comment was last said: an edit by a person counts (trap 92), one by a bot, as of a summary, does not (trap 25). */
export function saidAt({ author, createdAt, updatedAt }: ReviewComment): EpochMs {
  return author?.kind === 'bot' ? createdAt : Math.max(createdAt, updatedAt);
}

/** Whether whoever made the mark had seen what the comment says now. */
export function hasSeen(mark: AnswerMark, comment: ReviewComment): boolean {
  const isEdited = saidAt(comment) > comment.createdAt;
  if (mark.commentId === null || isEdited) return isKnownId(mark, comment) && saidAt(comment) <= mark.at;
  return isKnownId(mark, comment);
}

function isKnownId({ commentId }: AnswerMark, { id }: ReviewComment): boolean {
  return commentId === null || id <= commentId;
}
