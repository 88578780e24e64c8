import type { Actor, Review, ReviewComment, ReviewThread } from '../../src/core/model/pull-request.ts';
import type { AnswerStatus } from '../../src/core/model/session.ts';
import { renderAnswerMark } from '../../src/core/reviews/answer-mark.ts';
import type { GivenAnswer, ReviewInput } from '../../src/core/reviews/judge-reviews.ts';
import { type ReviewVerdict, toReviewVerdict } from '../../src/core/reviews/review-verdict.ts';
import { aComment, aPerson, aThread, NOW } from './builders.ts';

export const US = aPerson({ id: 900, login: 'ratchet[bot]', kind: 'bot' });
export const LINTER = aPerson({ id: 901, login: 'linter', kind: 'bot' });
export const ADA = aPerson();
export const GRACE = aPerson({ id: 200, login: 'grace' });
export const ALAN = aPerson({ id: 300, login: 'alan' });
export const SECOND = 1000;

/** Our answer, in `talk` to everything that was said before it. */
export function ours(status: AnswerStatus, words = 'Because.'): Partial<ReviewComment> {
  return { author: US, body: `${words}\n\n${renderAnswerMark({ commentId: null, at: 0 }, status)}` };
}
export const FIXED = ours('fixed');
export const DECLINED = ours('declined');
export const ASKED = ours('needs_human', 'Left to a person. The agent says: Which \\*name\\*?');

/** What a test changes in the input of the verdict. */
export type ReviewChange = Partial<ReviewInput> & {
  readonly allowBots?: readonly string[];
  readonly ignore?: readonly string[];
};

/** Open threads and reviews of one pull request by Ada, with everybody's words. */
export function anInput({ allowBots = [], ignore = [], ...change }: ReviewChange = {}): ReviewInput {
  const policy = { allowBots, ignore };
  return {
    ...{ threads: [], reviews: [], author: ADA, ownSlug: 'Ratchet', policy, given: [] },
    ...{ writers: null, unread: new Set(), mustResolveThreads: false, ...change },
  };
}

/** An answer of ours that is stored, to the first thread. */
export function aGiven(change: Partial<GivenAnswer> = {}): GivenAnswer {
  return {
    ...{ itemId: 'thread-1', commentId: 1, at: NOW, status: 'fixed', words: 'Done.', resolvesSoon: false },
    ...change,
  };
}

/** The verdict over threads and reviews. */
export function verdict(
  threads: readonly ReviewThread[],
  reviews: readonly Review[] = [],
  change: ReviewChange = {},
): ReviewVerdict {
  return toReviewVerdict(anInput({ threads, reviews, ...change }));
}

/** Who said something, or what. */
export type Said = Actor | null | Partial<ReviewComment>;

/** A comment of somebody with this text. */
export function says(author: Actor | null, body: string): Partial<ReviewComment> {
  return { author, body };
}

/** A thread in which these said something, one second after the other. */
export function talk(...said: readonly Said[]): ReviewThread {
  return aThread({
    comments: said.map((one, index) => {
      const createdAt = NOW + index * SECOND;
      const change = one === null || 'login' in one ? { author: one } : one;
      const comment = aComment({ id: index + 1, createdAt, ...change });
      return { ...comment, body: comment.body.replace('seen=-@0', `seen=-@${createdAt}`) };
    }),
  });
}
