import type { EpochMs } from '../model/ids.ts';
import type { ReviewThread } from '../model/pull-request.ts';
import type { ReviewAnswer } from '../model/session.ts';
import { type AnswerMark, hasSeen } from './answer-mark.ts';
import { createRoles, type ReviewAccounts } from './review-accounts.ts';

/** Answers that are owed, and the threads as they are now. */
export interface RepliesInput extends Pick<ReviewAccounts, 'author' | 'ownSlug'> {
  readonly answers: readonly ReviewAnswer[];
  /** Until when the agent had certainly read: what was edited later it may not have seen. */
  readonly seenAt: EpochMs;
  readonly threads: readonly ReviewThread[];
  readonly mayResolve: boolean;
}

/** What to say, and which threads to resolve after it. */
export interface ReplyPlan {
  readonly replies: readonly { readonly threadId: string; readonly answer: ReviewAnswer; readonly mark: AnswerMark }[];
  /** Answers to requests for changes that have no thread. */
  readonly requests: readonly ReviewAnswer[];
  readonly resolve: readonly string[];
}

/**
 * Only threads that are there and unresolved are answered. A thread is resolved when it was fixed, policy allows it, and
 * nobody but us has said anything since the agent read it.
 */
export function planReplies(input: RepliesInput): ReplyPlan {
  const threads = new Map(input.threads.map((thread) => [thread.id, thread]));
  const replies = input.answers.flatMap((answer) => {
    const thread = threads.get(answer.itemId);
    if (thread === undefined || thread.isResolved) return [];
    return [{ threadId: thread.id, answer, mark: { commentId: answer.newestCommentId, at: input.seenAt }, thread }];
  });
  return {
    replies: replies.map(({ threadId, answer, mark }) => ({ threadId, answer, mark })),
    requests: input.answers.filter(({ itemId }) => itemId.startsWith('review:')),
    resolve: replies.flatMap(({ thread, answer, mark }) =>
      input.mayResolve && answer.status === 'fixed' && isUnmoved(thread, mark, input) ? [thread.id] : [],
    ),
  };
}

function isUnmoved({ comments }: ReviewThread, mark: AnswerMark, { author, ownSlug }: RepliesInput): boolean {
  const roleOf = createRoles({ author, ownSlug, policy: { allowBots: [], ignore: [] }, writers: null });
  return comments.every((comment) => roleOf(comment.author) === 'us' || hasSeen(mark, comment));
}
