import { rowOf } from '../find.ts';
import {
  addComment,
  addReaction,
  addReply,
  addReview,
  changeComment,
  changeReview,
  type LineRemark,
  removeComment,
  setThreadResolved,
} from '../operations/change-conversation.ts';
import type { ReactionContent, ReviewState } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { ensureAccount } from './people-control.ts';
import { type PullAct, requireAct } from './pull-control.ts';

/** What people say on pull requests. Ids are those of the API. */
export type ConversationControl = {
  /** Comments on the conversation tab and returns the comment's id. */
  readonly comment: (act: PullAct & { readonly body: string }) => number;
  readonly editComment: (act: { readonly id: number; readonly body: string; readonly login: string }) => void;
  readonly deleteComment: (act: { readonly id: number; readonly login: string }) => void;
  readonly react: (act: {
    readonly commentId: number;
    readonly content: ReactionContent;
    readonly login: string;
  }) => void;
  /** Submits a review and returns its id. Each comment opens a thread. */
  readonly review: (
    act: PullAct & {
      readonly state: ReviewState;
      readonly body?: string;
      readonly comments?: readonly LineRemark[];
    },
  ) => Promise<number>;
  readonly dismissReview: (act: { readonly id: number; readonly login: string }) => Promise<void>;
  readonly editReview: (act: { readonly id: number; readonly body: string; readonly login: string }) => Promise<void>;
  /** Comments on a line, in a review of its own, and returns the thread's id. */
  readonly reviewComment: (act: PullAct & LineRemark) => Promise<number>;
  /** Answers in a thread and returns the comment's id. */
  readonly reply: (act: {
    readonly threadId: number;
    readonly body: string;
    readonly login: string;
  }) => Promise<number>;
  readonly resolveThread: (act: { readonly threadId: number; readonly login: string }) => Promise<void>;
  readonly unresolveThread: (act: { readonly threadId: number; readonly login: string }) => Promise<void>;
};

/** Creates the controls. */
export function createConversationControl(world: WorldContext): ConversationControl {
  const { issueComments, reviews, reviewThreads } = world.state;

  async function setResolved(
    act: { readonly threadId: number; readonly login: string },
    isResolved: boolean,
  ): Promise<void> {
    await setThreadResolved(world, rowOf(reviewThreads, act.threadId), isResolved, ensureAccount(world, act.login));
  }

  async function submit(act: Parameters<ConversationControl['review']>[0]): Promise<number> {
    const { pull, login } = requireAct(world, act);
    const { state, body = '', comments = [] } = act;
    return (await addReview(world, pull, { login, body, state, comments })).id;
  }

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
        subject: 'issue-comment',
        subjectId: commentId,
        content,
        login: ensureAccount(world, login),
      });
    },
    review: submit,
    dismissReview: async (act) => {
      await changeReview(world, rowOf(reviews, act.id), { kind: 'dismiss' }, ensureAccount(world, act.login));
    },
    editReview: async (act) => {
      const change = { kind: 'edit', body: act.body } as const;
      await changeReview(world, rowOf(reviews, act.id), change, ensureAccount(world, act.login));
    },
    reviewComment: async ({ path, line, body, ...act }) => {
      const reviewId = await submit({ ...act, state: 'COMMENTED', comments: [{ path, line, body }] });
      const comment = world.state.reviewComments.values().find((row) => row.reviewId === reviewId);
      return comment?.threadId ?? 0;
    },
    reply: async (act) => {
      const remark = { login: ensureAccount(world, act.login), body: act.body };
      return (await addReply(world, rowOf(reviewThreads, act.threadId), remark)).id;
    },
    resolveThread: async (act) => {
      await setResolved(act, true);
    },
    unresolveThread: async (act) => {
      await setResolved(act, false);
    },
  };
}
