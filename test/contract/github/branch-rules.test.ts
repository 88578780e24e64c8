import nock from 'nock';
import { describe, expect, it } from 'vitest';
import type { BranchRules } from '../../../src/core/model/pull-request.ts';
import {
  answerMints,
  answerQueries,
  aPullRequestNode,
  api,
  aRef,
  createTestGitHub,
  expectAllAnswersAsked,
  found,
  headSha,
  ref,
  sha,
  signal,
} from './github-fixture.ts';

expectAllAnswersAsked();

/** A branch that rulesets hold. */
function ruled(...rules: readonly (readonly [string, unknown?])[]): Record<string, unknown> {
  const nodes = rules.map(([type, parameters = null]) => ({ type, parameters }));
  return { rules: { totalCount: nodes.length, nodes } };
}

/** A branch that classic protection holds. */
function protectedBy(changes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const none = {
    viewerCanPush: true,
    requiresSignatures: false,
    requiresLinearHistory: false,
    requiresConversationResolution: false,
    requiredApprovingReviewCount: null,
    requiredStatusCheckContexts: [],
  };
  return { refUpdateRule: { ...none, ...changes } };
}

const onHead = (rules: Record<string, unknown>): Record<string, unknown> => ({ headRef: aRef(rules) });
const onBase = (rules: Record<string, unknown>): Record<string, unknown> => {
  return { baseRef: aRef({ ...rules, target: { oid: sha('c') } }) };
};

async function readRules(changes: Readonly<Record<string, unknown>>): Promise<BranchRules | undefined> {
  answerMints(['ghs_read']);
  answerQueries(found(aPullRequestNode(changes)));
  return (await createTestGitHub().github.readPullRequest(ref, signal()))?.rules;
}

const conflicted = { mergeable: 'CONFLICTING', mergeStateStatus: 'DIRTY' };

describe('the rules of the head branch', () => {
  it.each([
    ['the rule REQUIRED_SIGNATURES', ruled(['REQUIRED_SIGNATURES']), 'signed commits only'],
    ['the rule UPDATE', ruled(['UPDATE', { __typename: 'UpdateParameters' }]), 'only accounts that may bypass'],
    ['the rule LOCK_BRANCH', ruled(['LOCK_BRANCH']), 'read-only'],
    ['the rule PULL_REQUEST', ruled(['PULL_REQUEST', { requiredApprovingReviewCount: 0 }]), 'by pull request only'],
    ['the rule MERGE_QUEUE', ruled(['MERGE_QUEUE']), 'by its merge queue only'],
    ['the rule MERGE_QUEUE_LOCKED_REF', ruled(['MERGE_QUEUE_LOCKED_REF']), 'the merge queue holds it'],
    ['the rule REQUIRED_STATUS_CHECKS', ruled(['REQUIRED_STATUS_CHECKS']), 'required checks'],
    ['the rule WORKFLOWS', ruled(['WORKFLOWS']), 'required workflows'],
    ['the rule REQUIRED_DEPLOYMENTS', ruled(['REQUIRED_DEPLOYMENTS']), 'deployed'],
    ['the rule CODE_SCANNING', ruled(['CODE_SCANNING']), 'scanned'],
    ['the branch protection', protectedBy({ requiresSignatures: true }), 'signed commits only'],
    ['the branch protection', protectedBy({ requiredApprovingReviewCount: 1 }), 'by pull request only'],
    ['the branch protection', protectedBy({ requiredStatusCheckContexts: ['build'] }), 'required checks'],
  ])('refuse a push by %s %#, and say which and why (trap 50)', async (rule, rules, why) => {
    const { pushRefusals = [] } = (await readRules(onHead(rules))) ?? {};

    expect(pushRefusals).toHaveLength(1);
    expect(pushRefusals[0]).toContain(`A push to the head branch would be refused by ${rule}: `);
    expect(pushRefusals[0]).toContain(why);
  });

  it.each([
    ['no rule', {}],
    ['rules about forcing, deleting and creating', ruled(['NON_FAST_FORWARD'], ['DELETION'], ['CREATION'])],
    ['a linear history while there is no conflict', ruled(['REQUIRED_LINEAR_HISTORY'])],
    ['classic protection that lets us push', protectedBy({ requiresLinearHistory: true })],
    ['classic protection of which no check is told', protectedBy({ requiredStatusCheckContexts: null })],
    ['a rule from the future', ruled(['REQUIRED_PRAYER', { __typename: 'PrayerParameters' }])],
    ['rules that are not told', { rules: null }],
  ])('refuse nothing by %s', async (_what, rules) => {
    expect(await readRules(onHead(rules))).toMatchObject({ pushRefusals: [] });
  });

  it.each([
    ['the rule REQUIRED_LINEAR_HISTORY', ruled(['REQUIRED_LINEAR_HISTORY'])],
    ['the branch protection', protectedBy({ requiresLinearHistory: true })],
  ])('refuse the merge commit that would resolve a conflict by %s', async (rule, rules) => {
    const read = await readRules({ ...onHead(rules), ...conflicted });

    expect(read?.pushRefusals).toEqual([
      `A push to the head branch would be refused by ${rule}: it takes no merge commits, and a conflict is resolved by one.`,
    ]);
  });

  it('are told once where two rulesets say the same, and all where they differ', async () => {
    const read = await readRules(onHead(ruled(['UPDATE'], ['REQUIRED_SIGNATURES'], ['UPDATE'])));

    expect(read?.pushRefusals).toHaveLength(2);
  });

  it('are of no interest in a fork: it is not pushed to', async () => {
    const head = onHead({ ...protectedBy({ viewerCanPush: false }), ...ruled(['UPDATE']) });

    expect(await readRules({ ...head, isCrossRepository: true })).toMatchObject({ pushRefusals: [] });
  });

  it('are none where the branch is gone', async () => {
    expect(await readRules({ headRef: null })).toMatchObject({ pushRefusals: [] });
  });

  it('are not half read (trap 42)', async () => {
    const rules = { rules: { totalCount: 101, nodes: [] } };

    await expect(readRules(onHead(rules))).rejects.toMatchObject({ code: 'UNEXPECTED', retry: 'later' });
    await expect(readRules(onBase(rules))).rejects.toMatchObject({ code: 'UNEXPECTED', retry: 'later' });
  });
});

describe('the right to push to a protected head', () => {
  const answerRight = (refUpdateRule: unknown): void => {
    nock(api)
      .post('/graphql', /refs\/heads\/feature/u)
      .matchHeader('authorization', 'token ghs_push')
      .reply(200, { data: { repository: { ref: { refUpdateRule } } } });
  };

  async function readRight(): Promise<readonly string[] | undefined> {
    const asked = answerMints(['ghs_read', 'ghs_push']);
    answerQueries(found(aPullRequestNode(onHead(protectedBy({ viewerCanPush: false })))));
    const facts = await createTestGitHub().github.readPullRequest(ref, signal());
    expect(asked[1]).toEqual({ repository_ids: [186], permissions: { contents: 'write' } });
    return facts?.rules.pushRefusals;
  }

  it('is asked with a token that may push, since one that reads never may', async () => {
    answerRight({ viewerCanPush: true });

    expect(await readRight()).toEqual([]);
  });

  it('is a refusal where that token may not either', async () => {
    answerRight({ viewerCanPush: false });

    expect(await readRight()).toEqual([
      'A push to the head branch would be refused by the branch protection: it does not let Ratchet push.',
    ]);
  });

  it('is given where the protection is gone meanwhile', async () => {
    answerRight(null);

    expect(await readRight()).toEqual([]);
  });

  it.each([403, 422])('is a refusal where GitHub gives no such token (%i)', async (status) => {
    answerMints(['ghs_read']);
    answerQueries(found(aPullRequestNode(onHead(protectedBy({ viewerCanPush: false })))));
    nock(api).post('/app/installations/7/access_tokens').reply(status, { message: 'not granted' });

    const facts = await createTestGitHub().github.readPullRequest(ref, signal());

    expect(facts?.rules.pushRefusals).toHaveLength(1);
  });
});

describe('the rules of the base branch (S16)', () => {
  const reviews = { requiredApprovingReviewCount: 1, dismissStaleReviewsOnPush: false, requireLastPushApproval: false };
  const strict = { strictRequiredStatusChecksPolicy: true };

  it.each([
    ['nothing where there are none', {}, false, false],
    ['up to date, by strict checks', onBase(ruled(['REQUIRED_STATUS_CHECKS', strict])), true, false],
    [
      'nothing, by checks that are not strict',
      onBase(ruled(['REQUIRED_STATUS_CHECKS', { strictRequiredStatusChecksPolicy: false }])),
      false,
      false,
    ],
    ['up to date, where GitHub calls the head behind', { mergeStateStatus: 'BEHIND' }, true, false],
    ['that approvals stay', onBase(ruled(['PULL_REQUEST', reviews])), false, false],
    [
      'that approvals go',
      onBase(ruled(['PULL_REQUEST', { ...reviews, dismissStaleReviewsOnPush: true }])),
      false,
      true,
    ],
    [
      'that the last push needs an approval',
      onBase(ruled(['PULL_REQUEST', { ...reviews, requireLastPushApproval: true }])),
      false,
      true,
    ],
    [
      'nothing of approvals where none is required',
      onBase(ruled(['PULL_REQUEST', { ...reviews, requiredApprovingReviewCount: 0, dismissStaleReviewsOnPush: true }])),
      false,
      false,
    ],
    [
      'nothing of approvals by classic protection',
      onBase(protectedBy({ requiredApprovingReviewCount: 1 })),
      false,
      false,
    ],
    ['nothing, where the base branch is gone', { baseRef: null }, false, false],
  ])('mean %s', async (_what, changes, mustBeUpToDate, dismissesStaleApprovals) => {
    expect(await readRules(changes)).toEqual({
      pushRefusals: [],
      mustBeUpToDate,
      requiredChecks: [],
      commitPatterns: [],
      dismissesStaleApprovals,
      mustResolveThreads: false,
    });
  });

  it.each([
    [
      'a ruleset',
      onBase(ruled(['REQUIRED_STATUS_CHECKS', { ...strict, requiredStatusChecks: [{ context: 'Ratchet' }] }])),
    ],
    ['classic protection', onBase(protectedBy({ requiredStatusCheckContexts: ['Ratchet', null] }))],
  ])('name the checks that %s requires (S24)', async (_what, changes) => {
    expect(await readRules(changes)).toMatchObject({ requiredChecks: ['Ratchet'] });
  });

  it.each([
    ['classic protection', onBase(protectedBy({ requiresConversationResolution: true })), true],
    ['a ruleset', onBase(ruled(['PULL_REQUEST', { ...reviews, requiredReviewThreadResolution: true }])), true],
    ['another rule', onBase(ruled(['PULL_REQUEST', { ...reviews, requiredReviewThreadResolution: false }])), false],
    ['protection of the head alone', onHead(protectedBy({ requiresConversationResolution: true })), false],
  ])('mean resolved threads by %s: %j', async (_what, changes, mustResolveThreads) => {
    expect((await readRules(changes))?.mustResolveThreads).toBe(mustResolveThreads);
  });

  it('leave the state of a draft readable (trap 89)', async () => {
    answerMints(['ghs_read']);
    answerQueries(found(aPullRequestNode({ isDraft: true, mergeStateStatus: 'DRAFT' })));

    const facts = await createTestGitHub().github.readPullRequest(ref, signal());

    expect(facts).toMatchObject({ draft: true, merge: 'clean', headSha });
  });
});

describe('threads longer than a page', () => {
  const comment = (id: number): unknown => {
    const author = { __typename: 'User', login: 'bob', databaseId: 6 };
    return { fullDatabaseId: String(id), body: `comment ${String(id)}`, createdAt: '2026-11-27T11:00:00Z', author };
  };
  const threadOf = (opening: readonly unknown[], last: readonly unknown[], totalCount: number): unknown => ({
    id: 'PRRT_1',
    path: 'a',
    line: 1,
    isResolved: false,
    isOutdated: false,
    opening: { nodes: opening },
    comments: { totalCount, nodes: last },
  });
  const withThread = (thread: unknown, totalCount = 1): Record<string, unknown> => ({
    reviewThreads: { totalCount, pageInfo: { hasNextPage: false, endCursor: null }, nodes: [thread] },
  });

  it('show the comment that opened them and the newest ones (trap 101)', async () => {
    const newest = Array.from({ length: 50 }, (_, index) => comment(100 + index));
    answerMints(['ghs_read']);
    answerQueries(found(aPullRequestNode(withThread(threadOf([comment(1)], newest, 149)))));

    const facts = await createTestGitHub().github.readPullRequest(ref, signal());

    const ids = facts?.threads[0]?.comments.map(({ id }) => id);
    expect(ids).toEqual([1, ...newest.map((_, index) => 100 + index)]);
    expect(facts?.threads[0]?.isPartial).toBe(true);
  });

  it('are complete where nothing lies between (trap 101)', async () => {
    const newest = Array.from({ length: 50 }, (_, index) => comment(100 + index));
    answerMints(['ghs_read']);
    answerQueries(found(aPullRequestNode(withThread(threadOf([comment(1)], newest, 51)))));

    const facts = await createTestGitHub().github.readPullRequest(ref, signal());

    expect(facts?.threads[0]?.comments).toHaveLength(51);
    expect(facts?.threads[0]?.isPartial).toBeUndefined();
  });

  it.each([
    ['comments are missing', withThread(threadOf([comment(1)], [comment(1)], 2))],
    ['threads are missing', withThread(threadOf([], [], 0), 2)],
  ])('are no answer while %s (trap 42)', async (_what, changes) => {
    answerMints(['ghs_read']);
    answerQueries(found(aPullRequestNode(changes)));

    await expect(createTestGitHub().github.readPullRequest(ref, signal())).rejects.toMatchObject({
      code: 'UNEXPECTED',
    });
  });
});
