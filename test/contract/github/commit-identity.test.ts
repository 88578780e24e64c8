import nock from 'nock';
import { describe, expect, it } from 'vitest';
import {
  answerMints,
  api,
  appId,
  createTestGitHub,
  expectAllAnswersAsked,
  repository,
  signal,
} from './github-fixture.ts';

expectAllAnswersAsked();

function answerApp(baseUrl: string): void {
  nock(baseUrl).get('/app').reply(200, { id: appId, slug: 'our-app' });
}

describe('the identity of our commits (L31)', () => {
  it.each([
    [api, 'users.noreply.github.com'],
    ['https://api.octo.ghe.com', 'users.noreply.octo.ghe.com'],
    ['https://github.example.org:8443/api/v3', 'users.noreply.github.example.org'],
  ])('is the bot account of the App at %s, by its user id, and is read once', async (baseUrl, host) => {
    const { github } = createTestGitHub({ baseUrl });
    answerApp(baseUrl);
    answerMints(['ghs_one'], { baseUrl });
    nock(baseUrl).get('/users/our-app%5Bbot%5D').reply(200, { id: 41_898_282, login: 'our-app[bot]' });

    const first = await github.readCommitIdentity(repository, signal());
    const second = await github.readCommitIdentity(repository, signal());

    expect(first).toEqual({ name: 'our-app[bot]', email: `41898282+our-app[bot]@${host}` });
    expect(second).toEqual(first);
  });

  it('has the address of the operator where one is set', async () => {
    const { github } = createTestGitHub({ commitEmail: 'bot@example.org' });
    answerApp(api);

    expect(await github.readCommitIdentity(repository, signal())).toEqual({
      name: 'our-app[bot]',
      email: 'bot@example.org',
    });
  });

  it('is an error, and not another one, where GitHub does not know the account', async () => {
    const { github } = createTestGitHub();
    answerApp(api);
    answerMints(['ghs_one']);
    nock(api).get('/users/our-app%5Bbot%5D').reply(404, { message: 'Not Found' });

    await expect(github.readCommitIdentity(repository, signal())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('our App', () => {
  it.each([
    ['an account', { login: 'acme', id: 1, type: 'Organization' }, 'acme'],
    ['an enterprise', { id: 2, slug: 'acme-corp', name: 'Acme' }, null],
    ['nobody', null, null],
  ])('owned by %s is read once', async (_who, owner, expected) => {
    const { github } = createTestGitHub();
    nock(api).get('/app').reply(200, { id: appId, slug: 'our-app', owner });

    expect(await github.readApp(signal())).toEqual({ slug: 'our-app', owner: expected });
    expect(await github.readApp(signal())).toEqual({ slug: 'our-app', owner: expected });
    expect(await github.readSlug(signal())).toBe('our-app');
  });
});
