import nock from 'nock';
import { describe, expect, it } from 'vitest';
import {
  answerMints,
  answerQueries,
  aPullRequestNode,
  api,
  createTestGitHub,
  expectAllAnswersAsked,
  found,
  named,
  ref,
  signal,
} from './github-fixture.ts';

expectAllAnswersAsked();

describe("the organisation's policy file", () => {
  const organizationOf = (changes: Readonly<Record<string, unknown>> = {}): unknown => ({
    name: '.github',
    owner: { login: 'acme' },
    defaultBranchRef: {
      target: {
        policyFile: { object: { __typename: 'Blob', text: 'mode: observe', isBinary: false, isTruncated: false } },
      },
    },
    ...changes,
  });

  /** GitHub gives no token for a repository that the App is not installed on. */
  function refuseToken(): void {
    nock(api)
      .post('/app/installations/7/access_tokens', /\.github/u)
      .reply(422, { message: 'not accessible' });
  }

  async function readText(answer: unknown): Promise<string | null | undefined> {
    answerMints(['ghs_read']);
    answerQueries(answer);
    return (await createTestGitHub().github.readPullRequest(ref, signal()))?.organizationPolicyText;
  }

  it('is read in the same query', async () => {
    expect(await readText(found(aPullRequestNode(), organizationOf()))).toBe('mode: observe');
  });

  it.each([
    ['that repository is empty', organizationOf({ defaultBranchRef: null })],
    ['it has no such file', organizationOf({ defaultBranchRef: { target: { policyFile: null } } })],
    ['its branch has no commit', organizationOf({ defaultBranchRef: { target: null } })],
  ])('is null where %s', async (_what, organization) => {
    expect(await readText(found(aPullRequestNode(), organization))).toBeNull();
  });

  it.each([
    ['NOT_FOUND', ['organization'], null],
    ['FORBIDDEN', ['organization', 'defaultBranchRef', 'target', 'policyFile'], organizationOf()],
  ])(
    'is null where it is not ours to read (%s), and the rest of the answer stands',
    async (type, path, organization) => {
      const answer = found(aPullRequestNode(), organization);
      answerMints(['ghs_read']);
      answerQueries({ ...Object(answer), errors: [{ type, message: 'x', path }] });
      refuseToken();

      const facts = await createTestGitHub().github.readPullRequest(ref, signal());

      expect(facts).toMatchObject({ number: 3, organizationPolicyText: null });
    },
  );

  it('is read with a token of its own where it is private, and the other tokens stay as narrow as they are (T58)', async () => {
    const asked = answerMints(['ghs_read', 'ghs_organization']);
    answerQueries(found(aPullRequestNode(), null));
    nock(api)
      .post('/graphql', /Organization/u)
      .matchHeader('authorization', 'token ghs_organization')
      .reply(200, { data: { organization: organizationOf() } });

    const facts = await createTestGitHub().github.readPullRequest(ref, signal());

    expect(facts?.organizationPolicyText).toBe('mode: observe');
    expect(asked[0]).toMatchObject({ repository_ids: [186] });
    expect(asked[1]).toEqual({ repositories: ['.github'], permissions: { contents: 'read' } });
  });

  it('is asked for again after ten minutes where there was none', async () => {
    const { github, clock } = createTestGitHub();
    answerMints(['ghs_read']);
    answerQueries(...Array.from({ length: 3 }, () => found(aPullRequestNode(), null)));
    refuseToken();

    await github.readPullRequest(ref, signal());
    clock.nowMs += 10 * 60_000 - 1;
    await github.readPullRequest(ref, signal());
    expect(nock.pendingMocks()).toHaveLength(1);

    clock.nowMs += 1;
    refuseToken();
    await github.readPullRequest(ref, signal());
  });

  it('is not given up for a failure that passes', async () => {
    answerMints(['ghs_read']);
    answerQueries(found(aPullRequestNode(), null));
    nock(api).post('/app/installations/7/access_tokens').times(4).reply(502, {});

    await expect(createTestGitHub().github.readPullRequest(ref, signal())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  it.each([
    ['of the pull request', { type: 'FORBIDDEN', message: 'x', path: ['repository'] }, 'FORBIDDEN'],
    ['without a path', { type: 'FORBIDDEN', message: 'x' }, 'FORBIDDEN'],
    ['of another kind', { type: 'RATE_LIMITED', message: 'x', path: ['organization'] }, 'RATE_LIMITED'],
  ])('does not hide an error %s', async (_what, error, code) => {
    await expect(readText({ ...Object(found(aPullRequestNode())), errors: [error] })).rejects.toMatchObject({ code });
  });

  it('does not make a missing pull request one that is there', async () => {
    const errors = [
      { type: 'NOT_FOUND', message: 'x', path: ['organization'] },
      { type: 'NOT_FOUND', message: 'x', path: ['repository', 'pullRequest'] },
    ];

    expect(
      await readText({ data: { repository: { ...named, pullRequest: null }, organization: null }, errors }),
    ).toBeUndefined();
  });

  it('is not applied a second time in the repository that holds it', async () => {
    const repository = { ...named, name: '.GitHub', pullRequest: aPullRequestNode() };

    expect(await readText({ data: { repository, organization: organizationOf() } })).toBeNull();
  });

  it.each([
    ['the repository moved to another owner', { owner: { login: 'evil' } }],
    ['the name leads to another repository by now', { name: 'dotfiles' }],
  ])('never comes from elsewhere: no answer where %s', async (_what, changes) => {
    await expect(readText(found(aPullRequestNode(), organizationOf(changes)))).rejects.toMatchObject({
      code: 'UNEXPECTED',
      retry: 'later',
    });
  });
});
