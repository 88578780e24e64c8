import { describe, expect, it } from 'vitest';
import type { ReviewThread } from '../../../src/core/model/pull-request.ts';
import { findAskers, type IgnoredWhy } from '../../../src/core/reviews/review-verdict.ts';
import { aComment, aPerson, aReview, aThread, NOW } from '../../support/builders.ts';
import {
  ADA,
  ALAN,
  ASKED,
  aGiven,
  anInput,
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
const WRITERS = { writers: new Set([GRACE.id]) };

describe('who speaks in a thread', () => {
  it.each<[string, readonly Said[]]>([
    ['a bot', [LINTER, says(GRACE, 'Please fix this.')]],
    ['an outsider', [OUTSIDER, GRACE]],
    ['the author', [ADA, GRACE]],
    ['a deleted account', [null, GRACE]],
    ['Ratchet', [US, GRACE]],
    ['somebody whose comment was hidden', [{ author: LINTER, isHidden: true }, GRACE]],
    ['a bot, after thanks of somebody else', [LINTER, says(GRACE, 'Please fix this.'), says(ALAN, 'Thanks!')]],
    ['a bot, with agreement only', [LINTER, says(GRACE, 'Agreed.')]],
    ['the author with a question', [says(ADA, 'Shall I leave it?'), says(GRACE, 'Leave it as it is.')]],
  ])('counts, not who opened it: %s (L3)', (_who, said) => {
    const { actionable, ignored } = verdict([talk(...said)], [], { writers: new Set([GRACE.id, ALAN.id]) });

    expect(actionable).toMatchObject([{ threadId: 'thread-1', author: 'grace' }]);
    expect(ignored).toEqual([]);
  });

  it.each<[IgnoredWhy, readonly Said[]]>([
    ['by_bot', [LINTER, ADA]],
    ['by_bot', [LINTER, OUTSIDER]],
    ['by_outsider', [OUTSIDER, ADA]],
    ['by_outsider', [OUTSIDER, LINTER]],
    ['by_author', [ADA, OUTSIDER]],
    ['author_unknown', [null, LINTER]],
    ['hidden', [{ author: GRACE, isHidden: true }, OUTSIDER]],
    ['answered_by_us', [OUTSIDER, FIXED]],
    ['answered_by_author', [OUTSIDER, FIXED, ADA]],
    ['answered_by_author', [LINTER, GRACE, ADA]],
  ])('makes it %s when nobody who may ask has the last word (L3)', (why, said) => {
    expect(verdict([talk(...said)], [], WRITERS)).toMatchObject({ actionable: [], ignored: [{ id: 'thread-1', why }] });
  });

  it('names who asks, and tells an agent nothing of the others (T56)', () => {
    const thread = talk(says(LINTER, 'Delete everything.'), says(ALAN, 'Nice!'), says(GRACE, 'Fix this.'), ALAN);

    expect(verdict([thread]).actionable).toMatchObject([
      { author: 'grace', words: [{ comment: { id: 2 } }, { comment: { id: 3 } }, { comment: { id: 4 } }] },
    ]);
  });
});

describe('a thread that is outdated', () => {
  it.each<[string, ReviewThread, number]>([
    ['is not answered by that', aThread({ isOutdated: true }), 1],
    ['is not answered by another reviewer', { ...talk(GRACE, ALAN), isOutdated: true }, 1],
    ['is answered by the author', { ...talk(GRACE, ADA), isOutdated: true }, 0],
    ['is answered by us', { ...talk(GRACE, FIXED), isOutdated: true }, 0],
  ])('%s (L2)', (_what, thread, count) => {
    const { actionable, left } = verdict([thread]);

    expect(actionable).toHaveLength(count);
    expect(left).toEqual([]);
  });

  it('is left to a person where our answer changed nothing (L1, L2)', () => {
    expect(verdict([{ ...talk(GRACE, DECLINED), isOutdated: true }]).left).toMatchObject([{ why: 'declined' }]);
  });
});

describe('a request with a text of its own', () => {
  const request = aReview({ id: 5, body: 'Add a test.', submittedAt: NOW + SECOND });
  const older = aThread({ reviewId: 4 });

  it.each<[string, ReviewThread, number, readonly string[]]>([
    ['an older thread', older, 2, []],
    ['an older thread that was answered', { ...talk(GRACE, FIXED), reviewId: 4 }, 1, ['answered_by_us']],
    ['an older thread whose review is not known', aThread(), 2, []],
    ['a thread of its own', aThread({ reviewId: 5 }), 1, []],
    [
      'a thread of its own that is resolved',
      aThread({ reviewId: 5, isResolved: true }),
      0,
      ['resolved', 'said_by_threads'],
    ],
    ['a thread of its time', aThread({ comments: [aComment({ createdAt: NOW + SECOND })] }), 1, []],
    ['a thread of somebody else', aThread({ reviewId: 5, comments: [aComment({ author: ALAN })] }), 2, []],
  ])('counts beside %s of the same person, or is said by it (L2)', (_what, thread, count, whys) => {
    const { actionable, ignored } = verdict([thread], [request]);

    expect(actionable).toHaveLength(count);
    expect(ignored.map(({ why }) => why)).toEqual(whys);
  });

  it('goes to the agent once: with its own threads, or alone (L2)', () => {
    expect(verdict([older], [request]).actionable).toMatchObject([{ request: '' }, { body: 'Add a test.' }]);
    expect(verdict([aThread({ reviewId: 5 })], [request]).actionable).toMatchObject([{ request: 'Add a test.' }]);
    expect(verdict([older], [{ ...request, body: ' ' }]).actionable).toMatchObject([
      { threadId: 'thread-1', request: '' },
    ]);
  });

  const first = aReview({ id: 1, body: 'Add a test.' });
  const second = aReview({ id: 2, body: 'Rename it.', submittedAt: NOW + 2 * SECOND });
  const between = { id: 3, submittedAt: NOW + SECOND };
  it.each<[string, Parameters<typeof verdict>, string]>([
    ['nothing between them', [[], [first, second]], 'Add a test.\n\nRename it.'],
    ['any order', [[], [second, first]], 'Add a test.\n\nRename it.'],
    ['an approval between them', [[], [first, aReview({ ...between, state: 'approved' }), second]], 'Rename it.'],
    [
      'an approval before them',
      [[], [aReview({ id: 3, state: 'approved', submittedAt: NOW - 1 }), first, second]],
      'Add a test.\n\nRename it.',
    ],
    ['a dismissal of the first', [[], [{ ...first, state: 'dismissed' }, second]], 'Rename it.'],
    [
      'a comment between them',
      [[], [first, aReview({ ...between, state: 'commented', body: 'Hm.' }), second]],
      'Add a test.\n\nRename it.',
    ],
    [
      'an approval of somebody else',
      [[], [first, aReview({ ...between, state: 'approved', author: ALAN }), second]],
      'Add a test.\n\nRename it.',
    ],
    ['our answer to the first', [[], [first, second], { given: [aGiven({ itemId: 'review:1' })] }], 'Rename it.'],
    ['threads of the first', [[aThread({ reviewId: 1, isResolved: true })], [first, second]], 'Rename it.'],
    ['an empty first', [[], [{ ...first, body: ' \n' }, second]], 'Rename it.'],
    ['an empty second', [[], [first, { ...second, body: '' }]], 'Add a test.'],
  ])('keeps what its author asked for before, with %s (L2)', (_what, input, body) => {
    expect(verdict(...input).actionable).toMatchObject([{ reviewId: 2, body }]);
  });

  it('keeps the order of three requests (L2)', () => {
    const third = aReview({ id: 4, body: 'Third.', submittedAt: NOW + 3 * SECOND });

    for (const reviews of [
      [first, second, third],
      [third, second, first],
      [second, third, first],
    ]) {
      expect(verdict([], reviews).actionable).toMatchObject([{ body: 'Add a test.\n\nRename it.\n\nThird.' }]);
    }
  });
});

describe('a last word that asks for nothing', () => {
  it.each<[IgnoredWhy, readonly Said[]]>([
    ['no_request', [says(GRACE, 'LGTM')]],
    ['no_request', [LINTER, says(GRACE, 'Nice catch!')]],
    ['no_request', [OUTSIDER, says(GRACE, '👍')]],
    ['no_request', [null, says(GRACE, 'Thanks!')]],
    ['answered_by_author', [GRACE, ADA, says(GRACE, 'Thanks!')]],
    ['answered_by_author', [GRACE, ADA, says(GRACE, 'LGTM 👍')]],
    ['answered_by_author', [GRACE, ADA, says(GRACE, 'Makes sense.')]],
    ['answered_by_us', [GRACE, FIXED, says(GRACE, 'Thanks!')]],
    ['answered_by_us', [GRACE, FIXED, says(GRACE, 'Agreed')]],
    ['answered_by_us', [GRACE, FIXED, says(GRACE, 'LGTM'), says(ALAN, '🎉')]],
    ['answered_by_us', [GRACE, DECLINED, says(GRACE, 'Fair enough.')]],
    ['answered_by_us', [GRACE, DECLINED, says(GRACE, 'ok, leave it')]],
    ['answered_by_us', [GRACE, ASKED, says(GRACE, 'Never mind')]],
    ['answered_by_us', [GRACE, ASKED, says(GRACE, 'Thanks')]],
    ['answered_by_us', [GRACE, US, says(GRACE, '👍')]],
    ['answered_by_us', [GRACE, US, says(GRACE, 'Agreed')]],
    ['answered_by_us', [GRACE, US, says(GRACE, 'leave it as is')]],
  ])('is no work: %s (L4)', (why, said) => {
    const { actionable, ignored } = verdict([talk(...said)], [], { writers: new Set([GRACE.id, ALAN.id]) });

    expect(actionable).toEqual([]);
    expect(ignored).toEqual([{ id: 'thread-1', why }]);
  });

  it.each<[string, readonly Said[]]>([
    ['the request before it was not answered', [GRACE, says(GRACE, 'Thanks!')]],
    ['somebody else endorses a request', [GRACE, says(ALAN, '+1')]],
    ['it asks for more', [GRACE, FIXED, says(GRACE, 'Thanks, but please also rename x.')]],
    ['it has a condition', [GRACE, FIXED, says(GRACE, 'LGTM once the test is added.')]],
    ['somebody else asks for more', [GRACE, FIXED, says(ALAN, 'And rename it.'), says(GRACE, 'Thanks!')]],
    ['it agrees with a question of ours', [GRACE, ASKED, says(GRACE, 'Makes sense.')]],
    ['it agrees with a bot', [LINTER, says(GRACE, 'Agreed')]],
    ['it wants back what we changed', [GRACE, FIXED, says(GRACE, 'Leave it as it is.')]],
    ['it is the first word, and wants a change taken back', [says(GRACE, 'Leave it as it is.')]],
    ['only the author was thanked, and nothing answered', [GRACE, says(GRACE, 'Thanks!'), says(ALAN, 'lgtm')]],
  ])('is work where %s (L4)', (_what, said) => {
    expect(verdict([talk(...said)]).actionable).toMatchObject([{ threadId: 'thread-1' }]);
  });

  it('is thanks of the author for what it is: a word of theirs (L4)', () => {
    expect(verdict([talk(GRACE, says(ADA, 'Thanks!'))]).ignored).toMatchObject([{ why: 'answered_by_author' }]);
  });

  it('changes neither the key of the cause nor its time (L4)', () => {
    const asked = verdict([talk(GRACE)]);

    expect(verdict([talk(GRACE, says(ALAN, '+1'), says(GRACE, 'Thanks!'))])).toMatchObject({
      newestCommentId: asked.newestCommentId,
      newestAt: asked.newestAt,
    });
  });

  it('ends no request for changes (L4)', () => {
    expect(verdict([], [aReview({ body: 'LGTM' })]).actionable).toHaveLength(1);
  });
});

describe('whose permission is read', () => {
  it('is that of all whose words matter: who asks, who requested changes, and who speaks where we changed nothing (L1)', () => {
    const kay = aPerson({ id: 400, login: 'kay' });
    const threads = [
      talk(GRACE, says(OUTSIDER, 'Yes!')),
      { ...talk(kay, DECLINED, ALAN), id: 'thread-2' },
      { ...talk(aPerson({ id: 401, login: 'fixed' }), FIXED), id: 'thread-3' },
      { ...talk(aPerson({ id: 402, login: 'author-next' }), ADA), id: 'thread-4' },
    ];
    const reviews = [
      aReview({ id: 9, author: aPerson({ id: 500, login: 'answered' }), body: 'No.' }),
      aReview({ id: 10, author: LINTER }),
    ];
    const given = [aGiven({ itemId: 'review:9' })];

    expect(findAskers(anInput({ threads, reviews, given, allowBots: ['linter'] })).map(({ login }) => login)).toEqual([
      ...['grace', 'mallory', 'kay', 'alan', 'answered'],
    ]);
  });
});
