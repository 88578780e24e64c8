import { describe, expect, it } from 'vitest';
import { type CommentNode, toActor, toReview, toReviewThread } from '../../../src/core/reviews/to-review-facts.ts';
import { fakeSha, NOW } from '../../support/builders.ts';

const GRACE = { __typename: 'User', login: 'grace', databaseId: 200 };

function aNode(change: Partial<CommentNode> = {}): CommentNode {
  return { fullDatabaseId: 1, body: 'Rename this.', createdAt: NOW, author: GRACE, ...change };
}

describe('toActor', () => {
  it.each([
    [GRACE, { id: 200, login: 'grace', kind: 'user' }],
    [
      { ...GRACE, __typename: 'Bot' },
      { id: 200, login: 'grace', kind: 'bot' },
    ],
    [
      { ...GRACE, __typename: 'Mannequin' },
      { id: 200, login: 'grace', kind: 'bot' },
    ],
    [{ ...GRACE, databaseId: null }, null],
    [{ __typename: 'User', login: 'grace' }, null],
    [null, null],
  ])('takes %o for %o', (node, actor) => {
    expect(toActor(node)).toEqual(actor);
  });
});

describe('toReviewThread', () => {
  const thread = { id: 'PRRT_1', path: 'a.ts', line: null, isResolved: false, isOutdated: true };

  it('trap 93: tells edits, and comments that tell of none', () => {
    const comments = [aNode(), aNode({ lastEditedAt: null }), aNode({ lastEditedAt: NOW + 5 })];

    expect(toReviewThread({ ...thread, comments })).toEqual({
      ...thread,
      comments: [NOW, NOW, NOW + 5].map((updatedAt) => ({
        id: 1,
        author: { id: 200, login: 'grace', kind: 'user' },
        body: 'Rename this.',
        createdAt: NOW,
        updatedAt,
      })),
    });
  });

  it('tells what somebody hid', () => {
    const comments = [aNode({ isMinimized: true }), aNode({ isMinimized: false }), aNode({ isMinimized: null })];

    expect(toReviewThread({ ...thread, comments }).comments.map(({ isHidden }) => isHidden)).toEqual([
      true,
      undefined,
      undefined,
    ]);
  });

  it.each([
    [{ fullDatabaseId: 7 }, { reviewId: 7 }],
    [{ fullDatabaseId: null }, {}],
    [null, {}],
  ])('knows the review that it came with: %o', (pullRequestReview, expected) => {
    const found = toReviewThread({
      ...thread,
      comments: [aNode({ pullRequestReview }), aNode({ pullRequestReview: { fullDatabaseId: 8 } })],
    });

    expect('reviewId' in found ? { reviewId: found.reviewId } : {}).toEqual(expected);
  });

  it('may be empty', () => {
    expect(toReviewThread({ ...thread, comments: [] })).toEqual({ ...thread, comments: [] });
    expect(toReviewThread({ ...thread, comments: [], isPartial: true })).toMatchObject({ isPartial: true });
  });
});

describe('toReview', () => {
  const review = { fullDatabaseId: 5, body: 'No.', submittedAt: NOW, commit: { oid: fakeSha('head') }, author: GRACE };

  it.each([
    ['APPROVED', 'approved'],
    ['CHANGES_REQUESTED', 'changes_requested'],
    ['changes_requested', 'changes_requested'],
    ['COMMENTED', 'commented'],
    ['DISMISSED', 'dismissed'],
    ['PENDING', 'pending'],
    ['SNOOZED', 'unknown'],
    ['', 'unknown'],
  ])('trap 89: reads the state %s as %s', (state, expected) => {
    expect(toReview({ ...review, state }).state).toBe(expected);
  });

  it('trap 94: may be pending, without a time and a commit', () => {
    expect(toReview({ ...review, state: 'PENDING', submittedAt: null, commit: null })).toEqual({
      id: 5,
      author: { id: 200, login: 'grace', kind: 'user' },
      state: 'pending',
      body: 'No.',
      submittedAt: null,
      commitSha: null,
    });
    expect(toReview({ ...review, state: 'APPROVED' })).toMatchObject({ submittedAt: NOW, commitSha: fakeSha('head') });
  });
});
