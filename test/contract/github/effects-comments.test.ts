import nock from 'nock';
import { describe, expect, it } from 'vitest';
import { answerMints, api, appId, createTestGitHub, expectAllAnswersAsked, ref, signal } from './github-fixture.ts';

const commentsPath = '/repos/acme/widget/issues/3/comments';
const marker = '<!-- ratchet:pr -->';
const body = `${marker}\nA person must act.\n`;

const comment = (changes: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  id: 7,
  body: `${marker}\nOld words.`,
  user: { login: 'ratchet[bot]', type: 'Bot' },
  performed_via_github_app: { id: appId },
  ...changes,
});

function answerComments(...comments: readonly Record<string, unknown>[]): void {
  nock(api).get(commentsPath).query({ per_page: 100, page: 1 }).reply(200, comments);
}

expectAllAnswersAsked();

describe('upsertComment', () => {
  it('makes our one comment where there is none', async () => {
    answerMints(['ghs_write']);
    answerComments();
    answerComments();
    nock(api).post(commentsPath, { body }).reply(201, comment({ body }));

    await createTestGitHub().github.upsertComment(ref, marker, body, signal());
  });

  it('edits it in place', async () => {
    answerMints(['ghs_write']);
    answerComments(comment({ id: 1, body: 'a remark' }), comment({}));
    nock(api).patch('/repos/acme/widget/issues/comments/7', { body }).reply(200, comment({ body }));

    await createTestGitHub().github.upsertComment(ref, marker, body, signal());
  });

  it('leaves alone what says so already, whatever line ends GitHub keeps', async () => {
    answerMints(['ghs_write']);
    answerComments(comment({ body: body.replaceAll('\n', '\r\n').trim() }));

    await createTestGitHub().github.upsertComment(ref, marker, body, signal());
  });

  it('edits no comment of somebody else that carries the marker: it makes its own', async () => {
    answerMints(['ghs_write']);
    const forged = comment({ user: { login: 'mallory', type: 'User' }, performed_via_github_app: null });
    answerComments(forged);
    answerComments(forged);
    nock(api).post(commentsPath, { body }).reply(201, comment({ body }));

    await createTestGitHub().github.upsertComment(ref, marker, body, signal());
  });

  it('makes one only though the answer to the post was lost (F13)', async () => {
    answerMints(['ghs_write']);
    answerComments();
    answerComments();
    nock(api).post(commentsPath).replyWithError(new Error('ECONNRESET'));
    answerComments(comment({ body }));

    await createTestGitHub().github.upsertComment(ref, marker, body, signal());
  });

  it('tries an edit again that GitHub could not make', async () => {
    answerMints(['ghs_write']);
    answerComments(comment({}));
    nock(api).patch('/repos/acme/widget/issues/comments/7').reply(502, {});
    nock(api).patch('/repos/acme/widget/issues/comments/7').reply(200, comment({ body }));

    await createTestGitHub().github.upsertComment(ref, marker, body, signal());
  });

  it('says when GitHub refuses it for good', async () => {
    answerMints(['ghs_write']);
    answerComments(comment({}));
    nock(api).patch('/repos/acme/widget/issues/comments/7').reply(403, { message: 'locked' });

    await expect(createTestGitHub().github.upsertComment(ref, marker, body, signal())).rejects.toMatchObject({
      code: 'FORBIDDEN',
      retry: 'never',
    });
  });
});

describe('editComment', () => {
  it('makes none: what a person has deleted stays deleted', async () => {
    answerMints(['ghs_write']);
    answerComments();

    await createTestGitHub().github.editComment(ref, marker, body, signal());
  });

  it('edits the one that is there', async () => {
    answerMints(['ghs_write']);
    answerComments(comment({}));
    nock(api).patch('/repos/acme/widget/issues/comments/7', { body }).reply(200, comment({ body }));

    await createTestGitHub().github.editComment(ref, marker, body, signal());
  });
});
