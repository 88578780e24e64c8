import nock from 'nock';
import { describe, expect, it } from 'vitest';
import type { CheckResult, PullRequestRef } from '../../../src/core/model/pull-request.ts';
import type { CheckRunContent, GitHub } from '../../../src/ports/github.ts';
import {
  aCheckRunNode,
  aHeadCommit,
  answerMints,
  answerQueries,
  aPullRequestNode,
  api,
  check,
  createTestGitHub,
  expectAllAnswersAsked,
  found,
  foundObject,
  headSha,
  named,
  noDefaults,
  ref,
  repository,
  sha,
  signal,
} from './github-fixture.ts';

expectAllAnswersAsked();

const MINUTE_MS = 60_000;

function answerPermission(permission: string, login = 'ada'): void {
  nock(api)
    .get(`/repos/acme/widget/collaborators/${login}/permission`)
    .reply(200, { permission, user: { id: 5 } });
}

describe('readPermission', () => {
  const ask = async (github: GitHub, maxAgeMs?: number): Promise<string> =>
    (await github.readPermission(repository, 'ada', signal(), maxAgeMs)).permission;

  it('is live where nothing is said, however often it is asked', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    answerPermission('write');
    answerPermission('read');

    expect([await ask(github), await ask(github)]).toEqual(['write', 'read']);
  });

  it('to write is remembered for as long as the caller allows', async () => {
    answerMints(['ghs_read']);
    const { github, clock } = createTestGitHub();
    answerPermission('admin');
    const before = [await ask(github, 5 * MINUTE_MS), await ask(github, 5 * MINUTE_MS)];
    clock.nowMs += 5 * MINUTE_MS;
    answerPermission('read');

    expect([...before, await ask(github, 5 * MINUTE_MS)]).toEqual(['admin', 'admin', 'read']);
  });

  it('that is denied is never remembered: who is given the right has it at once', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    answerPermission('read');
    answerPermission('write');

    expect([await ask(github, 5 * MINUTE_MS), await ask(github, 5 * MINUTE_MS)]).toEqual(['read', 'write']);
  });

  it('that a live answer takes away is taken away for who decides, too', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    answerPermission('write');
    await ask(github);
    answerPermission('none');
    await ask(github);
    answerPermission('none');

    expect(await ask(github, 5 * MINUTE_MS)).toBe('none');
  });

  it('is not remembered beyond a live answer that failed', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    answerPermission('write');
    await ask(github);
    nock(api).get('/repos/acme/widget/collaborators/ada/permission').reply(403, { message: 'no' });
    await expect(ask(github)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    answerPermission('read');

    expect(await ask(github, 5 * MINUTE_MS)).toBe('read');
  });

  it('is one of an account, in any case of its name, in one repository', async () => {
    answerMints(['ghs_read', 'ghs_other']);
    const { github } = createTestGitHub();
    const read = async (login: string, repositoryId = repository.repositoryId): Promise<string> =>
      (await github.readPermission({ ...repository, repositoryId }, login, signal(), MINUTE_MS)).permission;
    answerPermission('write');
    answerPermission('read', 'eve');
    answerPermission('read');

    expect([await read('ada'), await read('ADA'), await read('eve'), await read('ada', 999)]).toEqual([
      'write',
      'write',
      'read',
      'read',
    ]);
  });
});

describe('readPullRequest', () => {
  it('gives an answer that is young enough, and reads a live one else (002.R11)', async () => {
    answerMints(['ghs_read']);
    const { github, clock } = createTestGitHub();
    answerQueries(
      found(aPullRequestNode({ title: 'one' })),
      found(aPullRequestNode({ title: 'two' })),
      found(aPullRequestNode({ title: 'three' })),
    );
    const titles = [(await github.readPullRequest(ref, signal()))?.title];
    clock.nowMs += 14_999;
    titles.push((await github.readPullRequest(ref, signal(), 15_000))?.title);
    clock.nowMs += 1;
    titles.push((await github.readPullRequest(ref, signal(), 15_000))?.title);
    titles.push((await github.readPullRequest(ref, signal()))?.title);

    expect(titles).toEqual(['one', 'one', 'two', 'three']);
  });
});

describe('readTogether', () => {
  const others: readonly PullRequestRef[] = [4, 5].map((number) => ({ repository, number }));
  const [four = ref, five = ref] = others;
  const together = (...nodes: readonly unknown[]): unknown => ({
    data: {
      repository: { ...named, ...Object.fromEntries(nodes.map((node, index) => [`p${String(index)}`, node])) },
      organization: noDefaults,
    },
  });
  const numbers = (...all: readonly number[]): readonly unknown[] => all.map((number) => aPullRequestNode({ number }));
  const alone = (number: number): unknown => found(aPullRequestNode({ number, title: 'alone' }));

  it('reads pull requests with one query, and gives each to its own look, once', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    const asked = answerQueries(together(...numbers(3, 4, 5)), alone(4));
    const first = await github.readTogether(ref, others, signal());
    const second = await github.readTogether(four, [five], signal());
    const third = await github.readTogether(five, [], signal());
    const again = await github.readTogether(four, [], signal());

    expect([first, second, third, again].map((facts) => facts?.number)).toEqual([3, 4, 5, 4]);
    expect(again?.title).toBe('alone');
    expect(asked).toEqual([
      { owner: 'acme', name: 'widget', n0: 3, n1: 4, n2: 5 },
      { owner: 'acme', name: 'widget', number: 4 },
    ]);
  });

  it('gives what is on its way to a look that does not wait for the first', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    answerQueries(together(...numbers(3, 4)));
    const reads = [github.readTogether(ref, [four], signal()), github.readTogether(four, [], signal())];

    expect((await Promise.all(reads)).map((facts) => facts?.number)).toEqual([3, 4]);
  });

  it('is for looks alone: nobody else gets what it read, and after a minute nobody (002.R11)', async () => {
    answerMints(['ghs_read']);
    const { github, clock } = createTestGitHub();
    answerQueries(together(...numbers(3, 4, 5)), alone(4), alone(5));
    await github.readTogether(ref, others, signal());
    const live = await github.readPullRequest(four, signal(), MINUTE_MS);
    clock.nowMs += MINUTE_MS;
    const late = await github.readTogether(five, [], signal());

    expect([live?.title, late?.title]).toEqual(['alone', 'alone']);
  });

  it('is forgotten where something happened in the repository', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    answerQueries(together(...numbers(3, 4)), alone(4));
    await github.readTogether(ref, [four], signal());
    github.forgetTogether(repository.repositoryId + 1);
    github.forgetTogether(repository.repositoryId);

    expect((await github.readTogether(four, [], signal()))?.title).toBe('alone');
  });

  it('asks for ten at most', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    const many = Array.from({ length: 12 }, (_, index) => ({ repository, number: index + 10 }));
    const asked = answerQueries(together(...numbers(3, ...many.slice(0, 9).map(({ number }) => number))));
    await github.readTogether(ref, many, signal());

    const variables = Object.fromEntries([3, 10, 11, 12, 13, 14, 15, 16, 17, 18].map((n, index) => [`n${index}`, n]));
    expect(asked).toEqual([{ owner: 'acme', name: 'widget', ...variables }]);
  });

  it('reads alone what is gone or cannot be read to its end', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    const cut = { totalCount: 2, pageInfo: { hasNextPage: false, endCursor: null }, nodes: [] };
    answerQueries(
      together(...numbers(3), null, aPullRequestNode({ number: 5, reviewThreads: cut })),
      found(null),
      alone(5),
    );

    expect((await github.readTogether(ref, others, signal()))?.number).toBe(3);
    expect(await github.readTogether(four, [], signal())).toBeNull();
    expect((await github.readTogether(five, [], signal()))?.title).toBe('alone');
  });

  it.each([
    ['is refused', { errors: [{ type: 'RESOURCE_LIMITS_EXCEEDED', message: 'too much' }] }],
    ['finds nothing', { data: null, errors: [{ type: 'NOT_FOUND', message: 'gone' }] }],
  ])('falls back to single reads where the query %s, for an hour', async (_title, failure) => {
    answerMints(['ghs_read', 'ghs_later', 'ghs_latest']);
    const { github, clock } = createTestGitHub({ limits: { maxTries: 1 } });
    const asked = answerQueries(failure, alone(3), alone(4), alone(3), together(...numbers(3, 4)));
    const titles = [
      (await github.readTogether(ref, [four], signal()))?.title,
      (await github.readTogether(four, [five], signal()))?.title,
    ];
    clock.nowMs += 59 * MINUTE_MS;
    titles.push((await github.readTogether(ref, [four], signal()))?.title);
    clock.nowMs += MINUTE_MS;
    titles.push((await github.readTogether(ref, [four], signal()))?.title);

    expect(titles).toEqual(['alone', 'alone', 'alone', 'Add a widget']);
    expect(asked).toHaveLength(5);
  });

  it('fails by itself, and not by the query for several, where GitHub asks to wait', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    nock(api).post('/graphql').reply(429, { message: 'slow down' }, { 'retry-after': '120' });

    await expect(github.readTogether(ref, [four], signal())).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });
});

describe('what CI says', () => {
  const second: CheckResult = { ...check, id: 56, nodeId: 'CR_56' };
  const first: CheckResult = { ...check, nodeId: 'CR_55' };
  const annotations = (id: string, message: string): unknown => ({
    id,
    annotations: {
      nodes: [
        { path: 'a.ts', location: { start: { line: 3 }, end: { line: 4 } }, annotationLevel: 'FAILURE', message },
      ],
    },
  });

  it('in annotations is read with one query for all check runs, and once for those that are finished', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    const running: CheckResult = { ...check, id: 57, nodeId: 'CR_57', status: 'in_progress', conclusion: null };
    const asked = answerQueries(
      { data: { nodes: [annotations('CR_55', 'one'), annotations('CR_57', 'early'), null] } },
      { data: { nodes: [annotations('CR_56', 'two'), annotations('CR_57', 'late')] } },
    );
    await github.readAllAnnotations(repository, [first, running], 50, signal());
    const found2 = await github.readAllAnnotations(repository, [first, second, running, check], 50, signal());

    expect([...found2].map(([id, list]) => [id, list[0]?.message])).toEqual([
      [55, 'one'],
      [56, 'two'],
      [57, 'late'],
    ]);
    expect(found2.get(55)).toEqual([{ path: 'a.ts', startLine: 3, endLine: 4, level: 'failure', message: 'one' }]);
    expect(asked).toEqual([
      { ids: ['CR_55', 'CR_57'], first: 50 },
      { ids: ['CR_56', 'CR_57'], first: 50 },
    ]);
  });

  it('in annotations is not asked for where no check run has a name', async () => {
    expect(await createTestGitHub().github.readAllAnnotations(repository, [check], 50, signal())).toEqual(new Map());
  });

  const answerLog = (text: string, id = 55): void => {
    nock(api)
      .get(`/repos/acme/widget/actions/jobs/${String(id)}/logs`)
      .reply(200, text);
  };

  it('in a log is read once, where it was read to its beginning', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    answerLog('Error: no');
    const pieces: string[] = [];
    const take = (piece: Uint8Array): number => pieces.push(Buffer.from(piece).toString());
    const logs = [
      await github.readJobLog(repository, check, { maxBytes: 1000, take }, signal()),
      await github.readJobLog(repository, check, { maxBytes: 2000, take }, signal()),
    ];

    expect(logs).toEqual(['Error: no', 'Error: no']);
    expect(pieces.join()).toBe('Error: no,Error: no');
  });

  it.each([
    ['that was cut', { length: 2000, limit: 1000, then: 3000 }],
    ['that is longer than asked for now', { length: 900, limit: 1000, then: 500 }],
    ['of a job that runs', { length: 1, limit: 1000, then: 1000, status: 'in_progress' }],
  ] as const)('in a log %s is read again', async (_title, { length, limit, then, ...change }) => {
    const job: CheckResult = { ...check, ...change };
    const text = 'x'.repeat(length);
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    answerLog(text);
    answerLog(`${text}!`);
    await github.readJobLog(repository, job, { maxBytes: limit }, signal());

    expect((await github.readJobLog(repository, job, { maxBytes: then }, signal()))?.endsWith('!')).toBe(true);
  });

  it('of a commit is read once for ten minutes where all of it is green', async () => {
    answerMints(['ghs_read']);
    const { github, clock } = createTestGitHub();
    const green = aCheckRunNode({ conclusion: 'SUCCESS' });
    answerQueries(foundObject(aHeadCommit([green])), foundObject(aHeadCommit([green])));
    await github.readChecksAt(repository, headSha, signal());
    const known = await github.readChecksAt(repository, headSha, signal());
    clock.nowMs += 10 * MINUTE_MS;
    await github.readChecksAt(repository, headSha, signal());

    expect(known.map(({ name }) => name)).toEqual(['test']);
  });

  it('of a commit is read again where something is red there: a re-run may repair it (L11)', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    const green = aCheckRunNode({ databaseId: 56, conclusion: 'SUCCESS' });
    answerQueries(foundObject(aHeadCommit([aCheckRunNode()])), foundObject(aHeadCommit([green])));
    await github.readChecksAt(repository, headSha, signal());

    expect((await github.readChecksAt(repository, headSha, signal()))[0]?.conclusion).toBe('success');
  });

  it('of a commit is read again while something runs there', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    const running = aCheckRunNode({ status: 'IN_PROGRESS', conclusion: null, completedAt: null });
    answerQueries(foundObject(aHeadCommit([running])), foundObject(aHeadCommit([aCheckRunNode()])));
    await github.readChecksAt(repository, headSha, signal());

    expect((await github.readChecksAt(repository, headSha, signal()))[0]?.conclusion).toBe('failure');
  });

  it('of a commit without results is read again: they may come any moment', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    answerQueries(foundObject(aHeadCommit([])), foundObject(aHeadCommit([aCheckRunNode()])));

    expect(await github.readChecksAt(repository, headSha, signal())).toEqual([]);
    expect(await github.readChecksAt(repository, headSha, signal())).toHaveLength(1);
  });
});

describe('readMergeBase', () => {
  const path = `/repos/acme/widget/compare/${sha('b')}...${headSha}`;
  const ask = (github: GitHub) => github.readMergeBase(repository, sha('b'), headSha, signal());

  it('is asked for once: two commits never change it', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    nock(api)
      .get(path)
      .query(true)
      .reply(200, { merge_base_commit: { sha: sha('c') } });

    expect([await ask(github), await ask(github)]).toEqual([sha('c'), sha('c')]);
  });

  it('is asked for again where there was none: a commit may not have been there yet', async () => {
    answerMints(['ghs_read']);
    const { github } = createTestGitHub();
    nock(api).get(path).query(true).reply(404, {});
    nock(api)
      .get(path)
      .query(true)
      .reply(200, { merge_base_commit: { sha: sha('c') } });

    expect([await ask(github), await ask(github)]).toEqual([null, sha('c')]);
  });
});

describe('a check run that nobody has tried to create before', () => {
  const content: CheckRunContent = {
    ...{ name: 'Ratchet', headSha, externalId: '186#3', status: 'completed', conclusion: 'success' },
    ...{ title: 'Green', summary: '', actions: [] },
  };

  it('is created without a search', async () => {
    answerMints(['ghs_write']);
    nock(api).post('/repos/acme/widget/check-runs').reply(201, { id: 77 });

    expect(await createTestGitHub().github.createCheckRun(repository, content, signal(), true)).toBe(77);
  });

  it('is searched for after a failure of unknown effect, and adopted (F13)', async () => {
    answerMints(['ghs_write']);
    nock(api).post('/repos/acme/widget/check-runs').reply(502, {});
    const made = { id: 78, name: 'Ratchet', external_id: '186#3', app: { id: 4242 } };
    nock(api)
      .get(`/repos/acme/widget/commits/${headSha}/check-runs`)
      .query(true)
      .reply(200, { total_count: 1, check_runs: [made] });
    nock(api).patch('/repos/acme/widget/check-runs/78').reply(200, made);

    expect(await createTestGitHub().github.createCheckRun(repository, content, signal(), true)).toBe(78);
  });
});
