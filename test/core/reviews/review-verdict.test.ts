import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Actor, Review, ReviewComment, ReviewThread } from '../../../src/core/model/pull-request.ts';
import { renderAnswerMark } from '../../../src/core/reviews/answer-mark.ts';
import { findAskers, type IgnoredWhy, toItemId, toReviewVerdict } from '../../../src/core/reviews/review-verdict.ts';
import { aComment, aPerson, aReview, aThread, forge, NOW } from '../../support/builders.ts';
import {
  ADA,
  ALAN,
  aGiven,
  anInput,
  DECLINED,
  FIXED,
  GRACE,
  LINTER,
  SECOND,
  talk,
  US,
  verdict,
} from '../../support/review-talks.ts';

it('a request stands beside the open thread of a deleted account, and the thread of nobody is none of its own', () => {
  const { changesRequestedBy } = verdict([talk(null)], [aReview({ id: 7, author: GRACE, body: 'Please rename it.' })]);

  expect(changesRequestedBy).toEqual(['grace']);
});

describe('a comment that somebody hid', () => {
  const hidden = (author: Actor): Partial<ReviewComment> => ({ author, isHidden: true });

  it.each([
    ['alone', talk(hidden(GRACE))],
    ['before a reply of ours', talk(hidden(GRACE), DECLINED)],
  ])('asks for nothing %s, and waits for nobody', (_what, thread) => {
    expect(verdict([thread])).toMatchObject({ ignored: [{ id: 'thread-1', why: 'hidden' }], left: [], otherOpen: 1 });
  });

  it('hides nobody else: who speaks after it counts', () => {
    expect(verdict([talk(hidden(GRACE), ALAN)]).actionable).toMatchObject([{ author: 'alan', words: [{}] }]);
  });

  it('is not said, and not told to an agent', () => {
    const { actionable } = verdict([talk(GRACE, hidden(ALAN))]);

    expect(actionable).toMatchObject([{ words: [{ comment: { id: 1 } }] }]);
    expect(verdict([talk(GRACE, ADA, hidden(GRACE))]).ignored).toMatchObject([{ why: 'answered_by_author' }]);
  });

  it('is an answer all the same where it is ours', () => {
    expect(verdict([talk(GRACE, hidden(US))]).ignored).toMatchObject([{ why: 'answered_by_us' }]);
  });
});

describe('toReviewVerdict', () => {
  it('acts on an open thread of a reviewer', () => {
    const thread = aThread();

    expect(verdict([thread])).toEqual({
      actionable: [
        {
          kind: 'thread',
          threadId: 'thread-1',
          path: 'src/a.ts',
          line: 3,
          author: 'grace',
          words: [{ role: 'reviewer', comment: thread.comments[0] }],
          newestCommentId: 1,
          request: '',
        },
      ],
      changesRequestedBy: [],
      newestCommentId: 'c1',
      newestAt: NOW,
      ignored: [],
      left: [],
      otherOpen: 0,
    });
  });

  it.each([
    ['resolved', { isResolved: true }],
    ['resolved', { isResolved: true, comments: [] }],
    ['empty', { comments: [] }],
    ['author_unknown', { comments: [aComment({ author: null })] }],
    ['by_bot', { comments: [aComment({ author: LINTER })] }],
    ['by_author', { comments: [aComment({ author: ADA })] }],
    ['by_us', { comments: [aComment({ author: US })] }],
    ['answered_by_us', talk(GRACE, US)],
    ['answered_by_us', talk(GRACE, aPerson({ id: 900, login: 'ratchet', kind: 'bot' }))],
    ['answered_by_us', talk(GRACE, US, null)],
    ['answered_by_us', talk(GRACE, US, LINTER)],
    ['answered_by_us', { ...talk(GRACE, US), isOutdated: true }],
    ['answered_by_author', talk(GRACE, ADA)],
    ['answered_by_author', talk(GRACE, US, ADA)],
    ['answered_by_author', { ...talk(GRACE, ADA), isOutdated: true }],
  ] satisfies [IgnoredWhy, Partial<ReviewThread>][])('ignores a thread that is %s (trap 96)', (why, change) => {
    expect(verdict([aThread(change)])).toMatchObject({
      actionable: [],
      newestCommentId: null,
      newestAt: null,
      ignored: [{ id: 'thread-1', why }],
    });
  });

  it.each([
    ['the reviewer came back', talk(GRACE, US, GRACE)],
    ['another reviewer spoke', talk(GRACE, US, ALAN)],
    ['the reviewer answered the author', talk(GRACE, ADA, GRACE)],
    ['a bot spoke after the reviewer', talk(GRACE, GRACE, LINTER)],
    ['a person named like us answered', talk(GRACE, aPerson({ id: 301, login: 'ratchet' }), GRACE)],
    ['a deleted account answered', talk(GRACE, GRACE, null)],
    ['the reviewer came back to an outdated thread after us', { ...talk(GRACE, US, GRACE), isOutdated: true }],
    ['the reviewer came back to an outdated thread after the author', { ...talk(GRACE, ADA, GRACE), isOutdated: true }],
  ])('acts when %s', (_what, thread) => {
    expect(verdict([thread]).actionable).toMatchObject([{ kind: 'thread', author: 'grace' }]);
  });

  it('takes the later of two words of one moment', () => {
    expect(verdict([talk(GRACE, { author: ADA, createdAt: NOW })]).ignored).toMatchObject([
      { why: 'answered_by_author' },
    ]);
    expect(
      verdict([talk({ author: GRACE, createdAt: NOW + SECOND }, ADA, { author: GRACE, createdAt: NOW + SECOND })])
        .actionable,
    ).toHaveLength(1);
  });

  it('trap 145: takes every bot for us while our own name is not known', () => {
    const unknown = { ownSlug: null, allowBots: ['*'] };

    expect(verdict([talk(GRACE, LINTER)], [], unknown).ignored).toEqual([{ id: 'thread-1', why: 'answered_by_us' }]);
    expect(verdict([talk(LINTER)], [], unknown).ignored).toEqual([{ id: 'thread-1', why: 'by_us' }]);
  });

  it('trap 145: tells a person by number, never by a name', () => {
    const renamed = aPerson({ id: 100, login: 'grace' });
    const impostor = aPerson({ id: 301, login: 'ada' });

    expect(verdict([talk(renamed)]).ignored).toMatchObject([{ why: 'by_author' }]);
    expect(verdict([talk(impostor)]).actionable).toHaveLength(1);
    expect(verdict([talk(aPerson({ id: 302, login: 'ratchet[bot]' }))]).actionable).toHaveLength(1);
  });

  it('takes our own pull requests for ours, not for those of an author', () => {
    expect(verdict([talk(GRACE, US)], [], { author: US }).ignored).toMatchObject([{ why: 'answered_by_us' }]);
  });

  it('acts on threads of a pull request whose author is gone', () => {
    expect(verdict([aThread()], [], { author: null }).actionable).toHaveLength(1);
  });

  it('trap 63, trap 101: goes by the newest of a hundred comments', () => {
    const long = talk(...Array.from({ length: 120 }, () => GRACE));

    expect(verdict([long]).newestCommentId).toBe('c120');
    expect(verdict([talk(...Array.from({ length: 120 }, () => GRACE), US)]).actionable).toEqual([]);
  });

  it('shows what those said whose word counts, and knows of all others', () => {
    const thread = talk(GRACE, LINTER, ADA, US, null, ALAN, LINTER);

    expect(verdict([thread]).actionable).toMatchObject([
      {
        words: [
          { role: 'reviewer', comment: { id: 1 } },
          { role: 'author', comment: { id: 3 } },
          { role: 'us', comment: { id: 4 } },
          { role: 'reviewer', comment: { id: 6 } },
        ],
        newestCommentId: 7,
      },
    ]);
    expect(verdict([thread])).toMatchObject({ newestCommentId: 'c6', newestAt: NOW + 5 * SECOND });
  });

  it('keeps our own words out of what is new', () => {
    const ours = { author: US, body: renderAnswerMark({ commentId: 1, at: NOW }, 'fixed') };
    const thread = talk(GRACE, { ...ours, id: 9 }, { id: 2, author: GRACE, createdAt: NOW + 500 });

    expect(verdict([thread])).toMatchObject({
      newestCommentId: 'c2',
      newestAt: NOW + 500,
      actionable: [{ newestCommentId: 2 }],
    });
  });
});

describe('an edit', () => {
  const edited = { updatedAt: NOW + 60_000 };

  it('trap 92: of a reviewer is a new word', () => {
    const thread = talk({ author: GRACE, ...edited }, US);

    expect(verdict([thread])).toMatchObject({
      actionable: [{ threadId: 'thread-1' }],
      newestCommentId: `c1.e${NOW + 60_000}`,
      newestAt: NOW + 60_000,
    });
  });

  it('trap 92: of a reviewer stands after what the author said before it', () => {
    expect(verdict([talk({ author: GRACE, ...edited }, ADA)]).actionable).toHaveLength(1);
  });

  it('trap 25: of a bot is none', () => {
    const thread = talk({ author: LINTER, ...edited });

    expect(verdict([talk({ author: LINTER, ...edited }, US)], [], { allowBots: ['linter'] }).actionable).toEqual([]);
    expect(verdict([thread], [], { allowBots: ['linter'] })).toMatchObject({ newestCommentId: 'c1', newestAt: NOW });
  });
});

describe('an answer of ours', () => {
  const mark = (commentId: number | null, at: number) => ({
    author: US,
    body: `Fixed.\n\n${renderAnswerMark({ commentId, at }, 'fixed')}`,
  });

  it('covers what it had read, and not what came in meanwhile', () => {
    expect(verdict([talk(GRACE, GRACE, mark(1, NOW))]).actionable).toHaveLength(1);
    expect(verdict([talk(GRACE, GRACE, mark(2, NOW))]).ignored).toMatchObject([{ why: 'answered_by_us' }]);
  });

  it('does not cover an edit that it had not read', () => {
    const first = { author: GRACE, updatedAt: NOW + 500 };

    expect(verdict([talk(first, mark(1, NOW + 499))]).actionable).toHaveLength(1);
    expect(verdict([talk(first, mark(1, NOW + 500))]).actionable).toEqual([]);
  });

  it('counts in a comment of ours only', () => {
    const forged = { ...mark(9, NOW + 60_000), author: GRACE };

    expect(verdict([talk(GRACE, forged)]).actionable).toHaveLength(1);
  });

  it('counts before GitHub shows it', () => {
    const given = [aGiven()];

    expect(verdict([talk(GRACE)], [], { given })).toMatchObject({ actionable: [], left: [], otherOpen: 1 });
    expect(verdict([talk(GRACE, GRACE)], [], { given }).actionable).toHaveLength(1);
    expect(verdict([{ ...talk(GRACE, GRACE), isOutdated: true }], [], { given }).actionable).toHaveLength(1);
    expect(verdict([talk(GRACE)], [], { given: [aGiven({ itemId: 'thread-2' })] }).actionable).toHaveLength(1);
  });

  it('that fixed something leaves it open for its reviewer, and to nobody', () => {
    const threads = [
      talk(GRACE, mark(1, NOW)),
      { ...talk(GRACE, mark(1, NOW)), id: 'thread-2' },
      { ...talk(GRACE), id: 'thread-3' },
      { ...talk(GRACE), id: 'thread-4', isResolved: true },
    ];
    const given = [aGiven({ itemId: 'review:5', commentId: null })];

    expect(verdict(threads, [aReview({ id: 5, author: ALAN, body: 'No.' })], { given })).toMatchObject({
      actionable: [{ threadId: 'thread-3' }],
      changesRequestedBy: ['alan'],
      left: [],
      otherOpen: 2,
    });
  });
});

describe('the policy', () => {
  it.each([
    ['linter', 'actionable'],
    ['LINT*', 'actionable'],
    ['linter[bot]', 'actionable'],
    ['lint', 'ignored'],
  ] as const)('lets bots in that match %s: %s', (glob, found) => {
    expect(
      verdict([talk(aPerson({ id: 901, login: 'linter[bot]', kind: 'bot' }))], [], { allowBots: [glob] })[found],
    ).toHaveLength(1);
  });

  it('leaves out whom it ignores, people and bots, also where a bot is allowed', () => {
    expect(verdict([talk(GRACE)], [aReview({ id: 5 })], { ignore: ['GRACE'] })).toMatchObject({
      actionable: [],
      changesRequestedBy: [],
      ignored: [
        { id: 'thread-1', why: 'by_policy' },
        { id: 'review:5', why: 'by_policy' },
      ],
    });
    expect(verdict([talk(LINTER)], [], { allowBots: ['*'], ignore: ['linter'] }).actionable).toEqual([]);
  });

  it.each([
    ['*[bot]', [301]],
    ['Grace[bot]', [301]],
    ['linter[BOT]', [301]],
    ['*', []],
    ['grace', []],
  ])('ignores bots alone by %s where it ends as only their names do', (login, askers) => {
    const bot = aPerson({ id: 902, login: login === 'linter[BOT]' ? 'linter' : 'grace[bot]', kind: 'bot' });
    const person = aPerson({ id: 301, login: login === 'linter[BOT]' ? 'linter' : 'grace' });
    const threads = [talk(bot), talk(person)].map((thread, nth) => ({ ...thread, id: `thread-${String(nth)}` }));

    const { actionable } = verdict(threads, [], { allowBots: ['*'], ignore: [login] });

    expect(actionable.map(({ author }) => author)).toEqual(askers.map(() => person.login));
  });

  it('trap 56: never lets ourselves in', () => {
    expect(verdict([talk(US)], [aReview({ author: US })], { allowBots: ['*'] })).toMatchObject({
      actionable: [],
      ignored: [{ why: 'by_us' }, { id: 'review:1', why: 'by_us' }],
    });
  });

  it.each([
    ['a bot replies to us', talk(LINTER, US, LINTER), 'bot_loop'],
    ['bots go on', talk(LINTER, US, LINTER, LINTER), 'bot_loop'],
    ['a bot replies to us in a thread of a person', talk(GRACE, US, LINTER), 'bot_loop'],
  ])('trap 54: ends it when %s', (_what, thread, why) => {
    expect(verdict([thread], [], { allowBots: ['linter'] }).ignored).toEqual([{ id: 'thread-1', why }]);
  });

  it.each([
    ['nobody has answered the bot', talk(LINTER, LINTER)],
    ['a person spoke as well', talk(LINTER, US, GRACE, LINTER)],
    ['the author spoke as well', talk(LINTER, US, ADA, LINTER)],
  ])('trap 54: goes on when %s', (_what, thread) => {
    expect(verdict([thread], [], { allowBots: ['linter'] }).actionable).toHaveLength(1);
  });
});

describe('whoever may not write', () => {
  const writers = new Set([GRACE.id]);

  it('T56: has no say, and is not shown', () => {
    expect(verdict([talk(ALAN)], [aReview({ author: ALAN })], { writers }).ignored).toEqual([
      { id: 'thread-1', why: 'by_outsider' },
      { id: 'review:1', why: 'by_outsider' },
    ]);
    expect(verdict([talk(GRACE, ALAN)], [], { writers }).actionable).toMatchObject([
      { words: [{ comment: { author: GRACE } }], newestCommentId: 2 },
    ]);
    expect(verdict([talk(GRACE, US, ALAN)], [], { writers }).actionable).toEqual([]);
  });

  it('T56: is asked for where something would be done on their word, and only there', () => {
    const threads = [
      talk(GRACE, ALAN, ADA, GRACE, LINTER),
      { ...talk(aPerson({ id: 400, login: 'fixed' }), FIXED), id: 'thread-2' },
      { ...talk(aPerson({ id: 401, login: 'declined' }), DECLINED), id: 'thread-3' },
    ];
    const reviews = [
      aReview({ id: 1, author: aPerson({ id: 500, login: 'asks' }), body: 'Why?' }),
      aReview({ id: 2, author: aPerson({ id: 501, login: 'approves' }), state: 'approved' }),
      aReview({ id: 3, author: LINTER, body: 'No.' }),
    ];
    const input = anInput({ threads, reviews, allowBots: ['linter'] });

    expect(findAskers(input).map(({ login }) => login)).toEqual(['grace', 'alan', 'declined', 'asks']);
    expect(findAskers(anInput())).toEqual([]);
  });

  it('T56: changes nothing for those who ask nothing', () => {
    const actor = fc.constantFrom(GRACE, ALAN, ADA, US, LINTER, null);
    fc.assert(
      fc.property(
        fc.array(actor, { maxLength: 6 }),
        fc.boolean(),
        fc.subarray([GRACE.id, ALAN.id]),
        (said, isOutdated, may) => {
          const input = anInput({ threads: [{ ...talk(...said), isOutdated }], allowBots: ['linter'] });
          const withAll = toReviewVerdict(input).actionable.length;
          const withSome = toReviewVerdict({ ...input, writers: new Set(may) }).actionable.length;

          expect(withSome).toBeLessThanOrEqual(withAll);
          if (withAll === 0 && !said.includes(US)) expect(findAskers(input)).toEqual([]);
        },
      ),
    );
  });
});

describe('a request for changes', () => {
  it('trap 91, trap 97: is one item where it has no thread', () => {
    expect(verdict([], [aReview({ id: 5, body: 'Add a test.' })])).toEqual({
      actionable: [{ kind: 'changes_requested', reviewId: 5, author: 'grace', body: 'Add a test.' }],
      changesRequestedBy: ['grace'],
      newestCommentId: 'r5',
      newestAt: NOW,
      ignored: [],
      left: [],
      otherOpen: 0,
    });
    expect(verdict([], [aReview()]).actionable).toHaveLength(1);
  });

  it('is no item of its own beside an unresolved thread of its reviewer, which tells its text', () => {
    expect(
      verdict(
        [aThread(), aThread({ id: 'thread-2', comments: [aComment({ author: ALAN })] })],
        [aReview({ body: 'See below.' })],
      ),
    ).toMatchObject({
      actionable: [
        { threadId: 'thread-1', request: 'See below.' },
        { threadId: 'thread-2', request: '' },
      ],
      changesRequestedBy: ['grace'],
      ignored: [],
    });
  });

  it('is always accounted for: as an item, by an open thread of its reviewer, or as ignored', () => {
    const answered = aThread({ comments: [aComment(), aComment({ id: 2, author: aPerson() })] });
    const open = aThread({ id: 'thread-2' });
    const why = { id: 'review:1', why: 'said_by_threads' };

    expect(verdict([answered], [aReview({ body: 'No.' })]).ignored).toContainEqual(why);
    expect(verdict([answered, open], [aReview({ body: 'No.' })]).ignored).not.toContainEqual(why);
    expect(verdict([open], [aReview({ body: 'No.', submittedAt: null })]).actionable).toHaveLength(1);
  });

  const RESOLVED = { isResolved: true };
  it.each([
    ['its threads are resolved', aThread({ ...RESOLVED, reviewId: 1 }), 'See below.', 0],
    ['it has no text, and its reviewer has threads', aThread(RESOLVED), ' \n', 0],
    ['the resolved thread is of another review', aThread({ ...RESOLVED, reviewId: 9 }), 'Add a test.', 1],
    ['nothing tells of which review the thread is', aThread(RESOLVED), 'Add a test.', 1],
    ['the thread is of somebody else', aThread({ reviewId: 1, comments: [aComment({ author: ALAN })] }), '', 2],
    ['the thread is empty', aThread({ ...RESOLVED, comments: [] }), '', 1],
  ])('is an item or is not when %s', (_what, thread, body, count) => {
    const { actionable, ignored } = verdict([thread], [aReview({ body })]);

    expect(actionable).toHaveLength(count);
    expect(ignored.some(({ id, why }) => id === 'review:1' && why === 'said_by_threads')).toBe(count === 0);
  });

  const AFTER: readonly (readonly [string, Partial<Review>, number, IgnoredWhy | null])[] = [
    ['an approval', { state: 'approved' }, 0, null],
    ['a dismissal', { state: 'dismissed' }, 0, 'dismissed'],
    ['another request', {}, 1, null],
    ['a mere comment', { state: 'commented' }, 1, 'comment_only'],
    ['a pending review', { state: 'pending', submittedAt: null }, 1, 'pending'],
    ['an unknown state', { state: 'unknown' }, 1, 'unknown_state'],
    ['an approval of somebody else', { state: 'approved', author: ALAN }, 1, null],
    ['an approval of a deleted account', { state: 'approved', author: null }, 1, null],
  ];
  it.each(AFTER)('trap 99: stands or falls with %s after it', (_what, change, count, why) => {
    const later = aReview({ id: 2, submittedAt: NOW + 1, ...change });
    const isReplaced = count === 0 || change.state === undefined;

    for (const reviews of [
      [aReview(), later],
      [later, aReview()],
    ]) {
      const { actionable, ignored } = verdict([], reviews);
      expect(actionable).toHaveLength(count);
      expect(ignored.find(({ id }) => id === 'review:2')?.why ?? null).toBe(why);
      expect(ignored.find(({ id }) => id === 'review:1')?.why ?? null).toBe(isReplaced ? 'superseded' : null);
    }
  });

  it('stands where an approval came before it', () => {
    const approval = aReview({ id: 9, state: 'approved', submittedAt: NOW - 1 });

    expect(verdict([], [aReview(), approval]).actionable).toHaveLength(1);
  });

  it('is named as said by its threads also beside an open thread of somebody else', () => {
    const own = aThread({ ...RESOLVED, reviewId: 1 });
    const other = aThread({ id: 'thread-2', comments: [aComment({ author: ALAN })] });
    const empty = aThread({ id: 'thread-3', comments: [] });

    expect(verdict([own, other, empty], [aReview({ body: 'See below.' })]).ignored).toContainEqual({
      id: 'review:1',
      why: 'said_by_threads',
    });
  });

  it('trap 99: of two reviews of one moment the one with the greater number counts', () => {
    const approval = aReview({ id: 2, state: 'approved' });

    for (const id of [1, 3]) {
      const request = aReview({ id });
      expect(verdict([], [request, approval]).actionable).toHaveLength(id === 3 ? 1 : 0);
      expect(verdict([], [approval, request]).actionable).toHaveLength(id === 3 ? 1 : 0);
    }
  });

  it('trap 94: goes by id where the times are equal or missing', () => {
    const approval = aReview({ id: 2, state: 'approved', submittedAt: null });

    expect(verdict([], [approval, aReview({ submittedAt: null })])).toMatchObject({ actionable: [], newestAt: null });
    expect(verdict([], [aReview({ id: 3, submittedAt: null }), approval])).toMatchObject({
      actionable: [{ reviewId: 3 }],
      newestCommentId: 'r3',
      newestAt: null,
    });
  });

  it.each([
    ['the author', ADA, 'by_author'],
    ['a bot', LINTER, 'by_bot'],
    ['nobody', null, 'author_unknown'],
  ])('counts for nothing when %s asks', (_who, author, why) => {
    expect(verdict([], [aReview({ author })])).toMatchObject({
      actionable: [],
      changesRequestedBy: [],
      ignored: [{ id: 'review:1', why }],
    });
  });

  it.each([['commented'], ['pending'], ['dismissed'], ['unknown'], ['approved']] as const)(
    'trap 98, trap 102: %s triggers nothing by itself',
    (state) => {
      expect(verdict([], [aReview({ state, body: 'Please fix it.' })])).toMatchObject({
        actionable: [],
        changesRequestedBy: [],
        newestCommentId: null,
      });
    },
  );

  it('lists standing requests in the order in which they were made', () => {
    const reviews = [aReview({ id: 50 }), aReview({ id: 49, author: ALAN })];

    expect(verdict([], reviews)).toMatchObject({ changesRequestedBy: ['alan', 'grace'], newestCommentId: 'r50' });
    expect(verdict([], [...reviews].reverse()).changesRequestedBy).toEqual(['alan', 'grace']);
  });

  it('gives a key in which a new comment shows beside a newer review', () => {
    const kay = aPerson({ id: 301, login: 'kay' });
    const before = verdict([talk({ id: 4, author: ALAN })], [aReview({ id: 50 }), aReview({ id: 49, author: kay })]);
    const after = verdict([talk({ id: 4, author: ALAN }, { id: 6, author: ALAN })], [aReview({ id: 50 })]);

    expect([before.newestCommentId, after.newestCommentId]).toEqual(['c4.r50', 'c6.r50']);
  });

  it('refuses a state that cannot be', () => {
    expect(() => verdict([], [aReview({ state: forge('"other"') })])).toThrow('unexpected value');
  });
});

describe('toItemId', () => {
  it('names threads and reviews apart', () => {
    const ids = verdict([aThread({ comments: [aComment({ author: ALAN })] })], [aReview({ id: 7 })]).actionable.map(
      toItemId,
    );

    expect(ids).toEqual(['thread-1', 'review:7']);
  });
});
