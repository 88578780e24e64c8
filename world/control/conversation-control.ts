import { rowOf } from '../find.ts';
import { addComment, addReaction, changeComment, removeComment } from '../operations/change-conversation.ts';
import type { ReactionContent } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { ensureAccount } from './people-control.ts';
import { type PullAct, requireAct } from './pull-control.ts';
import { createReviewControl, type ReviewControl } from './review-control.ts';

/** What people write on pull requests. Ids are those of the API. */
export type ConversationControl = ReviewControl & {
  /** Comments on the conversation tab. Returns the comment's id. */
  readonly comment: (act: PullAct & { readonly body: string }) => number;
  readonly editComment: (act: { readonly id: number; readonly body: string; readonly login: string }) => void;
  readonly deleteComment: (act: { readonly id: number; readonly login: string }) => void;
  /** Reacts to a comment of either kind. */
  readonly react: (act: {
    readonly commentId: number;
    readonly content: ReactionContent;
    readonly login: string;
  }) => void;
};

export function createConversationControl(world: WorldContext): ConversationControl {
  const { issueComments, reviewComments } = world.state;

  return {
    comment: (act) => {
      const { pull, login } = requireAct(world, act);
      return addComment(world, pull, { login, body: act.body }).id;
    },
    editComment: (act) => {
      changeComment(world, rowOf(issueComments, act.id), { login: ensureAccount(world, act.login), body: act.body });
    },
    deleteComment: (act) => {
      removeComment(world, rowOf(issueComments, act.id), ensureAccount(world, act.login));
    },
    react: ({ commentId, content, login }) => {
      addReaction(world, {
        subject: reviewComments.has(commentId) ? 'review-comment' : 'issue-comment',
        subjectId: commentId,
        content,
        login: ensureAccount(world, login),
      });
    },
    ...createReviewControl(world),
  };
}
