import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANSWER_STATUSES, type ReviewAnswer } from '../../../src/core/model/session.ts';
import { hasSeen, parseReply, renderAnswerMark, saidAt } from '../../../src/core/reviews/answer-mark.ts';
import { type AnswersInput, judgeAnswers } from '../../../src/core/reviews/judge-answers.ts';
import { planReplies, type RepliesInput } from '../../../src/core/reviews/plan-replies.ts';
import { type AgentReviewItem, MAX_REVIEW_ITEMS, toReviewItems } from '../../../src/core/reviews/review-items.ts';
import type { ActionableItem, RequestItem, ThreadItem } from '../../../src/core/reviews/review-verdict.ts';
import { aComment, anAnswer, aPerson, aThread, NOW } from '../../support/builders.ts';

const US = aPerson({ id: 900, login: 'ratchet[bot]', kind: 'bot' });
const LINTER = aPerson({ id: 901, login: 'linter', kind: 'bot' });

function aThreadItem(change: Partial<ThreadItem> = {}): ThreadItem {
  return {
    ...{ kind: 'thread', threadId: 'thread-1', path: 'src/a.ts', line: 3, author: 'grace' },
    ...{ words: [{ role: 'reviewer', comment: aComment() }], newestCommentId: 1, request: '' },
    ...change,
  };
}

const REQUEST: RequestItem = { kind: 'changes_requested', reviewId: 5, author: 'alan', body: 'Add a test.' };

describe('the mark of an answer', () => {
  it('is found again in the reply that ends with it', () => {
    const mark = fc.record({
      commentId: fc.option(fc.nat(), { nil: null }),
      at: fc.nat({ max: 2 ** 52 }),
      status: fc.constantFrom(...ANSWER_STATUSES),
    });
    fc.assert(
      fc.property(mark, fc.constantFrom('\n', '\r\n'), (expected, lineEnd) => {
        const body = `See \\*this\\*.${lineEnd}${lineEnd}${renderAnswerMark(expected, expected.status)}`;

        expect(parseReply({ body, createdAt: 1 })).toEqual({ ...expected, words: 'See *this*.' });
      }),
    );
  });

  it.each([
    ['nothing', 'Fixed.'],
    ['words before it on its line', 'The agent says: <!-- ratchet:seen=1@2 -->'],
    ['words after it on its line', '<!-- ratchet:seen=1@2 --> and more'],
    ['no number', '<!-- ratchet:seen=x@2 -->'],
  ])('is not there with %s: such a reply has read everything before it', (_what, body) => {
    expect(parseReply({ body, createdAt: 7 })).toEqual({ commentId: null, at: 7, status: null, words: body });
  });

  it.each([
    ['an earlier version', '<!-- ratchet:seen=-@2 -->'],
    ['a later version', '<!-- ratchet:seen=-@2 half_fixed -->'],
  ])('has no status that is known where it is of %s', (_what, mark) => {
    expect(parseReply({ body: `Done.\n${mark}`, createdAt: 7 })).toEqual({
      ...{ commentId: null, at: 2, status: null, words: 'Done.' },
    });
  });

  it('is the last one where there are more', () => {
    const marks = [
      renderAnswerMark({ commentId: 1, at: 2 }, 'fixed'),
      renderAnswerMark({ commentId: 3, at: 4 }, 'declined'),
    ];

    expect(parseReply({ body: marks.join('\n'), createdAt: 0 })).toEqual({
      ...{ commentId: 3, at: 4, status: 'declined', words: '' },
    });
  });

  it.each([
    [{ commentId: 5, at: NOW - 1 }, {}, true],
    [{ commentId: 4, at: NOW + 9 }, {}, false],
    [{ commentId: 5, at: NOW + 7 }, { updatedAt: NOW + 7 }, true],
    [{ commentId: 5, at: NOW + 6 }, { updatedAt: NOW + 7 }, false],
    [{ commentId: 4, at: NOW + 9 }, { updatedAt: NOW + 7 }, false],
    [{ commentId: 5, at: NOW - 1 }, { updatedAt: NOW + 7, author: LINTER }, true],
    [{ commentId: null, at: NOW }, {}, true],
    [{ commentId: null, at: NOW - 1 }, {}, false],
  ])('%o has seen %o: %s', (mark, change, seen) => {
    expect(hasSeen(mark, aComment({ id: 5, ...change }))).toBe(seen);
  });

  it('trap 93: takes a comment for said when it was written where the edit is told to be older', () => {
    expect(saidAt(aComment({ updatedAt: NOW - 1 }))).toBe(NOW);
  });
});

describe('toReviewItems', () => {
  const at = (threadId: string, path: string, line: number | null): ActionableItem =>
    aThreadItem({ threadId, path, line });

  it('tells requests first, then threads file by file from top to bottom', () => {
    const actionable = [at('t1', 'b.ts', 9), at('t2', 'a.ts', 7), at('t3', 'b.ts', null), at('t4', 'a.ts', 2), REQUEST];

    expect(toReviewItems(actionable).map(({ id, itemId, newestCommentId }) => [id, itemId, newestCommentId])).toEqual([
      ['item-1', 'review:5', null],
      ['item-2', 't4', 1],
      ['item-3', 't2', 1],
      ['item-4', 't3', 1],
      ['item-5', 't1', 1],
    ]);
  });

  it('keeps the order of several requests', () => {
    expect(toReviewItems([REQUEST, { ...REQUEST, reviewId: 4 }]).map(({ itemId }) => itemId)).toEqual([
      'review:5',
      'review:4',
    ]);
  });

  it('leaves what is beyond one fixup to the next', () => {
    const many = Array.from({ length: MAX_REVIEW_ITEMS + 1 }, (_, index) => at(`t${index}`, 'a.ts', -index));
    const items = toReviewItems(many);

    expect(items).toHaveLength(50);
    expect(items.map(({ itemId }) => itemId)).not.toContain('t50');
  });
});

describe('judgeAnswers', () => {
  const items: readonly AgentReviewItem[] = toReviewItems([REQUEST, aThreadItem({ newestCommentId: 7 })]);

  function judge(answers: AnswersInput['answers'], hasChanges: boolean): ReturnType<typeof judgeAnswers> {
    return judgeAnswers({ items, answers, hasChanges });
  }
  const fixed = (id: string) => ({ id, status: 'fixed' as const, reason: '' });
  const declined = (id: string) => ({ id, status: 'declined' as const, reason: ' It is right. ' });
  const left = (id: string) => ({ id, status: 'needs_human' as const, reason: 'Which name?' });

  it('takes one answer to each item, with what the agent had seen', () => {
    expect(judge([declined('item-2'), fixed('item-1')], true)).toEqual({
      kind: 'answered',
      answers: [
        { itemId: 'review:5', status: 'fixed', reason: '', newestCommentId: null },
        { itemId: 'thread-1', status: 'declined', reason: 'It is right.', newestCommentId: 7 },
      ],
    });
  });

  it('trap 57: ends in peace where everything was declined or left to a person', () => {
    expect(judge([declined('item-1'), left('item-2')], false)).toMatchObject({
      kind: 'declined',
      answers: [{ status: 'declined' }, { status: 'needs_human' }],
    });
  });

  it.each([
    {
      what: 'an item without an answer',
      answers: [fixed('item-1')],
      hasChanges: true,
      code: 'NOT_ANSWERED',
      detail: 'There is no answer to item-2.',
    },
    {
      what: 'no answer at all',
      answers: [],
      hasChanges: false,
      code: 'NOT_ANSWERED',
      detail: 'There is no answer to item-1.',
    },
    {
      what: 'an unknown item',
      answers: [fixed('item-1'), fixed('item-2'), fixed('item-3')],
      hasChanges: true,
      code: 'NOT_ANSWERED',
      detail: 'It answered 1 items that nobody asked about.',
    },
    {
      what: 'two answers to one',
      answers: [fixed('item-1'), fixed('item-2'), declined('item-1')],
      hasChanges: true,
      code: 'NOT_ANSWERED',
      detail: 'There is more than one answer to item-1.',
    },
    {
      what: 'no reason to decline',
      answers: [fixed('item-1'), { ...declined('item-2'), reason: ' \n' }],
      hasChanges: true,
      code: 'NOT_ANSWERED',
      detail: 'The answer to item-2 gives no reason.',
    },
    {
      what: 'no reason to leave it',
      answers: [fixed('item-1'), { ...left('item-2'), reason: '' }],
      hasChanges: true,
      code: 'NOT_ANSWERED',
      detail: 'The answer to item-2 gives no reason.',
    },
    {
      what: 'a claim without a change',
      answers: [fixed('item-1'), declined('item-2')],
      hasChanges: false,
      code: 'NO_CHANGE',
      detail: 'It claims to have fixed something and changed nothing.',
    },
    {
      what: 'a change without a claim',
      answers: [left('item-1'), declined('item-2')],
      hasChanges: true,
      code: 'UNASKED_CHANGE',
      detail: 'It changed files and claims to have fixed nothing: a change that nobody asked for.',
    },
  ] as const)('trap 57: refuses $what', ({ answers, hasChanges, code, detail }) => {
    expect(judge(answers, hasChanges)).toEqual({ kind: 'rejected', code, detail });
  });

  it('believes no claim that the tree does not bear out, whatever is answered', () => {
    const answer = fc.record({
      id: fc.constantFrom('item-1', 'item-2', 'item-3'),
      status: fc.constantFrom('fixed' as const, 'declined' as const, 'needs_human' as const),
      reason: fc.constantFrom('', 'because'),
    });
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 3 }), fc.boolean(), (answers, hasChanges) => {
        const verdict = judge(answers, hasChanges);

        if (verdict.kind === 'rejected') return;
        expect(verdict.answers).toHaveLength(2);
        expect(verdict.answers.some(({ status }) => status === 'fixed')).toBe(hasChanges);
        expect(verdict.kind).toBe(hasChanges ? 'answered' : 'declined');
      }),
    );
  });
});

describe('planReplies', () => {
  const FIXED = anAnswer({ status: 'fixed', newestCommentId: 1 });

  function plan(answers: readonly ReviewAnswer[], change: Partial<RepliesInput> = {}): ReturnType<typeof planReplies> {
    return planReplies({
      ...{ answers, seenAt: NOW, threads: [aThread()], author: aPerson(), ownSlug: 'ratchet', mayResolve: true },
      ...change,
    });
  }

  it('replies in the thread and resolves what was fixed', () => {
    expect(plan([FIXED])).toEqual({
      replies: [{ threadId: 'thread-1', answer: FIXED, mark: { commentId: 1, at: NOW } }],
      requests: [],
      resolve: ['thread-1'],
    });
  });

  it.each(['declined', 'needs_human'] as const)('replies and leaves open what was %s', (status) => {
    const answered = plan([anAnswer({ status })]);

    expect(answered.replies).toHaveLength(1);
    expect(answered.resolve).toEqual([]);
  });

  it('leaves the threads to people where policy says so', () => {
    expect(plan([FIXED], { mayResolve: false })).toMatchObject({ replies: [{ threadId: 'thread-1' }], resolve: [] });
  });

  it.each([
    ['is gone', []],
    ['was resolved by somebody', [aThread({ isResolved: true })]],
  ])('says nothing in a thread that %s', (_what, threads) => {
    expect(plan([FIXED], { threads })).toEqual({ replies: [], requests: [], resolve: [] });
  });

  it('trap 58: answers and resolves a thread that our own push made outdated', () => {
    expect(plan([FIXED], { threads: [aThread({ isOutdated: true })] }).resolve).toEqual(['thread-1']);
  });

  it.each([
    ['a newer comment', [aComment(), aComment({ id: 2 })], false],
    ['a newer comment of a bot', [aComment(), aComment({ id: 2, author: LINTER })], false],
    ['a newer comment of a deleted account', [aComment(), aComment({ id: 2, author: null })], false],
    ['an edit since', [aComment({ updatedAt: NOW + 1 })], false],
    ['an edit before', [aComment({ createdAt: NOW - 9, updatedAt: NOW })], true],
    ['a comment of ours', [aComment(), aComment({ id: 2, author: US })], true],
  ])('resolves only what nobody has touched: %s', (_what, comments, isResolved) => {
    const answered = plan([FIXED], { threads: [aThread({ comments })] });

    expect(answered.replies).toHaveLength(1);
    expect(answered.resolve).toEqual(isResolved ? ['thread-1'] : []);
  });

  it('answers requests without a thread apart', () => {
    const request = anAnswer({ itemId: 'review:5', newestCommentId: null });

    expect(plan([request])).toEqual({ replies: [], requests: [request], resolve: [] });
  });
});
