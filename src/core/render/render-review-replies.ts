import type { Sha } from '../model/ids.ts';
import type { ReviewAnswer } from '../model/session.ts';
import { type AnswerMark, renderAnswerMark } from '../reviews/answer-mark.ts';
import { toInlineCode, toPlainText } from '../text/escape.ts';
import { toCountText } from '../text/words.ts';
import { toCommitLink } from './markdown.ts';

const MAX_REASON_LENGTH = 2000;

/** The pushed commit that the replies are about. */
export interface AnsweredBy {
  readonly commitSha: Sha;
  /** URL of the commit's page. */
  readonly url: string;
}

/** A request for changes without a thread, with its answer. */
export interface RequestReply {
  /** Who requested the changes; null if no longer known. */
  readonly author: string | null;
  readonly answer: ReviewAnswer;
}

const LEADS: Readonly<Record<ReviewAnswer['status'], (commit: string) => string>> = {
  fixed: (commit) => `Fixed in ${commit}.`,
  declined: () => 'Not changed.',
  needs_human: () => 'Left to a person.',
};

/**
 * The reply in one thread: what was done, the agent's words as plain text (without mentions, references or Markdown),
 * and the mark that records how far the thread was read.
 */
export function renderThreadReply(answer: ReviewAnswer, by: AnsweredBy, mark: AnswerMark): string {
  return `${renderAnswer(answer, by)}\n\n${renderAnswerMark(mark, answer.status)}`;
}

/** The text of the review that carries the replies. `marker` identifies it later. */
export function renderReviewBody(
  answers: readonly ReviewAnswer[],
  requests: readonly RequestReply[],
  by: AnsweredBy,
  marker: string,
): string {
  const counts = [
    toCount(answers, 'fixed', 'fixed'),
    toCount(answers, 'declined', 'not changed'),
    toCount(answers, 'needs_human', 'left to a person'),
  ].filter((count) => count !== '');
  return [
    `${toCountText(answers.length, 'review comment')} answered with ${toCommitLink(by.commitSha, by.url)}: ${counts.join(', ')}.`,
    ...requests.map((request) => renderRequest(request, by)),
    marker,
  ].join('\n\n');
}

function toCount(answers: readonly ReviewAnswer[], status: ReviewAnswer['status'], words: string): string {
  const count = answers.filter((answer) => answer.status === status).length;
  return count === 0 ? '' : `${count} ${words}`;
}

function renderRequest({ author, answer }: RequestReply, by: AnsweredBy): string {
  const who = author === null ? 'somebody' : toInlineCode(author);
  return `On the changes that ${who} requested: ${renderAnswer(answer, by)}`;
}

function renderAnswer({ status, reason }: ReviewAnswer, by: AnsweredBy): string {
  const words = toPlainText(reason, MAX_REASON_LENGTH);
  return [
    LEADS[status](toCommitLink(by.commitSha, by.url)),
    ...(words === '' ? [] : [`The agent says: ${words}`]),
  ].join(' ');
}
