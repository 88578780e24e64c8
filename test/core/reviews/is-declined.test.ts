import { describe, expect, it } from 'vitest';
import type { Sha } from '../../../src/core/model/ids.ts';
import { type Declined, isDeclined } from '../../../src/core/reviews/is-declined.ts';
import type { Word } from '../../../src/core/reviews/judge-thread.ts';
import type { RequestItem, ThreadItem } from '../../../src/core/reviews/review-verdict.ts';
import { aComment, anAnswer, fakeSha, NOW } from '../../support/builders.ts';

const HEAD = fakeSha('head');
const OTHER = fakeSha('other');
const REQUEST: RequestItem = { kind: 'changes_requested', reviewId: 5, author: 'alan', body: 'Add a test.' };
const COMMENT = { id: 7, createdAt: NOW - 10, updatedAt: NOW - 10 };

function aThreadItem(change: Partial<ThreadItem> = {}): ThreadItem {
  return {
    ...{ kind: 'thread', threadId: 'thread-1', path: 'src/a.ts', line: 3, author: 'grace' },
    ...{ words: [{ role: 'reviewer', comment: aComment(COMMENT) }], newestCommentId: 7, request: '' },
    ...change,
  };
}

const DECLINED: Declined = {
  answers: [
    anAnswer({ itemId: 'thread-1', status: 'declined', newestCommentId: 7 }),
    anAnswer({ itemId: 'review:5', status: 'needs_human', newestCommentId: null }),
  ],
  at: NOW,
  headSha: HEAD,
};

describe('what was declined', () => {
  it.each<[string, boolean, readonly (ThreadItem | RequestItem)[], Sha]>([
    ['is declined at another head too, being about its lines', true, [aThreadItem()], OTHER],
    ['is declined at the same head, with a request for changes', true, [aThreadItem(), REQUEST], HEAD],
    ['is not at another head where a request has no thread', false, [aThreadItem(), REQUEST], OTHER],
    ['is not where a thread is new', false, [aThreadItem(), aThreadItem({ threadId: 'thread-2' })], HEAD],
    ['is not where a request is new', false, [{ ...REQUEST, reviewId: 6 }], HEAD],
    ['is declined still when some of it was resolved since', true, [], OTHER],
  ])('%s (S8)', (_what, expected, actionable, head) => {
    expect(isDeclined(actionable, head, DECLINED)).toBe(expected);
  });

  it.each<
    [string, boolean, { readonly id?: number; readonly updatedAt?: number; readonly body?: string }, Word['role']]
  >([
    ['a newer comment', false, { id: 8 }, 'reviewer'],
    ['an edit that the agent did not see', false, { updatedAt: NOW + 1 }, 'reviewer'],
    ['an edit that it saw', true, { updatedAt: NOW }, 'reviewer'],
    ['our own words', true, { id: 8 }, 'us'],
    ['thanks', true, { id: 8, body: 'Thanks!' }, 'reviewer'],
    ['consent', true, { id: 8, body: 'Fair enough, leave it as it is.' }, 'reviewer'],
    ['thanks that ask for more', false, { id: 8, body: 'Thanks, but please rename it.' }, 'reviewer'],
    ['thanks of the author, who may mean anything', false, { id: 8, body: 'Thanks!' }, 'author'],
  ])('with %s: %s (S8)', (_what, expected, change, role) => {
    const comment = aComment({ ...COMMENT, ...change });
    const words = [...aThreadItem().words, { role, comment }];

    expect(isDeclined([aThreadItem({ words })], OTHER, DECLINED)).toBe(expected);
  });
});

it('does not take agreement for consent after a question of ours (S8)', () => {
  const answers = [anAnswer({ itemId: 'thread-1', status: 'needs_human', newestCommentId: 7 })];
  const agreed = aComment({ ...COMMENT, id: 8, body: 'Agreed.' });
  const words = [...aThreadItem().words, { role: 'reviewer' as const, comment: agreed }];

  expect(isDeclined([aThreadItem({ words })], HEAD, DECLINED)).toBe(true);
  expect(isDeclined([aThreadItem({ words })], HEAD, { ...DECLINED, answers })).toBe(false);
});
