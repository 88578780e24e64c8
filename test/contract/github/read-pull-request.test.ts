import { schema } from '@octokit/graphql-schema';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  annotationsQuery,
  commitConfigQuery,
  configFilesQuery,
  contextsQuery,
  headCommitQuery,
  pullRequestQuery,
  pushRightQuery,
  suitesQuery,
  threadsQuery,
  toPullRequestsQuery,
} from '../../../src/adapters/github/pull-request-query.ts';
import type { PullRequestFacts } from '../../../src/core/model/pull-request.ts';
import { unreadablePolicyText } from '../../../src/payloads/to-policy-text.ts';
import {
  aCheckRunNode,
  aDiscussion,
  aHeadCommit,
  answerMints,
  answerQueries,
  aPage,
  aPullRequestNode,
  aRef,
  aReviewPage,
  aSuiteNode,
  createTestGitHub,
  expectAllAnswersAsked,
  found,
  foundObject,
  headSha,
  named,
  ref,
  sha,
  signal,
} from './github-fixture.ts';

expectAllAnswersAsked();

async function read(...answers: readonly unknown[]): Promise<PullRequestFacts | null> {
  answerMints(['ghs_read']);
  answerQueries(...answers);
  return createTestGitHub().github.readPullRequest(ref, signal());
}

function aBlob(changes: Readonly<Record<string, unknown>>): unknown {
  return { __typename: 'Blob', isBinary: false, isTruncated: false, ...changes };
}

type Row = [string, Record<string, unknown>, Partial<PullRequestFacts>];

function policyRow(what: string, object: unknown, policyText: string): Row {
  return [what, { baseRef: aRef({ target: { oid: sha('c'), policyFile: { object } } }) }, { policyText }];
}

describe('the GraphQL documents', () => {
  const github = buildSchema(schema.idl, { assumeValidSDL: true });

  it.each([
    ['pull request', pullRequestQuery],
    ['ten pull requests', toPullRequestsQuery(10)],
    ['annotations', annotationsQuery],
    ['head commit', headCommitQuery],
    ['contexts', contextsQuery],
    ['suites', suitesQuery],
    ['threads', threadsQuery],
    ['push right', pushRightQuery],
    ['config files', configFilesQuery],
    ['commit config', commitConfigQuery],
  ])('%s is valid by the schema that GitHub publishes', (_name, query) => {
    expect(validate(github, parse(query)).map(({ message }) => message)).toEqual([]);
  });
});

describe('readPullRequest', () => {
  it('says in our words what GitHub tells of a quiet pull request', async () => {
    expect(await read(found(aPullRequestNode()))).toEqual({
      number: 3,
      title: 'Add a widget',
      state: 'open',
      draft: false,
      fork: false,
      author: { id: 5, login: 'ada', kind: 'user' },
      headSha,
      headRef: 'feature',
      baseRef: 'main',
      baseSha: sha('c'),
      merge: 'clean',
      isBlocked: false,
      autoMerge: false,
      inMergeQueue: false,
      queueFailure: null,
      labels: [],
      checks: [],
      threads: [],
      reviews: [],
      reviewDecision: null,
      hasWorkflows: false,
      baseHasChecks: false,
      policyText: null,
      headPolicyText: null,
      organizationPolicyText: null,
      rules: {
        pushRefusals: [],
        mustBeUpToDate: false,
        requiredChecks: [],
        commitPatterns: [],
        dismissesStaleApprovals: false,
        mustResolveThreads: false,
      },
      headParents: [sha('9')],
      beside: [],
    } satisfies PullRequestFacts);
  });

  it.each<Row>([
    ['a merged one', { state: 'MERGED' }, { state: 'merged' }],
    ['a closed one', { state: 'CLOSED' }, { state: 'closed' }],
    ['a state from the future', { state: 'FROZEN' }, { state: 'closed' }],
    ['a draft from a fork', { isDraft: true, isCrossRepository: true }, { draft: true, fork: true }],
    ['a conflict (trap 85)', { mergeable: 'CONFLICTING', mergeStateStatus: 'DIRTY' }, { merge: 'conflict' }],
    ['one behind its base', { mergeStateStatus: 'BEHIND' }, { merge: 'behind' }],
    ['one that is blocked and merges', { mergeStateStatus: 'BLOCKED' }, { merge: 'clean' }],
    ['a merge not computed yet', { mergeable: 'UNKNOWN', mergeStateStatus: 'BEHIND' }, { merge: 'unknown' }],
    ['a merge value from the future', { mergeable: 'PERHAPS' }, { merge: 'unknown' }],
    ['auto-merge', { autoMergeRequest: { enabledAt: '2026-11-27T00:00:00Z' } }, { autoMerge: true }],
    ['a merge queue', { isInMergeQueue: true }, { inMergeQueue: true }],
    ...['CI_FAILURE', 'ci_timeout', 'MERGE_CONFLICT', 'a reason from the future'].map(
      (reason): Row => [
        `a merge queue that removed it: ${reason} (L7)`,
        { timelineItems: { nodes: [{ __typename: 'RemovedFromMergeQueueEvent', reason }] } },
        { queueFailure: reason },
      ],
    ),
    ...['MANUAL', 'MERGE', 'QUEUE_CLEARED', 'roll_back', 'UNKNOWN_REMOVAL_REASON', '', null].map(
      (reason): Row => [
        `a merge queue that it left: ${String(reason)}`,
        { timelineItems: { nodes: [{ __typename: 'RemovedFromMergeQueueEvent', reason }] } },
        { queueFailure: null },
      ],
    ),
    [
      'a merge queue that it left, and a push since',
      { timelineItems: { nodes: [{ __typename: 'PullRequestCommit' }] } },
      { queueFailure: null },
    ],
    [
      'a merge queue that took it again',
      {
        isInMergeQueue: true,
        timelineItems: { nodes: [{ __typename: 'RemovedFromMergeQueueEvent', reason: 'CI_FAILURE' }] },
      },
      { inMergeQueue: true, queueFailure: null },
    ],
    ['a timeline that cannot be read', { timelineItems: { nodes: null } }, { queueFailure: null }],
    ['labels', { labels: { nodes: [{ name: 'bug' }] } }, { labels: ['bug'] }],
    ['an author who is gone', { author: null }, { author: null }],
    [
      'a bot',
      { author: { __typename: 'Bot', login: 'renovate', databaseId: 9 } },
      { author: { id: 9, login: 'renovate', kind: 'bot' } },
    ],
    [
      'an account kind from the future',
      { author: { __typename: 'Agent', login: 'x', databaseId: 9 } },
      { author: { id: 9, login: 'x', kind: 'bot' } },
    ],
    ['an account without a number', { author: { __typename: 'Agent', login: 'x' } }, { author: null }],
    ['a base branch that is gone', { baseRef: null }, { baseSha: sha('b'), baseHasChecks: false, policyText: null }],
    [
      'workflows at the head',
      { commits: { nodes: [{ commit: aHeadCommit([], { file: { object: { entries: [{ name: 'ci.yml' }] } } }) }] } },
      { hasWorkflows: true },
    ],
    [
      'a folder of workflows with no workflow',
      { commits: { nodes: [{ commit: aHeadCommit([], { file: { object: { entries: [{ name: 'README.md' }] } } }) }] } },
      { hasWorkflows: false },
    ],
    [
      'a file in place of the folder',
      { commits: { nodes: [{ commit: aHeadCommit([], { file: { object: {} } }) }] } },
      { hasWorkflows: false },
    ],
    [
      'results on the base',
      { baseRef: aRef({ target: { oid: sha('c'), statusCheckRollup: { contexts: { totalCount: 2 } } } }) },
      { baseHasChecks: true },
    ],
    policyRow('a policy file', aBlob({ text: 'version: 1\n' }), 'version: 1\n'),
    policyRow('an empty policy file', aBlob({ text: '' }), ''),
    policyRow('a policy file that is cut', aBlob({ text: 'version: 1\n', isTruncated: true }), unreadablePolicyText),
    policyRow('a binary policy file', aBlob({ text: null, isBinary: true }), unreadablePolicyText),
    policyRow('a folder in place of the policy file', { __typename: 'Tree' }, unreadablePolicyText),
  ])('maps %s', async (_what, changes, facts) => {
    expect(await read(found(aPullRequestNode(changes)))).toMatchObject(facts);
  });

  it.each([
    ['a workflow run that has not ended, whatever its jobs say', {}, [{ status: 'in_progress', conclusion: null }]],
    [
      'one that nobody has approved and that has no job (trap 11)',
      { status: 'COMPLETED', conclusion: 'ACTION_REQUIRED', checkRuns: { totalCount: 0 } },
      [{ status: 'completed', conclusion: 'action_required' }],
    ],
    ['not one that has ended with jobs: they speak for it', { status: 'COMPLETED', conclusion: 'SUCCESS' }, []],
    ['not the empty suite of another App', { status: 'QUEUED', workflowRun: null, checkRuns: { totalCount: 0 } }, []],
  ])('counts %s', async (_what, changes, expected) => {
    const commit = aHeadCommit([], { checkSuites: aPage([aSuiteNode(changes)]) });

    const facts = await read(found(aPullRequestNode({ commits: { nodes: [{ commit }] } })));

    const shared = { source: 'check_run', id: 91, name: 'ci', event: 'push', workflow: '77', appId: 15368, headSha };
    expect(facts?.checks).toMatchObject(expected.map((progress) => ({ ...shared, ...progress })));
    expect(facts?.checks).toHaveLength(expected.length);
  });

  it.each([
    ['COMPLETED', 'SUCCESS', 'completed', 'success'],
    ['COMPLETED', 'STARTUP_FAILURE', 'completed', 'startup_failure'],
    ['COMPLETED', 'ACTION_REQUIRED', 'completed', 'action_required'],
    ['COMPLETED', 'SHRUG', 'completed', 'unknown'],
    ['COMPLETED', null, 'completed', 'unknown'],
    ['IN_PROGRESS', null, 'in_progress', null],
    ['QUEUED', null, 'queued', null],
    ['REQUESTED', null, 'queued', null],
    ['PENDING', null, 'queued', null],
    ['WAITING', null, 'waiting', null],
    ['DREAMING', null, 'unknown', null],
  ])('maps a check run that is %s and %s', async (status, conclusion, ourStatus, ourConclusion) => {
    const commit = aHeadCommit([aCheckRunNode({ status, conclusion })]);

    const facts = await read(found(aPullRequestNode({ commits: { nodes: [{ commit }] } })));

    expect(facts?.checks).toMatchObject([
      {
        source: 'check_run',
        id: 55,
        appId: 15368,
        appSlug: 'github-actions',
        event: 'push',
        headSha,
        status: ourStatus,
        conclusion: ourConclusion,
      },
    ]);
  });

  it.each([
    ['SUCCESS', 'completed', 'success'],
    ['FAILURE', 'completed', 'failure'],
    ['ERROR', 'completed', 'failure'],
    ['PENDING', 'in_progress', null],
    ['EXPECTED', 'queued', null],
    ['SHRUG', 'unknown', null],
  ])('maps a commit status that is %s', async (state, status, conclusion) => {
    const context = {
      __typename: 'StatusContext',
      id: 'SC_1',
      context: 'ci/legacy',
      state,
      targetUrl: null,
      createdAt: '2026-11-27T11:00:00Z',
    };
    const commit = aHeadCommit([context, { ...context, id: 'SC_2' }]);

    const facts = await read(found(aPullRequestNode({ commits: { nodes: [{ commit }] } })));

    expect(facts?.checks).toMatchObject([
      { source: 'status', name: 'ci/legacy', appId: null, event: null, status, conclusion },
      { source: 'status' },
    ]);
    expect(facts?.checks[0]?.id).not.toBe(facts?.checks[1]?.id);
    expect(Number.isSafeInteger(facts?.checks[0]?.id)).toBe(true);
  });

  it('maps threads and reviews with 64-bit ids, and sees edits (trap 92, trap 93)', async () => {
    const author = { __typename: 'User', login: 'bob', databaseId: 6 };
    const thread = {
      id: 'PRRT_1',
      path: 'src/a.ts',
      line: null,
      isResolved: false,
      isOutdated: true,
      ...aDiscussion([
        { fullDatabaseId: '5000000001', body: 'why?', createdAt: '2026-11-27T11:00:00Z', author },
        {
          fullDatabaseId: '5000000003',
          body: 'edited',
          createdAt: '2026-11-27T11:00:00Z',
          lastEditedAt: '2026-11-27T11:30:00Z',
          author: null,
        },
      ]),
    };
    const review = {
      fullDatabaseId: '5000000002',
      state: 'CHANGES_REQUESTED',
      body: 'no',
      submittedAt: '2026-11-27T11:00:00Z',
      commit: { oid: headSha },
      author: null,
    };

    const facts = await read(
      found(
        aPullRequestNode({
          reviewThreads: aPage([thread]),
          reviews: aReviewPage([review, { ...review, state: 'SHRUG', commit: null }]),
        }),
      ),
    );

    const at = Date.parse('2026-11-27T11:00:00Z');
    expect(facts?.threads).toEqual([
      {
        id: 'PRRT_1',
        path: 'src/a.ts',
        line: null,
        isResolved: false,
        isOutdated: true,
        comments: [
          {
            id: 5_000_000_001,
            author: { id: 6, login: 'bob', kind: 'user' },
            body: 'why?',
            createdAt: at,
            updatedAt: at,
          },
          { id: 5_000_000_003, author: null, body: 'edited', createdAt: at, updatedAt: at + 30 * 60_000 },
        ],
      },
    ]);
    expect(facts?.reviews).toEqual([
      { id: 5_000_000_002, author: null, state: 'changes_requested', body: 'no', submittedAt: at, commitSha: headSha },
      { id: 5_000_000_002, author: null, state: 'unknown', body: 'no', submittedAt: at, commitSha: null },
    ]);
  });

  it.each([
    ['APPROVED', 'approved'],
    ['CHANGES_REQUESTED', 'changes_requested'],
    ['REVIEW_REQUIRED', 'review_required'],
    ['SHRUG', null],
    [null, null],
  ] as const)('reads the review decision %s', async (reviewDecision, expected) => {
    expect((await read(found(aPullRequestNode({ reviewDecision }))))?.reviewDecision).toBe(expected);
  });

  it('reads reviews to the first one: a request for changes may be older than a hundred approvals (trap 42)', async () => {
    const author = { __typename: 'User', login: 'bob', databaseId: 6 };
    const at = { submittedAt: '2026-11-27T11:00:00Z', commit: null, author };
    const [old, newer] = ['CHANGES_REQUESTED', 'APPROVED'].map((state, id) => ({
      fullDatabaseId: id,
      state,
      body: '',
      ...at,
    }));
    answerMints(['ghs_read']);
    const asked = answerQueries(
      found(aPullRequestNode({ reviews: aReviewPage([newer], 'before-1') })),
      found({ reviews: aReviewPage([old]) }),
    );

    const facts = await createTestGitHub().github.readPullRequest(ref, signal());

    expect(facts?.reviews.map(({ state }) => state)).toEqual(['approved', 'changes_requested']);
    expect(asked).toMatchObject([{}, { number: 3, before: 'before-1' }]);
  });

  it.each([
    ['the pull request is gone', found(null)],
    ['the repository is gone', { data: { repository: null } }],
  ])('believes no half list of reviews where %s (trap 42)', async (_what, answer) => {
    answerMints(['ghs_read']);
    answerQueries(found(aPullRequestNode({ reviews: aReviewPage([], 'before-1') })), answer);

    await expect(createTestGitHub().github.readPullRequest(ref, signal())).rejects.toMatchObject({
      code: 'UNEXPECTED',
    });
  });

  it('reads a discussion of megabytes (trap 103), and every open comment of it each time (trap 100)', async () => {
    const author = { __typename: 'User', login: 'bob', databaseId: 6 };
    const comments = Array.from({ length: 40 }, (_, index) => ({
      fullDatabaseId: String(5_000_000_000 + index),
      body: 'x'.repeat(60_000),
      createdAt: '2026-11-27T11:00:00Z',
      author,
    }));
    const thread = { id: 'PRRT_1', path: 'a.ts', line: 1, isResolved: false, isOutdated: false };
    const answer = found(aPullRequestNode({ reviewThreads: aPage([{ ...thread, ...aDiscussion(comments) }]) }));

    const facts = await read(answer);

    expect(facts?.threads[0]?.comments).toHaveLength(40);
    expect(facts?.threads[0]?.comments.every(({ body }) => body.length === 60_000)).toBe(true);
  });

  it('reads long lists to their end (trap 104)', async () => {
    const run = (id: number): unknown => aCheckRunNode({ databaseId: id, name: `job ${String(id)}` });
    const thread = (id: string): unknown => ({
      id,
      path: 'a',
      line: 1,
      isResolved: true,
      isOutdated: false,
      ...aDiscussion([]),
    });
    const commit = aHeadCommit([], { statusCheckRollup: { contexts: aPage([run(1)], 'c1', 3) } });
    answerMints(['ghs_read']);
    const asked = answerQueries(
      found(aPullRequestNode({ commits: { nodes: [{ commit }] }, reviewThreads: aPage([thread('t1')], 'd1', 2) })),
      foundObject({ statusCheckRollup: { contexts: aPage([run(2)], 'c2', 3) } }),
      foundObject({ statusCheckRollup: { contexts: aPage([run(3)], null, 3) } }),
      found({ reviewThreads: aPage([thread('t2')], null, 2) }),
    );

    const facts = await createTestGitHub().github.readPullRequest(ref, signal());

    expect(facts?.checks.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(facts?.threads.map(({ id }) => id)).toEqual(['t1', 't2']);
    expect(asked).toEqual([
      { owner: 'acme', name: 'widget', number: 3 },
      { owner: 'acme', name: 'widget', oid: headSha, after: 'c1' },
      { owner: 'acme', name: 'widget', oid: headSha, after: 'c2' },
      { owner: 'acme', name: 'widget', number: 3, after: 'd1' },
    ]);
  });

  it('reads the check suites to their end: one on the second page may be the one that failed to start', async () => {
    const failed = { status: 'COMPLETED', conclusion: 'STARTUP_FAILURE', checkRuns: { totalCount: 0 } };
    const commit = aHeadCommit([], { checkSuites: aPage([aSuiteNode({ workflowRun: null })], 's1', 2) });
    answerMints(['ghs_read']);
    const asked = answerQueries(
      found(aPullRequestNode({ commits: { nodes: [{ commit }] } })),
      foundObject({ checkSuites: aPage([aSuiteNode({ databaseId: 92, ...failed })], null, 2) }),
    );

    const facts = await createTestGitHub().github.readPullRequest(ref, signal());

    expect(facts?.checks).toMatchObject([{ id: 92, conclusion: 'startup_failure' }]);
    expect(asked.at(-1)).toEqual({ owner: 'acme', name: 'widget', oid: headSha, after: 's1' });
  });

  it('asks only for reviews with a verdict: replies are reviews too and would push them out of the list', () => {
    expect(pullRequestQuery).toContain('reviews(last: 100, states: [APPROVED, CHANGES_REQUESTED, DISMISSED])');
  });

  it('reads the head commit by name where the list of commits ends elsewhere', async () => {
    const listed = aHeadCommit([aCheckRunNode()], { oid: sha('d') });

    const facts = await read(
      found(aPullRequestNode({ commits: { nodes: [{ commit: listed }] } })),
      foundObject(aHeadCommit()),
    );

    expect(facts?.checks).toEqual([]);
  });

  it.each([
    [
      'fewer results than GitHub counts',
      [
        found(
          aPullRequestNode({
            commits: {
              nodes: [
                { commit: aHeadCommit([], { statusCheckRollup: { contexts: aPage([aCheckRunNode()], null, 2) } }) },
              ],
            },
          }),
        ),
      ],
    ],
    [
      'a page that is missing',
      [
        found(
          aPullRequestNode({
            commits: {
              nodes: [
                { commit: aHeadCommit([], { statusCheckRollup: { contexts: aPage([aCheckRunNode()], 'c1', 2) } }) },
              ],
            },
          }),
        ),
        foundObject(null),
      ],
    ],
    ['a head that is not there yet', [found(aPullRequestNode({ commits: { nodes: [] } })), foundObject(null)]],
    [
      'a check run without an id',
      [found(aPullRequestNode({ commits: { nodes: [{ commit: aHeadCommit([aCheckRunNode({ id: '' })]) }] } }))],
    ],
    ['an answer without the pull request', [{ data: {} }]],
  ])('gives no half answer on %s', async (_what, answers) => {
    await expect(read(...answers)).rejects.toMatchObject({ code: 'UNEXPECTED', retry: 'later' });
  });

  it.each([
    ['does not exist', { data: { repository: { pullRequest: null } }, errors: [{ type: 'NOT_FOUND', message: 'x' }] }],
    ['is in a repository that is gone', { data: { repository: null }, errors: [{ type: 'NOT_FOUND', message: 'x' }] }],
    ['is null without a reason', { data: { repository: { ...named, pullRequest: null } } }],
  ])('is null when the pull request %s', async (_what, answer) => {
    expect(await read(answer)).toBeNull();
  });

  it.each([
    ['FORBIDDEN', 'Resource not accessible by integration', 'FORBIDDEN', 'never'],
    ['RATE_LIMITED', 'API rate limit exceeded', 'RATE_LIMITED', 'later'],
    [undefined, "Field 'x' doesn't exist on type 'Y'", 'INVALID', 'never'],
  ])(
    'turns the GraphQL error %s into ours, by its kind and never by its text (trap 148)',
    async (type, message, code, retry) => {
      await expect(
        read({
          data: null,
          errors: [
            { type: 'NOT_FOUND', message: 'x' },
            { type, message },
          ],
        }),
      ).rejects.toMatchObject({ code, retry });
    },
  );

  it('asks again when the query took too long at GitHub', async () => {
    const message = 'Something went wrong while executing your query. This may be the result of a timeout';

    expect(await read({ data: null, errors: [{ message }] }, found(aPullRequestNode()))).toMatchObject({ number: 3 });
  });

  it('asks nothing more of an installation whose GraphQL budget is spent', async () => {
    answerMints(['ghs_read']);
    answerQueries({ data: null, errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] });
    const { github } = createTestGitHub();

    await expect(github.readPullRequest(ref, signal())).rejects.toMatchObject({ retryAfterSeconds: 60 });
    await expect(github.readPullRequest(ref, signal())).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });
});
