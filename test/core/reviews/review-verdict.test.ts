import { describe, expect, it } from 'vitest';
import type { Review, ReviewThread } from '../../../src/core/model/pull-request.ts';
import { type IgnoredWhy, type ReviewInput, toReviewVerdict } from '../../../src/core/reviews/review-verdict.ts';
import { aComment, aPerson, aReview, aThread, NOW } from '../../support/builders.ts';

const US = aPerson({ id: 900, login: 'ratchet[bot]', kind: 'bot' });
const OTHER_BOT = aPerson({ id: 901, login: 'linter', kind: 'bot' });
const GRACE = aPerson({ id: 200, login: 'grace' });
const ALAN = aPerson({ id: 300, login: 'alan' });

function verdict(threads: readonly ReviewThread[], reviews: readonly Review[] = [], change: Partial<ReviewInput> = {}) {
  return toReviewVerdict({ threads, reviews, author: aPerson(), ownSlug: 'Ratchet', ...change });
}

describe('toReviewVerdict', () => {
  it('acts on an open thread of a reviewer', () => {
    expect(verdict([aThread()])).toEqual({
      actionable: [{ kind: 'thread', threadId: 'thread-1', path: 'src/a.ts', line: 3, author: 'grace' }],
      changesRequestedBy: [],
      newestCommentId: 'c1',
      ignored: [],
    });
  });

  it.each([
    ['resolved', { isResolved: true }],
    ['outdated', { isOutdated: true }],
    ['empty', { comments: [] }],
    ['author_unknown', { comments: [aComment({ author: null })] }],
    ['by_bot', { comments: [aComment({ author: OTHER_BOT })] }],
    ['by_author', { comments: [aComment({ author: aPerson() })] }],
    ['answered_by_us', { comments: [aComment(), aComment({ id: 2, author: US })] }],
    [
      'answered_by_us',
      { comments: [aComment(), aComment({ id: 2, author: aPerson({ id: 900, login: 'ratchet', kind: 'bot' }) })] },
    ],
  ] satisfies [IgnoredWhy, Partial<ReviewThread>][])('ignores a thread that is %s', (why, change) => {
    expect(verdict([aThread(change)])).toMatchObject({
      actionable: [],
      newestCommentId: null,
      ignored: [{ id: 'thread-1', why }],
    });
  });

  it.each([
    ['the reviewer came back', aComment({ id: 9, author: GRACE })],
    ['the author answered', aComment({ id: 9, author: aPerson() })],
    ['another bot answered', aComment({ id: 9, author: OTHER_BOT })],
    ['a person named like us answered', aComment({ id: 9, author: aPerson({ login: 'ratchet' }) })],
    ['a deleted account answered', aComment({ id: 9, author: null })],
  ])('acts when %s', (_what, last) => {
    expect(verdict([aThread({ comments: [aComment(), last] })])).toMatchObject({
      actionable: [{ kind: 'thread' }],
      newestCommentId: 'c9',
    });
  });

  it('takes every bot for us while our own name is not known (trap 145)', () => {
    const answered = aThread({ comments: [aComment(), aComment({ id: 2, author: OTHER_BOT })] });

    expect(verdict([answered], [], { ownSlug: null }).actionable).toEqual([]);
  });

  it('acts on threads of a pull request whose author is gone', () => {
    expect(verdict([aThread()], [], { author: null }).actionable).toHaveLength(1);
  });
});

describe('a request for changes', () => {
  it('is one item where it has no thread', () => {
    expect(verdict([], [aReview({ id: 5 })])).toEqual({
      actionable: [{ kind: 'changes_requested', reviewId: 5, author: 'grace' }],
      changesRequestedBy: ['grace'],
      newestCommentId: 'r5',
      ignored: [],
    });
  });

  it('is no item of its own beside an unresolved thread of its reviewer', () => {
    expect(verdict([aThread()], [aReview()])).toMatchObject({
      actionable: [{ kind: 'thread' }],
      changesRequestedBy: ['grace'],
    });
    expect(verdict([aThread({ isResolved: true })], [aReview()]).actionable).toMatchObject([
      { kind: 'changes_requested' },
    ]);
  });

  const AFTER: readonly (readonly [string, Partial<Review>, number])[] = [
    ['an approval', { state: 'approved' }, 0],
    ['a dismissal', { state: 'dismissed' }, 0],
    ['a mere comment', { state: 'commented' }, 1],
    ['a pending review', { state: 'pending', submittedAt: null }, 1],
    ['an unknown state', { state: 'unknown' }, 1],
    ['an approval of somebody else', { state: 'approved', author: ALAN }, 1],
  ];
  it.each(AFTER)('stands or falls with %s after it', (_what, change, count) => {
    const later = aReview({ id: 2, submittedAt: NOW + 1, ...change });

    expect(verdict([], [aReview(), later]).actionable).toHaveLength(count);
    expect(verdict([], [later, aReview()]).actionable).toHaveLength(count);
  });

  it('goes by id where the times are equal or missing', () => {
    const approval = aReview({ id: 2, state: 'approved', submittedAt: null });

    expect(verdict([], [approval, aReview({ submittedAt: null })]).actionable).toEqual([]);
  });

  it.each([
    ['the author', aPerson()],
    ['a bot', OTHER_BOT],
    ['nobody', null],
  ])('counts for nothing when %s asks', (_who, author) => {
    expect(verdict([], [aReview({ author })])).toMatchObject({ actionable: [], changesRequestedBy: [] });
  });

  it('gives a key in which a new comment shows beside a newer review', () => {
    const comments = [aComment({ id: 4, author: ALAN })];
    const before = verdict(
      [aThread({ comments })],
      [aReview({ id: 50 }), aReview({ id: 49, author: aPerson({ id: 301, login: 'kay' }) })],
    );
    const after = verdict([aThread({ comments: [...comments, aComment({ id: 6 })] })], [aReview({ id: 50 })]);

    expect([before.newestCommentId, after.newestCommentId]).toEqual(['c4.r50', 'c6.r50']);
    expect(before.changesRequestedBy).toEqual(['kay', 'grace']);
  });
});
