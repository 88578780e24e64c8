import type { EpochMs, Sha } from '../model/ids.ts';
import type { ReviewAnswer } from '../model/session.ts';
import { type AnswerMark, hasSeen } from './answer-mark.ts';
import { asksNothing } from './closes-thread.ts';
import { readTenor } from './read-tenor.ts';
import { type ActionableItem, toItemId } from './review-verdict.ts';

/** A fixup that declined all of its items. */
export interface Declined {
  readonly answers: readonly ReviewAnswer[];
  /** Time until which the agent had certainly read. */
  readonly at: EpochMs;
  readonly headSha: Sha;
}

/**
 * Whether everything that reviewers ask for now was declined then, and only thanks or consent were written since. A thread stays
 * declined if its lines change. A request without a thread is about the whole head.
 */
export function isDeclined(actionable: readonly ActionableItem[], headSha: Sha, declined: Declined): boolean {
  const answers = new Map(declined.answers.map((answer) => [answer.itemId, answer]));
  return actionable.every((item) => {
    const answer = answers.get(toItemId(item));
    if (answer === undefined) return false;
    if (item.kind === 'changes_requested') return headSha === declined.headSha;
    const mark: AnswerMark = { commentId: answer.newestCommentId, at: declined.at };
    return item.words.every(({ role, comment }) => {
      const tenor = role === 'author' ? null : readTenor(comment.body);
      const isConsent = tenor !== null && asksNothing(tenor, { answered: answer.status, authorSpoke: false });
      return role === 'us' || hasSeen(mark, comment) || isConsent;
    });
  });
}
