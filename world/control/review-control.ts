import { rowOf } from '../find.ts';
import {
  addReply,
  addReview,
  changeReviewComment,
  dismissReview,
  editReview,
  type LineRemark,
  setThreadResolved,
  startReview,
  submitReview,
} from '../operations/change-reviews.ts';
import type { SubmittedReviewState } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { ensureAccount } from './people-control.ts';
import { type PullAct, requireAct } from './pull-control.ts';

/** What people and bots write on the diff. Ids are those of the API. */
export type ReviewControl = {
  /** Submits a review and returns its id. Each comment opens a thread. */
  readonly review: (
    act: PullAct & {
      readonly state: SubmittedReviewState;
      readonly body?: string;
      readonly comments?: readonly LineRemark[];
    },
  ) => Promise<number>;
  /** Starts a pending review, which only its author sees, and returns its id. The author's replies join it. */
  readonly startReview: (
    act: PullAct & { readonly body?: string; readonly comments?: readonly LineRemark[] },
  ) => Promise<number>;
  /** Submits a pending review. */
  readonly submitReview: (act: { readonly id: number; readonly state: SubmittedReviewState }) => Promise<void>;
  readonly dismissReview: (act: { readonly id: number; readonly login: string }) => Promise<void>;
  readonly editReview: (act: { readonly id: number; readonly body: string; readonly login: string }) => Promise<void>;
  /** Changes the text of a review comment. */
  readonly editReviewComment: (act: {
    readonly id: number;
    readonly body: string;
    readonly login: string;
  }) => Promise<void>;
  /** Comments on a line, in a new review, and returns the thread's id. */
  readonly reviewComment: (act: PullAct & LineRemark) => Promise<number>;
  /** Replies in a thread and returns the comment's id. */
  readonly reply: (act: {
    readonly threadId: number;
    readonly body: string;
    readonly login: string;
  }) => Promise<number>;
  readonly resolveThread: (act: { readonly threadId: number; readonly login: string }) => Promise<void>;
  readonly unresolveThread: (act: { readonly threadId: number; readonly login: string }) => Promise<void>;
};

export function createReviewControl(world: WorldContext): ReviewControl {
  const { reviews, reviewComments, reviewThreads } = world.state;

  async function setResolved(
    act: { readonly threadId: number; readonly login: string },
    isResolved: boolean,
  ): Promise<void> {
    await setThreadResolved(world, rowOf(reviewThreads, act.threadId), isResolved, ensureAccount(world, act.login));
  }

  async function submit(act: Parameters<ReviewControl['review']>[0]): Promise<number> {
    const { pull, login } = requireAct(world, act);
    const { state, body = '', comments = [] } = act;
    return (await addReview(world, pull, { login, body, state, comments })).id;
  }

  return {
    review: submit,
    startReview: async (act) => {
      const { pull, login } = requireAct(world, act);
      const { body = '', comments = [] } = act;
      return (await startReview(world, pull, { login, body, comments })).id;
    },
    submitReview: async (act) => {
      await submitReview(world, rowOf(reviews, act.id), { state: act.state, body: null });
    },
    dismissReview: async (act) => {
      await dismissReview(world, rowOf(reviews, act.id), ensureAccount(world, act.login));
    },
    editReview: async (act) => {
      await editReview(world, rowOf(reviews, act.id), { login: ensureAccount(world, act.login), body: act.body });
    },
    editReviewComment: async (act) => {
      const remark = { login: ensureAccount(world, act.login), body: act.body };
      await changeReviewComment(world, rowOf(reviewComments, act.id), remark);
    },
    reviewComment: async ({ path, line, body, ...act }) => {
      const reviewId = await submit({ ...act, state: 'COMMENTED', comments: [{ path, line, body }] });
      const comment = reviewComments.values().find((row) => row.reviewId === reviewId);
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
