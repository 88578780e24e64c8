import nock from 'nock';
import { describe, expect, it } from 'vitest';
import {
  answerMints,
  api,
  check,
  createTestGitHub,
  expectAllAnswersAsked,
  ref,
  repository,
  signal,
} from './github-fixture.ts';

const permissionPath = '/repos/acme/widget/collaborators/ada/permission';
const permission = { permission: 'write', role_name: 'maintain', user: { id: 5 } };

expectAllAnswersAsked();

describe('installation tokens', () => {
  it('are for one repository and for what the call needs (T58)', async () => {
    const asked = answerMints(['ghs_read', 'ghs_write', 'ghs_git', 'ghs_push']);
    nock(api).get(permissionPath).matchHeader('authorization', 'token ghs_read').reply(200, permission);
    nock(api)
      .post('/repos/acme/widget/issues/comments/9/reactions')
      .matchHeader('authorization', 'token ghs_write')
      .reply(201, { id: 1 });
    const { github, clock } = createTestGitHub();

    await github.readPermission(repository, 'ada', signal());
    await github.addReaction(repository, { kind: 'issue_comment', id: 9 }, 'eyes', signal());
    const read = await github.mintGitToken(repository, 'read', signal());
    const push = await github.mintGitToken(repository, 'push', signal());

    expect(asked).toEqual([
      {
        repository_ids: [186],
        permissions: {
          contents: 'read',
          metadata: 'read',
          pull_requests: 'read',
          checks: 'read',
          actions: 'read',
          statuses: 'read',
        },
      },
      { repository_ids: [186], permissions: { checks: 'write', issues: 'write', pull_requests: 'write' } },
      { repository_ids: [186], permissions: { contents: 'read' } },
      { repository_ids: [186], permissions: { contents: 'write' } },
    ]);
    expect(read).toEqual({ token: 'ghs_git', expiresAt: Date.parse('2026-11-27T13:00:00Z'), mintedAt: clock.nowMs });
    expect(push.token).toBe('ghs_push');
  });

  it('are minted once for calls of the same moment, and again shortly before they expire', async () => {
    const asked = answerMints(['ghs_1', 'ghs_2']);
    nock(api).get(permissionPath).twice().matchHeader('authorization', 'token ghs_1').reply(200, permission);
    nock(api).get(permissionPath).matchHeader('authorization', 'token ghs_2').reply(200, permission);
    const { github, clock } = createTestGitHub();

    await Promise.all([1, 2].map(() => github.readPermission(repository, 'ada', signal())));
    expect(asked).toHaveLength(1);
    clock.nowMs += 56 * 60_000;
    await github.readPermission(repository, 'ada', signal());
    expect(asked).toHaveLength(2);
  });

  it('are minted anew after a 401, once (F16)', async () => {
    answerMints(['ghs_old', 'ghs_new']);
    nock(api)
      .get(permissionPath)
      .matchHeader('authorization', 'token ghs_old')
      .reply(401, { message: 'Bad credentials' });
    nock(api).get(permissionPath).matchHeader('authorization', 'token ghs_new').reply(200, permission);

    expect(await createTestGitHub().github.readPermission(repository, 'ada', signal())).toEqual({
      userId: 5,
      permission: 'write',
    });
  });

  it('are given up when the new one is refused too', async () => {
    answerMints(['ghs_1', 'ghs_2']);
    nock(api).get(permissionPath).twice().reply(401, { message: 'Bad credentials' });

    await expect(createTestGitHub().github.readPermission(repository, 'ada', signal())).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
  });

  it('are revoked by themselves, and a failure of that is no failure', async () => {
    nock(api).delete('/installation/token').matchHeader('authorization', 'token ghs_x').reply(204);
    nock(api).delete('/installation/token').reply(503);
    const { github } = createTestGitHub();

    await github.revokeGitToken({ token: 'ghs_x', expiresAt: 0 }, signal());
    await expect(github.revokeGitToken({ token: 'ghs_x', expiresAt: 0 }, signal())).resolves.toBeUndefined();
  });

  it('say what is wrong when the App is not installed there', async () => {
    nock(api).post('/app/installations/7/access_tokens').reply(404, { message: 'Not Found' });

    await expect(createTestGitHub().github.mintGitToken(repository, 'read', signal())).rejects.toMatchObject({
      code: 'NOT_FOUND',
      retry: 'never',
    });
  });
});

describe('calls', () => {
  it('that only read are repeated after a 5xx and a broken connection, each time later', async () => {
    answerMints(['ghs_read']);
    nock(api).get(permissionPath).reply(502, '<html>');
    nock(api).get(permissionPath).replyWithError(new Error('ECONNRESET'));
    nock(api).get(permissionPath).reply(503, { message: 'busy' });
    nock(api).get(permissionPath).reply(200, permission);
    const { github, slept } = createTestGitHub();

    await github.readPermission(repository, 'ada', signal());

    expect(slept).toEqual([500, 1000, 2000]);
  });

  it('that only read are repeated when the response broke off (F13)', async () => {
    answerMints(['ghs_read']);
    nock(api).get(permissionPath).reply(200, '{"permission": "wri', { 'content-type': 'application/json' });
    nock(api).get(permissionPath).reply(200, permission);

    expect(await createTestGitHub().github.readPermission(repository, 'ada', signal())).toMatchObject({ userId: 5 });
  });

  it('that only read are given up after four failures', async () => {
    answerMints(['ghs_read']);
    nock(api).get(permissionPath).times(4).reply(500, { message: 'no' });

    await expect(createTestGitHub().github.readPermission(repository, 'ada', signal())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      retry: 'now',
    });
  });

  it('of an installation wait for the time that GitHub names, and no request is made meanwhile (F14)', async () => {
    answerMints(['ghs_read']);
    nock(api)
      .get(permissionPath)
      .reply(403, { message: 'You have exceeded a secondary rate limit' }, { 'retry-after': '120' });
    const { github, clock } = createTestGitHub();

    await expect(github.readPermission(repository, 'ada', signal())).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 120,
    });
    clock.nowMs += 100_000;
    await expect(github.readPermission(repository, 'ada', signal())).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 20,
    });
    await expect(
      github.addReaction(repository, { kind: 'issue_comment', id: 1 }, 'eyes', signal()),
    ).rejects.toMatchObject({ code: 'RATE_LIMITED' });

    clock.nowMs += 20_000;
    nock(api).get(permissionPath).reply(200, permission);
    await expect(github.readPermission(repository, 'ada', signal())).resolves.toMatchObject({ userId: 5 });
  });

  it('wait inside for a window that ends soon, writes too, since a refused write did nothing', async () => {
    answerMints(['ghs_write']);
    const path = '/repos/acme/widget/issues/comments/9/reactions';
    nock(api).post(path).reply(429, { message: 'slow down' }, { 'retry-after': '3' });
    nock(api).post(path).reply(201, { id: 1 });
    const { github, slept } = createTestGitHub();

    await github.addReaction(repository, { kind: 'issue_comment', id: 9 }, 'eyes', signal());

    expect(slept).toEqual([3000]);
  });

  it.each([
    [
      403,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Date.parse('2026-11-27T12:10:00Z') / 1000) },
      'API rate limit exceeded',
      601,
    ],
    [403, {}, 'You have exceeded a secondary rate limit.', 60],
    [429, {}, 'Too many', 60],
  ])('see the rate limit in a %i with %o', async (status, headers, message, retryAfterSeconds) => {
    answerMints(['ghs_read']);
    nock(api).get(permissionPath).reply(status, { message }, headers);

    await expect(createTestGitHub().github.readPermission(repository, 'ada', signal())).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds,
    });
  });

  it('of one installation do not close the window of another', async () => {
    answerMints(['ghs_read']);
    nock(api).get(permissionPath).reply(429, {}, { 'retry-after': '120' });
    nock(api)
      .post('/app/installations/8/access_tokens')
      .reply(201, { token: 'ghs_8', expires_at: '2026-11-27T13:00:00Z' });
    nock(api).get(permissionPath).matchHeader('authorization', 'token ghs_8').reply(200, permission);
    const { github } = createTestGitHub();

    await expect(github.readPermission(repository, 'ada', signal())).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await expect(github.readPermission({ ...repository, installationId: 8 }, 'ada', signal())).resolves.toMatchObject({
      userId: 5,
    });
  });

  it('that write keep a second between them', async () => {
    answerMints(['ghs_write']);
    nock(api).post('/repos/acme/widget/issues/comments/9/reactions').twice().reply(201, { id: 1 });
    const { github, slept } = createTestGitHub({ limits: { writeSpacingMs: 1000 } });

    await github.addReaction(repository, { kind: 'issue_comment', id: 9 }, 'eyes', signal());
    await github.addReaction(repository, { kind: 'issue_comment', id: 9 }, 'rocket', signal());

    expect(slept).toEqual([1000]);
  });

  it('follow a renamed repository when they read, and never when they write (F29)', async () => {
    answerMints(['ghs_read', 'ghs_write']);
    nock(api)
      .get(permissionPath)
      .reply(301, { message: 'Moved' }, { location: `${api}/repositories/186/collaborators/ada/permission` });
    nock(api).get('/repositories/186/collaborators/ada/permission').reply(200, permission);
    nock(api)
      .post('/repos/acme/widget/issues/3/comments')
      .reply(307, { message: 'Moved' }, { location: `${api}/repositories/186/issues/3/comments` });
    nock(api).get('/repos/acme/widget/issues/3/comments').query(true).reply(200, []);
    const { github } = createTestGitHub();

    await expect(github.readPermission(repository, 'ada', signal())).resolves.toMatchObject({ userId: 5 });
    await expect(github.ensureComment(ref, '<!-- m -->', 'hello <!-- m -->', signal())).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it.each([
    [{ message: 'no' }, 403, 'FORBIDDEN'],
    [{ message: 'no' }, 451, 'FORBIDDEN'],
    [{ message: 'no' }, 422, 'INVALID'],
    [{ message: 'no' }, 409, 'UNEXPECTED'],
    [{ permission: 5 }, 200, 'UNEXPECTED'],
  ])('turn the answer %j with %i into %s', async (body, status, code) => {
    answerMints(['ghs_read']);
    nock(api).get(permissionPath).reply(status, body, { 'content-type': 'application/json' });

    const failure = createTestGitHub().github.readPermission(repository, 'ada', signal());

    await expect(failure).rejects.toMatchObject({ code });
    await expect(failure).rejects.not.toThrow('ghs_read');
  });
});

describe('readPermission', () => {
  it.each([
    ['admin', { permission: 'admin', user: { id: 5 } }, { userId: 5, permission: 'admin' }],
    ['maintain', { permission: 'maintain', user: { id: 5 } }, { userId: 5, permission: 'write' }],
    ['triage', { permission: 'triage', user: { id: 5 } }, { userId: 5, permission: 'read' }],
    ['none', { permission: 'none', user: { id: 5 } }, { userId: 5, permission: 'none' }],
    ['a role from the future', { permission: 'owner', user: { id: 5 } }, { userId: 5, permission: 'none' }],
    ['a ghost', { permission: 'write', user: null }, { userId: 0, permission: 'none' }],
  ])('maps %s', async (_what, body, expected) => {
    answerMints(['ghs_read']);
    nock(api).get(permissionPath).reply(200, body);

    expect(await createTestGitHub().github.readPermission(repository, 'ada', signal())).toEqual(expected);
  });

  it('gives nothing to an account that does not exist, whatever its name looks like (trap 70)', async () => {
    answerMints(['ghs_read']);
    nock(api).get('/repos/acme/widget/collaborators/..%2Fada/permission').reply(404, { message: 'Not Found' });

    expect(await createTestGitHub().github.readPermission(repository, '../ada', signal())).toEqual({
      userId: 0,
      permission: 'none',
    });
  });
});

describe('readAnnotations', () => {
  it('reads pages until it has enough', async () => {
    const annotation = (line: number): unknown => ({
      path: 'a.ts',
      start_line: line,
      end_line: line,
      annotation_level: line === 1 ? 'failure' : null,
      message: 'bad',
    });
    const path = '/repos/acme/widget/check-runs/55/annotations';
    answerMints(['ghs_read']);
    nock(api)
      .get(path)
      .query({ per_page: 100, page: 1 })
      .reply(200, [annotation(1)], { link: `<${api}${path}?page=2>; rel="next"` });
    nock(api)
      .get(path)
      .query({ per_page: 100, page: 2 })
      .reply(200, [annotation(2), annotation(3)], { link: `<${api}${path}?page=3>; rel="next"` });

    expect(await createTestGitHub().github.readAnnotations(repository, check, 2, signal())).toEqual([
      { path: 'a.ts', startLine: 1, endLine: 1, level: 'failure', message: 'bad' },
      { path: 'a.ts', startLine: 2, endLine: 2, level: 'notice', message: 'bad' },
    ]);
  });

  it('asks for none of a commit status', async () => {
    expect(
      await createTestGitHub().github.readAnnotations(repository, { ...check, source: 'status' }, 9, signal()),
    ).toEqual([]);
  });
});

describe('GitHub Enterprise Server', () => {
  it('is asked at its own addresses', async () => {
    const baseUrl = 'https://ghe.test/api/v3';
    answerMints(['ghs_read'], { baseUrl });
    nock('https://ghe.test')
      .post('/api/graphql')
      .reply(200, { data: { repository: null } });
    const { github } = createTestGitHub({ baseUrl: `${baseUrl}/` });

    expect(await github.readPullRequest(ref, signal())).toBeNull();
    expect(github.gitUrl(repository)).toBe('https://ghe.test/acme/widget.git');
  });

  it.each([
    ['https://api.github.com', 'https://github.com/acme/widget'],
    ['https://api.octo.ghe.com/', 'https://octo.ghe.com/acme/widget'],
    ['http://127.0.0.1:4000/api/v3', 'http://127.0.0.1:4000/acme/widget'],
    ['http://localhost:4000', 'http://localhost:4000/acme/widget'],
  ])('%s has its repositories at %s', (baseUrl, site) => {
    const { github } = createTestGitHub({ baseUrl });

    expect(github.gitUrl(repository)).toBe(`${site}.git`);
    expect(github.commitUrl(repository, check.headSha)).toBe(`${site}/commit/${check.headSha}`);
    const place = { sha: check.headSha, path: 'a b/#1>.ts', line: 3 };
    const file = `${site}/blob/${check.headSha}/a%20b/%231%3E.ts`;
    expect(github.fileUrl(repository, place)).toBe(`${file}#L3`);
    expect(github.fileUrl(repository, { ...place, line: null })).toBe(file);
    expect(github.gitUrl({ ...repository, name: 'a?b#c' })).toBe(`${site.replace('widget', 'a%3Fb%23c')}.git`);
  });
});
