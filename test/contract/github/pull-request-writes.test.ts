import nock from 'nock';
import { describe, expect, it } from 'vitest';
import {
  answerMints,
  answerQueries,
  api,
  createTestGitHub,
  expectAllAnswersAsked,
  headSha,
  ref,
  signal,
} from './github-fixture.ts';

const path = '/repos/acme/widget/pulls/3/update-branch';
const body = { expected_head_sha: headSha };

expectAllAnswersAsked();

describe('updateBranch', () => {
  it('asks GitHub to merge the base into exactly that head, with a token for nothing else (trap 15)', async () => {
    const minted = answerMints(['ghs_1']);
    nock(api).put(path, body).reply(202, { message: 'Updating pull request branch.' });

    expect(await createTestGitHub().github.updateBranch(ref, headSha, signal())).toEqual({ kind: 'asked' });
    expect(JSON.stringify(minted)).toContain('"permissions":{"contents":"write","pull_requests":"write"}');
  });

  it.each([
    [422, 'There are no new commits on the base branch.'],
    [422, 'merge conflict between base and head'],
    [403, 'refusing to allow a GitHub App to create or update workflow `x.yml` without `workflows` permission'],
  ])('tells that GitHub refused for good: %d %s (trap 49)', async (status, message) => {
    answerMints(['ghs_1']);
    nock(api).put(path, body).reply(status, { message });

    const result = await createTestGitHub().github.updateBranch(ref, headSha, signal());

    expect(result.kind).toBe('refused');
    expect(result.kind === 'refused' ? result.why : '').toContain(message.slice(0, 40));
  });

  it('takes a head that moved for an update that was made, since it may have been the answer that was lost', async () => {
    answerMints(['ghs_1']);
    nock(api).put(path, body).reply(502);
    nock(api).put(path, body).reply(422, { message: 'expected head sha didn’t match current head ref.' });

    expect(await createTestGitHub().github.updateBranch(ref, headSha, signal())).toEqual({ kind: 'asked' });
  });

  it('fails where GitHub says to come again later', async () => {
    answerMints(['ghs_1']);
    nock(api).put(path, body).reply(429, { message: 'slow down' }, { 'retry-after': '600' });

    await expect(createTestGitHub().github.updateBranch(ref, headSha, signal())).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
  });
});

describe('disableAutoMerge', () => {
  const pull = (autoMergeRequest: unknown): unknown => ({
    data: { repository: { pullRequest: { id: 'PR_3', autoMergeRequest } } },
  });

  it('turns auto-merge off where it is on', async () => {
    answerMints(['ghs_1', 'ghs_2']);
    const sent = answerQueries(pull({ enabledAt: '2026-01-01T00:00:00Z' }), {
      data: { disablePullRequestAutoMerge: { clientMutationId: null } },
    });

    expect(await createTestGitHub().github.disableAutoMerge(ref, signal())).toEqual({ kind: 'asked' });
    expect(JSON.stringify(sent[1])).toContain('"input":{"pullRequestId":"PR_3"}');
  });

  it('asks for nothing where it is off already', async () => {
    answerMints(['ghs_1']);
    const sent = answerQueries(pull(null));

    expect(await createTestGitHub().github.disableAutoMerge(ref, signal())).toEqual({ kind: 'asked' });
    expect(sent).toHaveLength(1);
  });

  it('tells that the pull request is gone, or that GitHub does not let it', async () => {
    answerMints(['ghs_1']);
    answerQueries({ data: { repository: null }, errors: [{ type: 'NOT_FOUND', message: 'x', path: ['repository'] }] });
    expect(await createTestGitHub().github.disableAutoMerge(ref, signal())).toMatchObject({ kind: 'refused' });

    answerMints(['ghs_1', 'ghs_2']);
    answerQueries(pull({ enabledAt: '2026-01-01T00:00:00Z' }), {
      data: null,
      errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration', path: [] }],
    });
    const refused = await createTestGitHub().github.disableAutoMerge(ref, signal());
    expect(refused.kind === 'refused' ? refused.why : '').toContain('not accessible');
  });
});
