import nock from 'nock';
import { describe, expect, it } from 'vitest';
import type { CheckRunContent } from '../../../src/ports/github.ts';
import {
  answerMints,
  api,
  appId,
  check,
  createTestGitHub,
  expectAllAnswersAsked,
  headSha,
  ref,
  repository,
  signal,
} from './github-fixture.ts';

const runsPath = `/repos/acme/widget/commits/${headSha}/check-runs`;
const commentsPath = '/repos/acme/widget/issues/3/comments';
const marker = '<!-- ratchet:pr -->';

const content: CheckRunContent = {
  name: 'Ratchet',
  headSha,
  externalId: '186#3',
  status: 'completed',
  conclusion: 'success',
  title: 'Green',
  summary: 'All checks passed.',
  actions: [{ identifier: 'disable', label: 'Disable', description: 'Stop watching' }],
};

const sent = {
  name: 'Ratchet',
  external_id: '186#3',
  status: 'completed',
  conclusion: 'success',
  output: { title: 'Green', summary: 'All checks passed.' },
  actions: content.actions,
};

const run = (changes: Readonly<Record<string, unknown>>): unknown => ({
  id: 1,
  name: 'Ratchet',
  external_id: '186#3',
  app: { id: appId },
  ...changes,
});
const comment = (changes: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  id: 1,
  body: `hi ${marker}`,
  user: { login: 'ratchet[bot]', type: 'Bot' },
  performed_via_github_app: null,
  ...changes,
});

expectAllAnswersAsked();

function answerRuns(...runs: readonly unknown[]): void {
  nock(api)
    .get(runsPath)
    .query({ check_name: 'Ratchet', app_id: appId, filter: 'all', per_page: 100, page: 1 })
    .reply(200, { total_count: runs.length, check_runs: runs });
}

function answerComments(...comments: readonly unknown[]): void {
  nock(api).get(commentsPath).query({ per_page: 100, page: 1 }).reply(200, comments);
}

describe('createCheckRun', () => {
  it('creates the check run where there is none of ours', async () => {
    answerMints(['ghs_write']);
    answerRuns(
      run({ app: { id: 1 } }),
      run({ name: 'Ratchet / config' }),
      run({ external_id: 'other' }),
      run({ app: null }),
    );
    nock(api)
      .post('/repos/acme/widget/check-runs', { ...sent, head_sha: headSha })
      .reply(201, { id: 77 });

    expect(await createTestGitHub().github.createCheckRun(repository, content, signal())).toBe(77);
  });

  it('adopts the newest of ours and brings it up to date', async () => {
    answerMints(['ghs_write']);
    answerRuns(run({ id: 8 }), run({ id: 9 }), run({ id: 10, app: { id: 1 } }));
    nock(api).patch('/repos/acme/widget/check-runs/9', sent).reply(200, { id: 9 });

    expect(await createTestGitHub().github.createCheckRun(repository, content, signal())).toBe(9);
  });

  it('sends the annotations with what it creates, and never again with what it adopts: GitHub adds them up', async () => {
    const annotation = { path: 'a.yml', startLine: 6, endLine: 7, level: 'failure', message: 'no such key' } as const;
    const annotated = { ...content, annotations: [annotation] };
    const annotations = [
      { path: 'a.yml', start_line: 6, end_line: 7, annotation_level: 'failure', message: 'no such key' },
    ];
    answerMints(['ghs_write']);
    answerRuns();
    nock(api)
      .post('/repos/acme/widget/check-runs', {
        ...sent,
        head_sha: headSha,
        output: { title: content.title, summary: content.summary, annotations },
      })
      .reply(201, { id: 77 });
    answerRuns(run({ id: 77 }));
    nock(api).patch('/repos/acme/widget/check-runs/77', sent).reply(200, { id: 77 });
    const { github } = createTestGitHub();

    expect(await github.createCheckRun(repository, annotated, signal())).toBe(77);
    expect(await github.createCheckRun(repository, annotated, signal())).toBe(77);
  });

  it('looks again before it tries again when nobody knows whether it was created (F13)', async () => {
    answerMints(['ghs_write']);
    answerRuns();
    nock(api).post('/repos/acme/widget/check-runs').replyWithError(new Error('ECONNRESET'));
    answerRuns(run({ id: 12 }));
    nock(api).patch('/repos/acme/widget/check-runs/12').reply(200, { id: 12 });

    expect(await createTestGitHub().github.createCheckRun(repository, content, signal())).toBe(12);
  });

  it('is given up after three tries that left nothing', async () => {
    answerMints(['ghs_write']);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      answerRuns();
      nock(api).post('/repos/acme/widget/check-runs').reply(502, {});
    }

    await expect(createTestGitHub().github.createCheckRun(repository, content, signal())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  it('is not tried again when GitHub refuses what it says', async () => {
    answerMints(['ghs_write']);
    answerRuns();
    nock(api).post('/repos/acme/widget/check-runs').reply(422, { message: 'Invalid request' });

    await expect(createTestGitHub().github.createCheckRun(repository, content, signal())).rejects.toMatchObject({
      code: 'INVALID',
    });
  });
});

describe('updateCheckRun', () => {
  it('sends no conclusion while the run is in progress, and is repeated when it fails', async () => {
    const inProgress = { ...sent, status: 'in_progress', conclusion: undefined };
    answerMints(['ghs_write']);
    nock(api).patch('/repos/acme/widget/check-runs/9').reply(503, {});
    nock(api).patch('/repos/acme/widget/check-runs/9', inProgress).reply(200, { id: 9 });

    await createTestGitHub().github.updateCheckRun(repository, 9, { ...content, status: 'in_progress' }, signal());
  });
});

describe('ensureComment', () => {
  it('posts where no comment of ours carries the marker', async () => {
    answerMints(['ghs_write']);
    answerComments(
      comment({ body: 'no mark', performed_via_github_app: { id: appId } }),
      comment({ user: { login: 'mallory', type: 'User' } }),
      comment({ performed_via_github_app: { id: 1 } }),
      comment({ user: null }),
    );
    nock(api)
      .post(commentsPath, { body: `text ${marker}` })
      .reply(201, comment({ id: 5 }));

    await createTestGitHub().github.ensureComment(ref, marker, `text ${marker}`, signal());
  });

  it('leaves our own comment as it is, on whatever page it is', async () => {
    answerMints(['ghs_write']);
    nock(api)
      .get(commentsPath)
      .query({ per_page: 100, page: 1 })
      .reply(200, [], { link: `<${api}${commentsPath}?page=2>; rel="next"` });
    nock(api)
      .get(commentsPath)
      .query({ per_page: 100, page: 2 })
      .reply(200, [comment({ performed_via_github_app: { id: appId } })]);

    await createTestGitHub().github.ensureComment(ref, marker, `text ${marker}`, signal());
  });

  it.each([
    ['ratchet[bot]', 0],
    ['ratch3t[bot]', 1],
  ])('knows a comment without its App by the bot %s of our slug', async (login, posts) => {
    answerMints(['ghs_write']);
    answerComments(comment({ user: { login, type: 'Bot' } }));
    nock(api).get('/app').reply(200, { id: appId, slug: 'ratchet' });
    if (posts > 0) nock(api).post(commentsPath).reply(201, { id: 2, user: null });

    await createTestGitHub().github.ensureComment(ref, marker, `text ${marker}`, signal());
  });

  it('posts once though the answer to the post was lost (F13)', async () => {
    answerMints(['ghs_write']);
    answerComments();
    nock(api).post(commentsPath).replyWithError(new Error('ECONNRESET'));
    answerComments(comment({ performed_via_github_app: { id: appId } }));

    await createTestGitHub().github.ensureComment(ref, marker, `text ${marker}`, signal());
  });
});

describe('addReaction', () => {
  it.each([
    ['issue_comment', '/repos/acme/widget/issues/comments/9/reactions', 201],
    ['review_comment', '/repos/acme/widget/pulls/comments/9/reactions', 200],
    ['issue_comment', '/repos/acme/widget/issues/comments/9/reactions', 404],
    ['review_comment', '/repos/acme/widget/pulls/comments/9/reactions', 410],
  ] as const)('reacts to an %s at %s, and takes a %i', async (kind, path, status) => {
    answerMints(['ghs_write']);
    nock(api).post(path, { content: 'confused' }).reply(status, {});

    await createTestGitHub().github.addReaction(repository, { kind, id: 9 }, 'confused', signal());
  });

  it('tells of every other failure', async () => {
    answerMints(['ghs_write']);
    nock(api)
      .post('/repos/acme/widget/issues/comments/9/reactions')
      .reply(403, { message: 'Resource not accessible by integration' });

    await expect(
      createTestGitHub().github.addReaction(repository, { kind: 'issue_comment', id: 9 }, 'eyes', signal()),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('readJobLog', () => {
  const logsPath = '/repos/acme/widget/actions/jobs/55/logs';
  const storage = 'https://logs.test';

  function answerRedirect(): void {
    answerMints(['ghs_read']);
    nock(api)
      .get(logsPath)
      .matchHeader('authorization', 'token ghs_read')
      .reply(302, '', { location: `${storage}/log?sig=s` });
  }

  it('follows the redirect without our token', async () => {
    answerRedirect();
    nock(storage, { badheaders: ['authorization', 'cookie'] })
      .get('/log')
      .query({ sig: 's' })
      .reply(200, 'line 1\nline 2\n');

    expect(await createTestGitHub().github.readJobLog(repository, check, { maxBytes: 1000 }, signal())).toBe(
      'line 1\nline 2\n',
    );
  });

  it('keeps the end of a long log, cut between characters', async () => {
    answerRedirect();
    nock(storage)
      .get('/log')
      .query(true)
      .reply(200, `${'x'.repeat(300_000)}ééé`);

    expect(await createTestGitHub().github.readJobLog(repository, check, { maxBytes: 5 }, signal())).toBe('éé');
  });

  it('gives all of a long log away in small pieces, and lets others run between them', async () => {
    answerRedirect();
    const text = `${'x'.repeat(300_000)}end`;
    nock(storage).get('/log').query(true).reply(200, text);
    const pieces: Uint8Array[] = [];
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
    });

    await createTestGitHub().github.readJobLog(
      repository,
      check,
      { maxBytes: 5, take: (piece) => pieces.push(piece) },
      signal(),
    );
    clearInterval(count);

    expect(Buffer.concat(pieces).toString()).toBe(text);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(32_768);
    expect(turns).toBeGreaterThan(0);
  });

  it('gives up a log that has no end in sight', async () => {
    answerRedirect();
    nock(storage).get('/log').query(true).reply(200, 'x'.repeat(3000));
    const { github } = createTestGitHub({ limits: { maxLogDownloadBytes: 1000 } });

    await expect(github.readJobLog(repository, check, { maxBytes: 100 }, signal())).rejects.toMatchObject({
      code: 'INVALID',
    });
  });

  it.each([404, 410])('is null when the storage answers %i', async (status) => {
    answerRedirect();
    nock(storage).get('/log').query(true).reply(status, 'gone');

    expect(await createTestGitHub().github.readJobLog(repository, check, { maxBytes: 100 }, signal())).toBeNull();
  });

  it.each([404, 410])('is null when GitHub answers %i', async (status) => {
    answerMints(['ghs_read']);
    nock(api).get(logsPath).reply(status, { message: 'Gone' });

    expect(await createTestGitHub().github.readJobLog(repository, check, { maxBytes: 100 }, signal())).toBeNull();
  });

  it('tells when the storage fails, or sends us on', async () => {
    answerRedirect();
    nock(storage).get('/log').query(true).reply(500, 'no');
    nock(api)
      .get(logsPath)
      .reply(302, '', { location: `${storage}/log?sig=s` });
    nock(storage).get('/log').query(true).reply(302, '', { location: 'https://elsewhere.test/' });
    const { github } = createTestGitHub();

    await expect(github.readJobLog(repository, check, { maxBytes: 100 }, signal())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      retry: 'now',
    });
    await expect(github.readJobLog(repository, check, { maxBytes: 100 }, signal())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  it.each([
    ['another App', { ...check, appSlug: 'circleci' }],
    ['a commit status', { ...check, source: 'status' as const }],
  ])('asks for none of %s', async (_what, other) => {
    expect(await createTestGitHub().github.readJobLog(repository, other, { maxBytes: 100 }, signal())).toBeNull();
  });
});
