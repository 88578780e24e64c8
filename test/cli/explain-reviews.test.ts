import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explain } from '../../src/cli/explain.ts';

const ADA = { __typename: 'User', login: 'ada', databaseId: 100 };
const GRACE = { __typename: 'User', login: 'grace', databaseId: 200 };
const ALAN = { __typename: 'User', login: 'alan', databaseId: 300 };
const LINTER = { __typename: 'Bot', login: 'linter', databaseId: 901 };
const US = { __typename: 'Bot', login: 'ratchet', databaseId: 900 };

type Node = Readonly<Record<string, unknown>>;

let ids = 100;

function aComment(author: Node | null, change: Node = {}): Node {
  ids += 1;
  return {
    id: `PRRC_${ids}`,
    fullDatabaseId: String(ids),
    body: 'Rename this.',
    createdAt: new Date(Date.UTC(2026, 0, 1) + ids * 1000).toISOString(),
    lastEditedAt: null,
    author,
    ...change,
  };
}

function aThread(comments: readonly Node[], change: Node = {}): Node {
  return {
    id: 'PRRT_1',
    path: 'src/a.ts',
    line: 3,
    isResolved: false,
    isOutdated: false,
    comments: { nodes: comments },
    ...change,
  };
}

function aReview(author: Node | null, change: Node = {}): Node {
  return {
    id: 'PRR_1',
    fullDatabaseId: '11',
    state: 'CHANGES_REQUESTED',
    body: 'Add a test.',
    submittedAt: '2026-01-01T00:00:00Z',
    author,
    ...change,
  };
}

function ask(input: unknown): unknown {
  const { exitCode, stdout, stderr } = explain('reviews', JSON.stringify(input));
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

function input(threads: readonly (Node | null)[], reviews: readonly (Node | null)[] = [], more: Node = {}): Node {
  return { author: ADA, reviewThreads: { nodes: threads }, reviews: { nodes: reviews }, ...more };
}

const NOTHING = { actionable: [], changesRequestedBy: [], ignored: [] };
const THREAD = { threadId: 'PRRT_1', path: 'src/a.ts', line: 3, author: 'grace' };

describe('explain reviews', () => {
  it('tells what is actionable, who requested changes, and what is ignored and why', () => {
    const threads = [
      aThread([aComment(GRACE)]),
      aThread([aComment(GRACE)], { id: 'PRRT_2', isResolved: true }),
      aThread([aComment(LINTER)], { id: 'PRRT_3' }),
      aThread([aComment(ADA)], { id: 'PRRT_4' }),
      aThread([aComment(GRACE), aComment(US)], { id: 'PRRT_5' }),
      aThread([aComment(GRACE)], { id: 'PRRT_6', isOutdated: true, line: null }),
    ];
    const reviews = [
      aReview(ALAN),
      aReview(GRACE, { id: 'PRR_2', fullDatabaseId: '12' }),
      aReview(GRACE, { id: 'PRR_3', fullDatabaseId: '13', state: 'APPROVED', submittedAt: '2026-01-02T00:00:00Z' }),
      aReview(ADA, { id: 'PRR_4', fullDatabaseId: '14', state: 'COMMENTED' }),
    ];

    expect(ask(input(threads, reviews))).toEqual({
      actionable: [
        THREAD,
        { threadId: 'PRRT_6', path: 'src/a.ts', line: null, author: 'grace' },
        { threadId: null, path: null, line: null, author: 'alan' },
      ],
      changesRequestedBy: ['alan'],
      ignored: [
        { id: 'PRRT_2', why: 'resolved' },
        { id: 'PRRT_3', why: 'by_bot' },
        { id: 'PRRT_4', why: 'by_author' },
        { id: 'PRRT_5', why: 'answered_by_us' },
        { id: 'PRR_2', why: 'superseded' },
        { id: 'PRR_4', why: 'comment_only' },
      ],
    });
  });

  it.each([
    ['the pull request alone', (pullRequest: Node) => pullRequest],
    ['below pullRequest', (pullRequest: Node) => ({ pullRequest })],
    ['below repository', (pullRequest: Node) => ({ repository: { pullRequest } })],
    ['the whole answer', (pullRequest: Node) => ({ data: { repository: { pullRequest } } })],
  ])('takes %s', (_what, wrap) => {
    expect(ask(wrap(input([aThread([aComment(GRACE)])])))).toMatchObject({ actionable: [THREAD] });
  });

  it.each([
    ['lists without nodes', { reviewThreads: [aThread([aComment(GRACE)])], reviews: [] }],
    ['one list alone', { reviewThreads: { nodes: [aThread([aComment(GRACE)])] } }],
    ['a list that is null', { reviewThreads: { nodes: [aThread([aComment(GRACE)])] }, reviews: null }],
    ['nodes that are null', { reviewThreads: { nodes: [null, aThread([aComment(GRACE)])] }, reviews: { nodes: null } }],
    [
      'a connection without nodes',
      { reviewThreads: { nodes: [aThread([aComment(GRACE)])] }, reviews: { totalCount: 3 } },
    ],
    ['comments without nodes', { reviewThreads: [aThread([], { comments: [aComment(GRACE)] })] }],
  ])('trap 93: takes %s', (_what, given) => {
    expect(ask(given)).toMatchObject({ actionable: [THREAD] });
  });

  it('trap 93: needs no more of a thread than its id and who wrote in it', () => {
    const bare = { id: 'PRRT_1', comments: { nodes: [{ author: { login: 'grace' } }] } };

    expect(ask({ author: { login: 'ada' }, reviewThreads: { nodes: [bare] } })).toEqual({
      ...NOTHING,
      actionable: [{ threadId: 'PRRT_1', path: null, line: null, author: 'grace' }],
    });
  });

  it('compares accounts by login where a number is missing, in any case', () => {
    const withoutNumber = [
      aThread([aComment({ login: 'Ada' })]),
      aThread([aComment({ login: 'grace' })], { id: 'PRRT_2' }),
      aThread([aComment({ login: 'linter[bot]' })], { id: 'PRRT_3' }),
      aThread([aComment(null)], { id: 'PRRT_4' }),
    ];

    expect(ask(input(withoutNumber, [], { author: { login: 'ada' } }))).toEqual({
      ...NOTHING,
      actionable: [{ ...THREAD, threadId: 'PRRT_2' }],
      ignored: [
        { id: 'PRRT_1', why: 'by_author' },
        { id: 'PRRT_3', why: 'by_bot' },
        { id: 'PRRT_4', why: 'author_unknown' },
      ],
    });
  });

  it('takes a login with and without a number for one account', () => {
    expect(ask(input([aThread([aComment({ login: 'ada' })])]))).toMatchObject({
      ignored: [{ id: 'PRRT_1', why: 'by_author' }],
    });
  });

  it.each([
    ['names reviews by their number where there is no id', { id: undefined }, 'review:11'],
    ['… by an old number', { id: undefined, fullDatabaseId: undefined, databaseId: 12 }, 'review:12'],
    ['… by their place', { id: null, fullDatabaseId: null }, 'review:1'],
  ])('%s', (_what, change, id) => {
    expect(ask(input([], [aReview(GRACE, { state: 'DISMISSED', ...change })]))).toEqual({
      ...NOTHING,
      ignored: [{ id, why: 'dismissed' }],
    });
  });

  it.each([
    ['trap 89', 'SNOOZED', 'unknown_state'],
    ['trap 89', null, 'unknown_state'],
    ['trap 94', 'PENDING', 'pending'],
    ['trap 79', 'dismissed', 'dismissed'],
  ])('%s: takes the state %s', (_trap, state, why) => {
    expect(ask(input([], [aReview(GRACE, { state, submittedAt: null })]))).toMatchObject({
      ignored: [{ id: 'PRR_1', why }],
    });
  });

  it('trap 99: goes by the time of reviews, not by their place', () => {
    const approval = aReview(GRACE, { id: 'PRR_2', state: 'APPROVED', submittedAt: '2026-01-02T00:00:00Z' });

    expect(ask(input([], [approval, aReview(GRACE)]))).toEqual({
      ...NOTHING,
      ignored: [{ id: 'PRR_1', why: 'superseded' }],
    });
    expect(ask(input([], [{ ...approval, submittedAt: '2025-12-31T00:00:00Z' }, aReview(GRACE)]))).toMatchObject({
      changesRequestedBy: ['grace'],
    });
  });

  it.each([
    ['by the number of the review', { fullDatabaseId: '11' }],
    ['by its id', { id: 'PRR_1' }],
  ])('knows which resolved threads say a request: %s', (_what, pullRequestReview) => {
    const thread = aThread([aComment(GRACE, { pullRequestReview })], { isResolved: true });

    expect(ask(input([thread], [aReview(GRACE)]))).toMatchObject({
      actionable: [],
      changesRequestedBy: ['grace'],
      ignored: [{ id: 'PRRT_1' }, { id: 'PRR_1', why: 'said_by_threads' }],
    });
  });

  it('does not know it by the id of a review that is not there', () => {
    const thread = aThread([aComment(GRACE, { pullRequestReview: { id: 'PRR_9' } })], { isResolved: true });

    expect(ask(input([thread], [aReview(GRACE)]))).toMatchObject({ actionable: [{ threadId: null, author: 'grace' }] });
  });

  const ANSWERED = [
    aComment(GRACE, { fullDatabaseId: '1', createdAt: '2026-01-01T00:00:00Z' }),
    aComment(US, { fullDatabaseId: '2', createdAt: '2026-01-01T00:01:00Z' }),
  ];
  it.each([
    ['trap 92', { lastEditedAt: '2026-01-01T00:02:00Z' }, 1],
    ['trap 92', { lastEditedAt: undefined, updatedAt: '2026-01-01T00:02:00Z' }, 1],
    ['trap 93', { lastEditedAt: null, updatedAt: '2026-01-01T00:02:00Z' }, 0],
    ['trap 93', { lastEditedAt: 5, updatedAt: undefined }, 0],
  ])('%s: takes edits as GitHub tells them: %o', (_trap, change, count) => {
    const [first, second] = ANSWERED;

    expect(ask(input([aThread([{ ...first, ...change }, second ?? {}])]))).toHaveProperty('actionable.length', count);
  });

  it('puts comments in the order in which they were written, the first of a long thread before its last ones', () => {
    const [first, second] = ANSWERED;
    const long = aThread([second ?? {}], { opening: { nodes: [first] } });

    expect(ask(input([aThread([...ANSWERED].reverse())]))).toMatchObject({ ignored: [{ why: 'answered_by_us' }] });
    expect(ask(input([long]))).toMatchObject({ ignored: [{ why: 'answered_by_us' }] });
    expect(ask(input([aThread(ANSWERED, { opening: { nodes: [first] } })]))).toMatchObject({
      ignored: [{ why: 'answered_by_us' }],
    });
  });

  it('reads a connection by its edges, too: what it does not read must not pass for nothing', () => {
    const edges = [{ node: aThread([aComment(GRACE)]) }, { node: null }];

    expect(ask({ ...input([]), reviewThreads: { edges } })).toMatchObject({ actionable: [THREAD] });
    expect(ask({ ...input([]), reviewThreads: { edges: null } })).toEqual(NOTHING);
  });

  it('does not listen to what somebody hid', () => {
    expect(ask(input([aThread([aComment(GRACE, { isMinimized: true })])]))).toMatchObject({
      actionable: [],
      ignored: [{ id: 'PRRT_1', why: 'hidden' }],
    });
  });

  it('follows the policy, the name of the App and who may write', () => {
    const byBot = input([aThread([aComment(LINTER)])]);
    const byGrace = input([aThread([aComment(GRACE)])], [aReview(ALAN)]);

    expect(ask({ ...byBot, policy: { allowBots: ['lint*'] } })).toHaveProperty('actionable.length', 1);
    expect(ask({ ...byBot, policy: { allowBots: ['*'] }, appSlug: 'Linter[bot]' })).toMatchObject({
      ignored: [{ why: 'by_us' }],
    });
    expect(ask({ ...byBot, policy: { allowBots: ['*'] }, appSlug: null })).toMatchObject({
      ignored: [{ why: 'by_us' }],
    });
    expect(ask({ ...byGrace, policy: { ignore: ['grace', 'alan'] } })).toMatchObject({
      ...NOTHING,
      ignored: [{ why: 'by_policy' }, { why: 'by_policy' }],
    });
    expect(ask({ ...byGrace, writers: ['Grace'] })).toMatchObject({
      actionable: [THREAD],
      changesRequestedBy: [],
      ignored: [{ id: 'PRR_1', why: 'by_outsider' }],
    });
  });

  it.each([
    [{}, 'the input: expected reviews or reviewThreads'],
    [[], 'the input: Invalid input: expected object, received array'],
    [null, 'the input: Invalid input: expected object, received null'],
    [{ reviews: 3 }, 'reviews: Invalid input: expected array, received number'],
    [{ reviews: { edges: 3 } }, 'reviews: Invalid input: expected array, received number'],
    [{ reviews: { edges: [3] } }, 'reviews.0: Invalid input: expected object, received number'],
    [{ reviews: [{ fullDatabaseId: '1'.repeat(16) }] }, 'reviews.0.fullDatabaseId: expected an id: at most 15 digits'],
    [{ reviewThreads: [{ comments: [] }] }, 'reviewThreads.0.id: Invalid input: expected string, received undefined'],
    [{ reviews: [], policy: { bots: [] } }, 'policy: Unrecognized key: "bots"'],
    [{ reviews: [aReview({ login: 3 })] }, 'reviews.0.author.login: Invalid input: expected string, received number'],
  ])('refuses %j and says where', (given, problem) => {
    expect(explain('reviews', JSON.stringify(given))).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `ratchet: explain reviews: ${problem}\n`,
    });
  });

  it('answers or refuses whatever comes, and never fails', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(json, json, json, (author, reviews, reviewThreads) => {
        expect([0, 2]).toContain(explain('reviews', JSON.stringify({ author, reviews, reviewThreads })).exitCode);
      }),
    );
  });
});
