import { describe, expect, it } from 'vitest';
import type { Review, ReviewThread } from '../../../src/core/model/pull-request.ts';
import { aPerson, aReview, NOW } from '../../support/builders.ts';
import {
  ADA,
  ALAN,
  ASKED,
  aGiven,
  DECLINED,
  FIXED,
  GRACE,
  LINTER,
  type Said,
  SECOND,
  says,
  talk,
  US,
  verdict,
} from '../../support/review-talks.ts';

const OUTSIDER = aPerson({ id: 301, login: 'mallory' });
const MINUTE = 60 * SECOND;

/** What is left of a thread that Grace opened and we answered so, with these words after it. */
function leftOf(...said: readonly Said[]): readonly string[] {
  const writers = new Set([GRACE.id, ALAN.id]);
  return verdict([talk(GRACE, ...said)], [], { writers, allowBots: ['linter'] }).left.map(({ why }) => why);
}

describe('an item that our answer did not change', () => {
  it('is left to a person, with who asks, where, and our answer (L1)', () => {
    const threads = [talk(GRACE, ASKED), { ...talk(ALAN, DECLINED), id: 'thread-2', path: 'b.ts' }];

    expect(verdict(threads)).toMatchObject({
      actionable: [],
      left: [
        {
          why: 'needs_human',
          by: 'grace',
          path: 'src/a.ts',
          answer: 'Left to a person. The agent says: Which *name*?',
        },
        { why: 'declined', by: 'alan', path: 'b.ts', answer: 'Because.' },
      ],
      otherOpen: 0,
    });
  });

  it.each<[string, readonly Said[], readonly Said[]]>([
    ['nothing', [], []],
    ['a word of an outsider', [OUTSIDER], [OUTSIDER]],
    ['thanks of an outsider', [says(OUTSIDER, 'LGTM')], [says(OUTSIDER, 'LGTM')]],
    ['a word of a bot', [LINTER], [LINTER]],
    ['thanks of a bot', [says(LINTER, 'LGTM')], [says(LINTER, 'LGTM')]],
  ])('stays so after %s (L1)', (_what, declined, asked) => {
    expect(leftOf(DECLINED, ...declined)).toEqual(['declined']);
    expect(leftOf(ASKED, ...asked)).toEqual(['needs_human']);
  });

  it.each<[string, readonly Said[], readonly string[], readonly string[]]>([
    ['thanks', [says(GRACE, 'Thanks')], [], ['needs_human']],
    ['thanks of another reviewer', [says(ALAN, '👍')], [], ['needs_human']],
    ['an approval', [says(GRACE, 'LGTM')], [], []],
    ['consent', [says(GRACE, 'ok, leave it as it is')], [], []],
    ['a word of the author', [says(ADA, 'Thanks')], [], []],
    ['a new request', [GRACE], [], []],
  ])('ends with %s, if that is an answer (L1, L4)', (_what, said, declined, asked) => {
    expect(leftOf(DECLINED, ...said)).toEqual(declined);
    expect(leftOf(ASKED, ...said)).toEqual(asked);
  });

  it('ends when the thread is resolved (L1)', () => {
    expect(verdict([{ ...talk(GRACE, ASKED), isResolved: true }])).toMatchObject({ left: [], otherOpen: 0 });
  });

  it('ends when the review that opened the thread is dismissed, and no other one (L1, S20)', () => {
    const thread = { ...talk(GRACE, ASKED), reviewId: 5 };
    const request = aReview({ id: 5, body: 'See below.' });

    expect(verdict([thread], [{ ...request, state: 'dismissed' }]).left).toEqual([]);
    expect(verdict([thread], [request]).left).toHaveLength(1);
    expect(verdict([thread], [{ ...request, id: 6, state: 'dismissed' }]).left).toHaveLength(1);
    expect(verdict([{ ...talk(GRACE), reviewId: 5 }], [{ ...request, state: 'dismissed' }]).actionable).toHaveLength(1);
  });

  it('is what our newest answer says (L1)', () => {
    expect(leftOf(ASKED, GRACE, FIXED)).toEqual([]);
    expect(leftOf(FIXED, GRACE, DECLINED)).toEqual(['declined']);
  });

  it('is known from our reply alone, and from the stored answer alone (L1)', () => {
    const given = [aGiven({ status: 'needs_human', words: 'Which name?' })];

    expect(verdict([talk(GRACE)], [], { given }).left).toEqual([
      { why: 'needs_human', by: 'grace', path: 'src/a.ts', answer: 'Which name?' },
    ]);
    expect(verdict([talk(GRACE, US)]).left).toMatchObject([{ why: 'needs_human', answer: 'Please rename this.' }]);
  });

  it('takes the stored answer where the reply says the same (L1)', () => {
    const given = [aGiven({ at: NOW + SECOND, status: 'declined', words: 'No.' })];

    expect(verdict([talk(GRACE, DECLINED)], [], { given }).left).toMatchObject([{ answer: 'No.' }]);
  });

  it('is left to a person also where who asked may not write any more (L1)', () => {
    expect(verdict([talk(OUTSIDER, ASKED)], [], { writers: new Set() })).toMatchObject({
      ignored: [{ why: 'answered_by_us' }],
      left: [{ why: 'needs_human', by: 'mallory' }],
    });
    expect(verdict([talk(null, ASKED)]).left).toMatchObject([{ why: 'needs_human', by: null }]);
  });

  it('is quoted up to a limit (L1)', () => {
    const given = [aGiven({ status: 'declined', words: `${'x'.repeat(299)}😀` })];

    expect(verdict([talk(GRACE)], [], { given }).left[0]?.answer).toBe(`${'x'.repeat(299)}\uFFFD`);
  });

  it('may be a request for changes without a thread (L1)', () => {
    const given = [aGiven({ itemId: 'review:5', commentId: null, status: 'needs_human', words: 'Which test?' })];
    const request = aReview({ id: 5, body: 'Add a test.' });
    const approval = aReview({ id: 6, state: 'approved', submittedAt: NOW + MINUTE });

    expect(verdict([], [request], { given })).toMatchObject({
      changesRequestedBy: ['grace'],
      ignored: [{ id: 'review:5', why: 'answered_by_us' }],
      left: [{ why: 'needs_human', by: 'grace', path: null, answer: 'Which test?' }],
    });
    expect(verdict([], [request, approval], { given }).left).toEqual([]);
    expect(verdict([], [{ ...request, state: 'dismissed' }], { given }).left).toEqual([]);
    expect(verdict([], [request], { given: given.map((answer) => ({ ...answer, status: 'fixed' })) }).left).toEqual([]);
  });

  it('takes the newest answer to a request (L1)', () => {
    const older = aGiven({ itemId: 'review:5', commentId: null, status: 'needs_human', at: NOW });
    const newer = { ...older, status: 'fixed', at: NOW + 1 } as const;
    const request = aReview({ id: 5, body: 'Add a test.' });

    expect(verdict([], [request], { given: [newer, older] }).left).toEqual([]);
    expect(verdict([], [request], { given: [older, newer] }).left).toEqual([]);
  });
});

describe('an approval after our answer', () => {
  const thread = talk(GRACE, ASKED);
  const approval = aReview({ id: 9, state: 'approved', submittedAt: NOW + MINUTE });

  it.each<[string, readonly Review[], number]>([
    ['of who asked settles it', [approval], 0],
    ['with thanks settles it', [{ ...approval, body: 'LGTM, thanks!' }], 0],
    ['with a request does not', [{ ...approval, body: 'LGTM once it is renamed.' }], 1],
    ['of somebody else does not', [{ ...approval, author: ALAN }], 1],
    ['of a deleted account does not', [{ ...approval, author: null }], 1],
    ['that came before it does not', [{ ...approval, submittedAt: NOW + SECOND }], 1],
    ['of an unknown time does not', [{ ...approval, submittedAt: null }], 1],
    ['that was dismissed does not', [{ ...approval, state: 'dismissed' }], 1],
    ['that a newer request replaced does not', [approval, aReview({ id: 10, submittedAt: NOW + 2 * MINUTE })], 1],
  ])('%s (L1)', (_what, reviews, count) => {
    expect(verdict([thread], reviews).left).toHaveLength(count);
  });

  it('settles it only when all who spoke there have approved (L1)', () => {
    const both = talk(GRACE, ALAN, ASKED);

    expect(verdict([both], [approval]).left).toHaveLength(1);
    expect(verdict([both], [approval, { ...approval, id: 10, author: ALAN }]).left).toEqual([]);
  });

  it('is none of somebody who may not write (L1)', () => {
    expect(verdict([thread], [approval], { writers: new Set() }).left).toHaveLength(1);
  });

  it('does not settle what was not answered (L4)', () => {
    expect(verdict([talk(GRACE)], [approval]).actionable).toHaveLength(1);
  });
});

describe('what cannot be told', () => {
  it.each<[string, ReviewThread, number]>([
    ['a thread of a deleted account', talk(null), 1],
    ['a deleted account after our answer', talk(GRACE, FIXED, null), 1],
    ['a deleted account after a bot', talk(LINTER, null), 1],
    ['a bot after a deleted account', talk(null, LINTER), 1],
    ['thanks of a deleted account', talk(GRACE, FIXED, says(null, 'Thanks!')), 0],
    ['a deleted account that was hidden', talk(LINTER, { author: null, isHidden: true }), 0],
    ['a deleted account that we answered', talk(null, FIXED), 0],
    ['a deleted account that the author answered', talk(null, ADA), 0],
    ['a deleted account that a reviewer thanked', talk(null, says(GRACE, 'Thanks!')), 0],
    ['a deleted account after the author', talk(GRACE, ADA, null), 1],
  ])('is left to a person: %s (L1)', (_what, thread, count) => {
    const { left } = verdict([thread], [], { writers: new Set([GRACE.id]) });

    expect(left.map(({ why }) => why)).toEqual(Array.from({ length: count }, () => 'unknown_author'));
  });

  it('is a request for changes of a deleted account, until it is dismissed (L1)', () => {
    const request = aReview({ id: 5, author: null });

    expect(verdict([], [request])).toMatchObject({
      changesRequestedBy: [],
      left: [{ why: 'unknown_author', by: null, path: null, answer: '' }],
      otherOpen: 0,
    });
    expect(verdict([], [{ ...request, state: 'dismissed' }]).left).toEqual([]);
  });

  it('is what somebody asks whose permission was not read (L1)', () => {
    const unread = new Set([GRACE.id]);

    expect(verdict([talk(GRACE)], [aReview()], { unread, writers: new Set() })).toMatchObject({
      actionable: [],
      ignored: [{ why: 'author_unknown' }, { why: 'author_unknown' }],
      left: [
        { why: 'unknown_author', by: 'grace' },
        { why: 'unknown_author', by: 'grace' },
      ],
    });
  });

  it.each<[string, ReviewThread, number]>([
    ['where what was read asks for nothing', talk(LINTER, ADA), 1],
    ['but not where somebody asks', talk(GRACE), 0],
    ['but not where we answered', talk(GRACE, FIXED), 0],
    ['but not where the author answered', talk(GRACE, ADA), 0],
    ['but not where it is resolved', { ...talk(LINTER), isResolved: true }, 0],
  ])('is a thread that was not read completely, %s (L1)', (_what, thread, count) => {
    const { left } = verdict([{ ...thread, isPartial: true }]);

    expect(left.map(({ why }) => why)).toEqual(Array.from({ length: count }, () => 'unread'));
  });
});

describe('what else is open', () => {
  const others = [
    talk(LINTER),
    talk(OUTSIDER),
    talk(GRACE, ADA),
    talk(GRACE, FIXED),
    talk(says(GRACE, 'Nice!')),
    talk(US),
  ];
  const threads = others.map((thread, at) => ({ ...thread, id: `thread-${at}` }));
  const writers = new Set([GRACE.id]);

  it('is counted, and asks nothing of a person (L1)', () => {
    const closed = { ...talk(GRACE), id: 'resolved', isResolved: true };
    const empty = { ...talk(), id: 'empty' };
    const reviews = [
      aReview({ id: 1, author: OUTSIDER }),
      aReview({ id: 2, author: OUTSIDER, submittedAt: NOW + 1 }),
      aReview({ id: 3, author: LINTER }),
      aReview({ id: 4, author: LINTER, state: 'approved', submittedAt: NOW + 1 }),
    ];

    expect(verdict([...threads, closed, empty], reviews, { writers })).toMatchObject({ left: [], otherOpen: 7 });
  });

  it('is left to people where the base requires resolved threads (L1)', () => {
    const { left, otherOpen } = verdict(threads, [], { writers, mustResolveThreads: true });

    expect(left.map(({ why, by }) => [why, by])).toEqual([
      ['unresolved', 'linter'],
      ['unresolved', 'mallory'],
      ['unresolved', 'grace'],
      ['unresolved', 'grace'],
      ['unresolved', 'grace'],
      ['unresolved', 'ratchet[bot]'],
    ]);
    expect(otherOpen).toBe(0);
    expect(verdict([talk(GRACE)], [], { mustResolveThreads: true })).toMatchObject({ actionable: [{}], left: [] });
    expect(verdict([talk(GRACE, ASKED)], [], { mustResolveThreads: true }).left).toMatchObject([
      { why: 'needs_human' },
    ]);
  });

  it('is not what we are about to resolve (L1)', () => {
    const given = [aGiven({ resolvesSoon: true })];

    for (const mustResolveThreads of [true, false]) {
      expect(verdict([talk(GRACE)], [], { given, mustResolveThreads })).toMatchObject({ left: [], otherOpen: 0 });
    }
    expect(verdict([talk(GRACE, ADA)], [], { given }).otherOpen).toBe(1);
    expect(
      verdict([talk(GRACE)], [], { given: [aGiven(), aGiven({ itemId: 'thread-2', resolvesSoon: true })] }),
    ).toMatchObject({ otherOpen: 1 });
  });
});
