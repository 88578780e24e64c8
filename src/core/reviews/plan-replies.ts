import type { EpochMs } from '../model/ids.ts';
import type { ReviewThread } from '../model/pull-request.ts';
import type { ReviewAnswer } from '../model/session.ts';
import { type AnswerMark, hasSeen } from './answer-mark.ts';
import { createRoles, type ReviewAccounts } from './review-accounts.ts';

/** Answers to post, and the current threads. */
export interface RepliesInput extends Pick<ReviewAccounts, 'author' | 'ownSlug'> {
  readonly answers: readonly ReviewAnswer[];
  /** Time until which the agent had certainly read; it may have missed later edits. */
  readonly seenAt: EpochMs;
  readonly threads: readonly ReviewThread[];
  readonly mayResolve: boolean;
}

/** Replies to post, and threads to resolve afterwards. */
export interface ReplyPlan {
  readonly replies: readonly { readonly threadId: string; readonly answer: ReviewAnswer; readonly mark: AnswerMark }[];
  /** Answers to requests for changes without a thread. */
  readonly requests: readonly ReviewAnswer[];
  readonly resolve: readonly string[];
}

/**
 * Answers only threads that exist and are unresolved. Resolves a thread if it was fixed, the policy allows it, and only we have
 * written since the agent read it.
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
  const roleOf = createRoles({
    ...{ author, ownSlug, policy: { allowBots: [], ignore: [] } },
    ...{ writers: null, unread: new Set() },
  });
  return comments.every((comment) => roleOf(comment.author) === 'us' || hasSeen(mark, comment));
}
