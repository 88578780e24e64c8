import nock from 'nock';
import { describe, expect, it } from 'vitest';
import type { GitHub } from '../../../src/ports/github.ts';
import {
  aHeadCommit,
  answerMints,
  aPage,
  aPullRequestNode,
  api,
  aRef,
  createTestGitHub,
  expectAllAnswersAsked,
  found,
  ref,
  repository,
  sha,
  signal,
} from './github-fixture.ts';

const permissionPath = '/repos/acme/widget/collaborators/ada/permission';
const reactionPath = '/repos/acme/widget/issues/comments/9/reactions';
const permission = { permission: 'write', role_name: 'write', user: { id: 5 } };
const now = Date.parse('2026-11-27T12:00:00Z');
const json = { 'content-type': 'application/json' };
const page = '<!DOCTYPE html>\n<html><head><title>Unicorn! &middot; GitHub</title></head></html>';

/** A moment of `x-ratelimit-reset`. */
function inSeconds(seconds: number): string {
  return String(now / 1000 + seconds);
}

type Headers = Readonly<Record<string, string>>;

/** Reads by REST what GitHub answers like this. */
function readWith(status: number, body: unknown, headers: Headers = {}): Promise<unknown> {
  answerMints(['ghs_read']);
  nock(api)
    .get(permissionPath)
    .reply(status, typeof body === 'string' ? body : { ...Object(body) }, { ...headers });
  const { github } = createTestGitHub({ limits: { maxTries: 1 } });
  return github.readPermission(repository, 'ada', signal());
}

/** Answers the next query, with status 200. */
function answerQuery(answer: unknown, headers: Headers = {}): void {
  nock(api)
    .post('/graphql')
    .reply(200, typeof answer === 'string' ? answer : { ...Object(answer) }, { ...json, ...headers });
}

/** Reads by GraphQL what GitHub answers like this. */
function queryWith(answer: unknown, headers: Headers = {}): Promise<unknown> {
  answerMints(['ghs_read']);
  answerQuery(answer, headers);
  return createTestGitHub({ limits: { maxTries: 1 } }).github.readPullRequest(ref, signal());
}

expectAllAnswersAsked();

describe('a rate limit', () => {
  const exceeded = { message: 'API rate limit exceeded for installation ID 7.' };
  const secondary = { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' };
  const denied = { message: 'Resource not accessible by integration' };

  it.each<[string, number, unknown, Headers, number]>([
    ['without headers', 403, exceeded, {}, 60],
    ['with requests remaining', 403, exceeded, { 'x-ratelimit-remaining': '4999' }, 60],
    [
      'with requests remaining and an end',
      403,
      exceeded,
      { 'x-ratelimit-remaining': '4999', 'x-ratelimit-reset': inSeconds(90) },
      91,
    ],
    ['with nothing remaining', 403, { message: 'no' }, { 'x-ratelimit-remaining': '0' }, 60],
    [
      'whose window is over already',
      403,
      exceeded,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(-1) },
      60,
    ],
    ['that ends now', 403, exceeded, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(0) }, 60],
    [
      'whose end is far away',
      429,
      exceeded,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(10 ** 9) },
      3600,
    ],
    ['whose end is no time', 429, exceeded, { 'x-ratelimit-reset': 'soon' }, 60],
    ['that names seconds', 403, secondary, { 'retry-after': '120' }, 120],
    ['that names no word', 403, { message: 'no' }, { 'retry-after': '120' }, 120],
    ['that names a date', 429, secondary, { 'retry-after': 'Fri, 27 Nov 2026 12:02:00 GMT' }, 120],
    ['that names a date that is over', 429, secondary, { 'retry-after': 'Fri, 27 Nov 2026 11:00:00 GMT' }, 1],
    ['that names no wait', 429, secondary, { 'retry-after': '' }, 60],
    ['that names a negative wait', 429, secondary, { 'retry-after': '-5' }, 60],
    ['that names a wait for ever', 429, secondary, { 'retry-after': '99999999999' }, 3600],
    [
      'by GitHub’s clock, where ours is an hour behind',
      403,
      secondary,
      { date: 'Fri, 27 Nov 2026 13:00:00 GMT', 'retry-after': 'Fri, 27 Nov 2026 13:01:30 GMT' },
      90,
    ],
    [
      'until a reset by GitHub’s clock, where ours is an hour ahead',
      403,
      exceeded,
      { date: 'Fri, 27 Nov 2026 11:00:00 GMT', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(-3570) },
      31,
    ],
    ['on abuse', 403, { message: 'You have triggered an abuse detection mechanism.' }, {}, 60],
    [
      'of another kind than the headers tell of',
      403,
      secondary,
      { 'x-ratelimit-remaining': '4000', 'x-ratelimit-reset': inSeconds(1800) },
      60,
    ],
  ])('%s is waited for (L13)', async (...row) => {
    const [, status, body, headers, retryAfterSeconds] = row;
    await expect(readWith(status, body, headers)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retry: 'later',
      retryAfterSeconds,
    });
  });

  it.each<[string, number, unknown, Headers, string]>([
    ['a missing permission with the last request', 403, denied, { 'x-ratelimit-remaining': '0' }, 'FORBIDDEN'],
    [
      'an installation that is suspended',
      403,
      { message: 'This installation has been suspended' },
      { 'retry-after': '5' },
      'FORBIDDEN',
    ],
    ['a quoted branch', 403, { message: 'Changes to rate-limit-fix are not allowed' }, {}, 'FORBIDDEN'],
    ['wrong input that quotes it', 422, { message: 'Validation failed: rate limit' }, {}, 'INVALID'],
    ['an outage that names a wait', 503, { message: 'no' }, { 'retry-after': '5' }, 'UNAVAILABLE'],
  ])('is not what %s is', async (...row) => {
    const [, status, body, headers, code] = row;
    await expect(readWith(status, body, headers)).rejects.toMatchObject({ code });
  });

  it.each<[string, unknown, Headers, number]>([
    [
      'by type and code',
      { type: 'RATE_LIMIT', code: 'graphql_rate_limit', message: 'API rate limit already exceeded.' },
      { 'x-ratelimit-remaining': '4321', 'x-ratelimit-reset': inSeconds(-5) },
      60,
    ],
    ['by its type alone', { type: 'RATE_LIMIT', message: 'no' }, {}, 60],
    ['by its other type', { type: 'RATE_LIMITED', message: 'no' }, { 'x-ratelimit-reset': inSeconds(600) }, 601],
    ['by its code alone', { code: 'graphql_rate_limit', message: 'no' }, {}, 60],
    ['by its message alone', { message: 'API rate limit exceeded for user ID 5.' }, {}, 60],
    ['on writing too fast', { type: 'UNPROCESSABLE', message: 'was submitted too quickly' }, {}, 60],
    ['with a wait', { type: 'RATE_LIMIT', message: 'no' }, { 'retry-after': '7' }, 7],
  ])('of GraphQL, told with status 200 %s, is waited for', async (_what, error, headers, retryAfterSeconds) => {
    const limited = { code: 'RATE_LIMITED', retry: 'later', retryAfterSeconds };

    await expect(queryWith({ errors: [error] }, headers)).rejects.toMatchObject(limited);
    const beside = { type: 'FORBIDDEN', message: 'no', path: ['repository'] };
    await expect(queryWith({ data: null, errors: [beside, error] }, headers)).rejects.toMatchObject(limited);
  });

  it('closes the gate: nothing is asked until it is over', async () => {
    answerMints(['ghs_read']);
    answerQuery({ errors: [{ type: 'RATE_LIMIT', message: 'API rate limit already exceeded.' }] });
    const { github, clock } = createTestGitHub();

    const limited = { code: 'RATE_LIMITED' };
    await expect(github.readPullRequest(ref, signal())).rejects.toMatchObject(limited);
    await expect(github.readPermission(repository, 'ada', signal())).rejects.toMatchObject(limited);
    clock.nowMs += 45_000;
    await expect(github.readPullRequest(ref, signal())).rejects.toMatchObject(limited);

    clock.nowMs += 15_000;
    answerQuery(found(aPullRequestNode()));
    await expect(github.readPullRequest(ref, signal())).resolves.toMatchObject({ number: 3 });
  });

  it('of GraphQL alone leaves the rest of the API open, so that people can be told', async () => {
    answerMints(['ghs_read', 'ghs_write']);
    const error = { type: 'RATE_LIMIT', message: 'API rate limit already exceeded.' };
    answerQuery({ errors: [error] }, { 'x-ratelimit-resource': 'graphql' });
    nock(api).post(reactionPath).reply(201, { id: 1 });
    const { github } = createTestGitHub();

    await expect(github.readPullRequest(ref, signal())).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await github.addReaction(repository, { kind: 'issue_comment', id: 9 }, 'eyes', signal());
    await expect(github.readPullRequest(ref, signal())).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });
});

describe('an outage', () => {
  it.each<[string, number, unknown, Headers]>([
    ['a unicorn page', 502, page, { 'content-type': 'text/html' }],
    ['a page that says it is fine', 200, page, { 'content-type': 'text/html' }],
    ['a page in place of a refusal', 403, page, { 'content-type': 'text/html' }],
    ['a page in place of an absence', 404, page, { 'content-type': 'text/html' }],
    ['a page in place of bad credentials', 401, page, { 'content-type': 'text/html' }],
    ['bytes', 200, 'x', { 'content-type': 'application/octet-stream' }],
    ['JSON that breaks off', 200, '{"permission": "wri', json],
    ['a request that took too long', 408, { message: 'timeout' }, json],
    ['a server error', 500, { message: 'no' }, json],
    ['a server that is not there', 504, '', {}],
  ])('answers with %s: asked again', async (_what, status, body, headers) => {
    const failure = readWith(status, body, headers);

    await expect(failure).rejects.toMatchObject({ code: 'UNAVAILABLE', retry: 'now' });
    await expect(failure).rejects.not.toThrow('<');
  });

  it.each(['ECONNRESET', 'ENOTFOUND', 'ECONNREFUSED', 'EAI_AGAIN', 'CERT_HAS_EXPIRED'])('is %s', async (code) => {
    answerMints(['ghs_read']);
    nock(api)
      .get(permissionPath)
      .replyWithError(Object.assign(new Error(code), { code }));
    const { github } = createTestGitHub({ limits: { maxTries: 1 } });

    await expect(github.readPermission(repository, 'ada', signal())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      retry: 'now',
    });
  });

  it.each<[string, unknown]>([
    [
      'a failure of its own',
      {
        errors: [{ message: 'Something went wrong while executing your query. Please include `A:1` when reporting.' }],
      },
    ],
    ['a failure of its own, with null', { data: null, errors: [{ message: 'Something went wrong.' }] }],
    ['an error by type', { errors: [{ type: 'SERVICE_UNAVAILABLE', message: 'no' }] }],
    ['no data and no error', { data: null }],
    ['nothing', {}],
    ['a page', page],
    [
      'a part that failed',
      { ...Object(found(null)), errors: [{ type: 'INTERNAL', message: 'x', path: ['repository', 'pullRequest'] }] },
    ],
  ])('answers a query with %s: asked again, and never taken for an absence', async (_what, answer) => {
    await expect(queryWith(answer)).rejects.toMatchObject({ code: 'UNAVAILABLE', retry: 'now' });
  });

  it.each<[string, Headers]>([
    ['a redirect in circles', { location: `${api}${permissionPath}` }],
    ['a redirect to another server', { location: 'https://evil.test/' }],
    ['a redirect to nowhere', {}],
  ])('answers with %s: followed a few times at most, and the token goes nowhere else', async (_what, headers) => {
    answerMints(['ghs_read']);
    let count = 0;
    nock(api)
      .get(permissionPath)
      .times(30)
      .reply(() => {
        count += 1;
        return [301, { message: 'Moved' }, headers];
      });
    const { github } = createTestGitHub();

    await expect(github.readPermission(repository, 'ada', signal())).rejects.toMatchObject({
      code: 'UNEXPECTED',
      retry: 'later',
    });

    nock.cleanAll();
    expect(count).toBeLessThanOrEqual(4);
  });
});

describe('a token that is not known everywhere yet', () => {
  const limits = { youngTokenMs: 10_000 };
  const refusals = [
    [401, { message: 'Bad credentials' }],
    [403, { message: 'Resource not accessible by integration' }],
    [404, { message: 'Not Found' }],
  ] as const;

  it('is asked again with, after 1, 2 and 4 seconds, and no other is made', async () => {
    const asked = answerMints(['ghs_read']);
    for (const [status, body] of refusals) {
      nock(api).get(permissionPath).matchHeader('authorization', 'token ghs_read').reply(status, body);
    }
    nock(api).get(permissionPath).matchHeader('authorization', 'token ghs_read').reply(200, permission);
    const { github, slept } = createTestGitHub({ limits });

    await expect(github.readPermission(repository, 'ada', signal())).resolves.toMatchObject({ userId: 5 });

    expect(slept).toEqual([1000, 2000, 4000]);
    expect(asked).toHaveLength(1);
  });

  it('is asked again with for a write too: a refused write did nothing', async () => {
    answerMints(['ghs_write']);
    nock(api).post(reactionPath).reply(403, { message: 'Resource not accessible by integration' });
    nock(api).post(reactionPath).reply(201, { id: 1 });
    const { github, slept } = createTestGitHub({ limits });

    await github.addReaction(repository, { kind: 'issue_comment', id: 9 }, 'eyes', signal());

    expect(slept).toEqual([1000]);
  });

  it.each<[string, unknown]>([
    ['an absence', { data: { repository: null }, errors: [{ type: 'NOT_FOUND', message: 'x', path: ['repository'] }] }],
    ['a refusal', { errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }] }],
  ])('is not believed %s of a pull request', async (_what, answer) => {
    answerMints(['ghs_read']);
    answerQuery(answer);
    answerQuery(found(aPullRequestNode()));
    const { github, slept } = createTestGitHub({ limits });

    await expect(github.readPullRequest(ref, signal())).resolves.toMatchObject({ number: 3 });

    expect(slept).toEqual([1000]);
  });

  it('is believed in the end', async () => {
    answerMints(['ghs_read']);
    nock(api).get(permissionPath).times(4).reply(404, { message: 'Not Found' });
    const { github, slept } = createTestGitHub({ limits });

    await expect(github.readPermission(repository, 'ada', signal())).resolves.toMatchObject({ permission: 'none' });
    expect(slept).toEqual([1000, 2000, 4000]);
  });

  it('is believed at once when it is older', async () => {
    answerMints(['ghs_read']);
    nock(api).get(permissionPath).reply(200, permission);
    nock(api).get(permissionPath).reply(404, { message: 'Not Found' });
    const { github, slept, clock } = createTestGitHub({ limits });
    await github.readPermission(repository, 'ada', signal());
    clock.nowMs += 10_000;

    await expect(github.readPermission(repository, 'ada', signal())).resolves.toMatchObject({ permission: 'none' });
    expect(slept).toEqual([]);
  });
});

describe('the App itself', () => {
  it.each([
    ["'Expiration time' claim ('exp') is too far in the future"],
    [
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    ],
    ["'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"],
  ])('signs by GitHub’s clock where its own is wrong: %s', async (message) => {
    const date = new Date(Date.now() - 2 * 60 * 60_000).toUTCString();
    const issued: unknown[] = [];
    const mint = (): nock.Interceptor =>
      nock(api)
        .post('/app/installations/7/access_tokens')
        .matchHeader('authorization', (header) => {
          const claims = Buffer.from(String(header).split('.')[1] ?? '', 'base64url').toString();
          issued.push(Reflect.get(Object(JSON.parse(claims)), 'iat'));
          return true;
        });
    mint().reply(401, { message }, { date, ...json });
    mint().reply(201, { token: 'ghs_1', expires_at: '2026-11-27T13:00:00Z' });
    const { github } = createTestGitHub();

    await expect(github.mintGitToken(repository, 'read', signal())).resolves.toMatchObject({ token: 'ghs_1' });

    const first = Number(issued.at(0));
    const last = Number(issued.at(-1));
    expect(first - last).toBeGreaterThan(7100);
  });

  it('asks for one version of the API', async () => {
    const version = '2022-11-28';
    const withVersion = (header: string | null): boolean => String(header) === version;
    nock(api)
      .post('/app/installations/7/access_tokens')
      .matchHeader('x-github-api-version', withVersion)
      .reply(201, { token: 'ghs_1', expires_at: '2026-11-27T13:00:00Z' });
    nock(api).get(permissionPath).matchHeader('x-github-api-version', withVersion).reply(200, permission);
    nock(api).delete('/installation/token').matchHeader('x-github-api-version', withVersion).reply(204);
    const { github } = createTestGitHub();

    await github.readPermission(repository, 'ada', signal());
    await github.revokeGitToken({ token: 'ghs_1', expiresAt: 0 }, signal());
  });

  it.each<[string, number, unknown, string]>([
    [
      'a right that it does not have',
      422,
      'The permissions requested are not granted to this installation.',
      'NOT_GRANTED',
    ],
    ['a suspended installation', 403, 'This installation has been suspended', 'FORBIDDEN'],
    ['an installation that is gone', 404, 'Not Found', 'FORBIDDEN'],
  ])('is given no token for %s: for good, and nothing counts as absent', async (_what, status, message, code) => {
    nock(api).post('/app/installations/7/access_tokens').reply(status, { message });

    await expect(createTestGitHub().github.readPermission(repository, 'ada', signal())).rejects.toMatchObject({
      code,
      retry: 'never',
    });
  });
});

describe('a query that needs more than GitHub gives', () => {
  const tooLarge = {
    data: { repository: { pullRequest: null } },
    errors: [
      {
        type: 'RESOURCE_LIMITS_EXCEEDED',
        message: 'Resource limits for this query exceeded.',
        path: ['repository', 'pullRequest'],
      },
    ],
  };

  /** Answers queries in turn, and tells their page sizes. */
  function answerSizes(answers: readonly unknown[]): string[] {
    const sizes: string[] = [];
    for (const answer of answers) {
      nock(api)
        .post('/graphql', (body: unknown) => {
          const query = String(Reflect.get(Object(body), 'query'));
          const pages = query.matchAll(/\b(?:contexts|checkSuites|reviewThreads|reviews)\((?:first|last): (\d+)/g);
          sizes.push([...new Set(Array.from(pages, ([, size]) => size))].join(' '));
          return true;
        })
        .reply(200, Object(answer), json);
    }
    return sizes;
  }

  it('is made with smaller pages, and each list is read to its end', async () => {
    answerMints(['ghs_read']);
    const suite = (id: number): unknown => ({
      id: `CS_${String(id)}`,
      databaseId: id,
      status: 'COMPLETED',
      conclusion: 'SUCCESS',
      createdAt: '2026-11-27T11:00:00Z',
      updatedAt: '2026-11-27T11:02:00Z',
      app: { databaseId: 15368, slug: 'github-actions' },
      workflowRun: null,
      checkRuns: { totalCount: 1 },
    });
    const first = aHeadCommit([], { checkSuites: aPage([suite(1)], 'next', 2) });
    const node = aPullRequestNode({ commits: { nodes: [{ commit: first }] } });
    const second = { data: { repository: { object: { checkSuites: aPage([suite(2)], null, 2) } } } };
    const sizes = answerSizes([tooLarge, tooLarge, found(node), second]);

    const facts = await createTestGitHub().github.readPullRequest(ref, signal());

    expect(facts).toMatchObject({ number: 3 });
    expect(sizes).toEqual(['1 40 100', '1 10 25', '1 2 6', '2']);
  });

  it('is told when no page is small enough, and never taken for an absence', async () => {
    answerMints(['ghs_read']);
    answerSizes([tooLarge, tooLarge, tooLarge]);

    await expect(createTestGitHub().github.readPullRequest(ref, signal())).rejects.toMatchObject({
      code: 'TOO_LARGE',
      retry: 'later',
    });
  });
});

describe('the branch of a fork', () => {
  const forbidden = (path: readonly unknown[]): unknown => ({ type: 'FORBIDDEN', message: 'not accessible', path });
  const below = forbidden(['repository', 'pullRequest', 'headRef', 'refUpdateRule']);

  it.each<[string, unknown]>([
    ['that is hidden', null],
    ['whose rules are hidden', aRef({ rules: null })],
  ])('%s hides nothing else', async (_what, headRef) => {
    const node = aPullRequestNode({ isCrossRepository: true, headRef });

    await expect(queryWith({ ...Object(found(node)), errors: [below] })).resolves.toMatchObject({
      number: 3,
      fork: true,
    });
  });

  it.each<[string, Record<string, unknown>, unknown]>([
    ['of the same repository', { isCrossRepository: false }, below],
    ['of another part', { isCrossRepository: true }, forbidden(['repository', 'pullRequest', 'baseRef'])],
    ['of another kind', { isCrossRepository: true }, { ...Object(below), type: 'UNKNOWN' }],
  ])('is no excuse for an error %s', async (_what, changes, error) => {
    const node = aPullRequestNode(changes);

    await expect(queryWith({ ...Object(found(node)), errors: [error] })).rejects.toThrow('GraphQL');
  });
});

describe("what hides the organisation's policy", () => {
  /** The read that must not go on without that policy. */
  async function read(github: GitHub): Promise<unknown> {
    return github.readPullRequest(ref, signal());
  }

  it.each<[string, number, unknown]>([
    ['a suspended installation', 403, { message: 'This installation has been suspended' }],
    ['an absence of the installation', 404, { message: 'Not Found' }],
    ['a refusal of the App', 401, { message: 'A JSON web token could not be decoded' }],
  ])('at the token, %s, is no absence', async (_what, status, body) => {
    answerMints(['ghs_read']);
    answerQuery(found(aPullRequestNode(), null));
    nock(api)
      .post('/app/installations/7/access_tokens', /\.github/u)
      .times(2)
      .reply(status, body);

    await expect(read(createTestGitHub().github)).rejects.toThrow();

    nock.cleanAll();
  });

  it.each<[string, unknown]>([
    [
      'a refusal',
      { data: { organization: null }, errors: [{ type: 'FORBIDDEN', message: 'x', path: ['organization'] }] },
    ],
    ['an unknown error', { errors: [{ message: 'x' }] }],
    ['a rate limit', { errors: [{ type: 'RATE_LIMIT', message: 'x' }] }],
    ['nothing', {}],
  ])('in the answer, %s, is no absence', async (_what, answer) => {
    answerMints(['ghs_read', 'ghs_organization']);
    answerQuery(found(aPullRequestNode(), null));
    answerQuery(answer);

    await expect(read(createTestGitHub({ limits: { maxTries: 1 } }).github)).rejects.toThrow();
  });

  it('is nothing where GitHub says that there is none', async () => {
    answerMints(['ghs_read', 'ghs_organization']);
    answerQuery(found(aPullRequestNode({ headRefOid: sha('a') }), null));
    const errors = [{ type: 'NOT_FOUND', message: 'x', path: ['organization'] }];
    answerQuery({ data: { organization: null }, errors });

    await expect(read(createTestGitHub().github)).resolves.toMatchObject({ organizationPolicyText: null });
  });
});
