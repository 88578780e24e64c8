import nock from 'nock';
import { describe, expect, it } from 'vitest';
import { createGitHub } from '../../../src/adapters/github/create-github.ts';
import { toCiVerdict } from '../../../src/core/ci/ci-verdict.ts';
import { recordingLog } from '../../support/store.ts';
import { aPullRequest, aScene, CI_WORKFLOW } from '../../world/a-world.ts';
import { at, rest } from '../../world/app-client.ts';
import {
  aCheckRunNode,
  aHeadCommit,
  answerMints,
  answerQueries,
  aPage,
  api,
  aRunNode,
  aSuiteNode,
  createTestGitHub,
  expectAllAnswersAsked,
  foundObject,
  headSha,
  repository,
  sha,
  signal,
} from './github-fixture.ts';

const rerunPath = '/repos/acme/widget/actions/runs/900/rerun-failed-jobs';
const comparePath = `/repos/acme/widget/compare/${sha('b')}...${headSha}`;

expectAllAnswersAsked();

describe('rerunFailedJobs', () => {
  it('asks with a token that may do this alone (T58)', async () => {
    const minted = answerMints(['ghs_rerun']);
    nock(api).post(rerunPath).matchHeader('authorization', 'token ghs_rerun').reply(201, {});

    const result = await createTestGitHub().github.rerunFailedJobs(repository, 900, signal());

    expect(result).toEqual({ kind: 'asked' });
    expect(minted).toEqual([{ repository_ids: [186], permissions: { actions: 'write' } }]);
  });

  it.each([403, 404, 422])('is refused for good by %i', async (status) => {
    answerMints(['ghs_rerun']);
    nock(api).post(rerunPath).reply(status, { message: 'This workflow is already running' });

    const result = await createTestGitHub().github.rerunFailedJobs(repository, 900, signal());

    expect(result).toMatchObject({ kind: 'refused' });
    expect(result.kind === 'refused' && result.why).toContain('This workflow is already running');
  });

  it('is refused where the App has no right to it: GitHub gives no such token', async () => {
    nock(api)
      .post('/app/installations/7/access_tokens')
      .reply(422, { message: 'The permissions requested are not granted to this installation.' });

    const result = await createTestGitHub().github.rerunFailedJobs(repository, 900, signal());

    expect(result.kind === 'refused' && result.why).toContain('not granted to this installation');
  });

  it.each([
    ['a failure of GitHub', 502, {}, 'UNAVAILABLE'],
    ['a rate limit', 403, { 'retry-after': '60' }, 'RATE_LIMITED'],
  ])('is not made twice after %s', async (_what, status, headers, code) => {
    answerMints(['ghs_rerun']);
    nock(api).post(rerunPath).reply(status, { message: 'no' }, headers);

    await expect(createTestGitHub().github.rerunFailedJobs(repository, 900, signal())).rejects.toMatchObject({ code });
  });
});

describe('readMergeBase', () => {
  const read = () => createTestGitHub().github.readMergeBase(repository, sha('b'), headSha, signal());

  it('asks for no list of files', async () => {
    answerMints(['ghs_read']);
    nock(api)
      .get(comparePath)
      .query({ per_page: 1, page: 2 })
      .reply(200, { merge_base_commit: { sha: sha('d') } });

    expect(await read()).toBe(sha('d'));
  });

  it('is null where two commits have none', async () => {
    answerMints(['ghs_read']);
    nock(api).get(comparePath).query(true).reply(404, { message: 'No common ancestor' });

    expect(await read()).toBeNull();
  });

  it.each([
    ['half an answer', 200, {}, 'UNEXPECTED'],
    ['a refusal', 403, { message: 'no' }, 'FORBIDDEN'],
  ])('fails with %s', async (_what, status, body, code) => {
    answerMints(['ghs_read']);
    nock(api).get(comparePath).query(true).reply(status, body);

    await expect(read()).rejects.toMatchObject({ code });
  });
});

describe('readChecksAt', () => {
  const read = (...answers: readonly unknown[]) => {
    answerMints(['ghs_read']);
    answerQueries(...answers);
    return createTestGitHub().github.readChecksAt(repository, headSha, signal());
  };
  const commitWith = (contexts: unknown, suites: unknown = aPage([])) =>
    foundObject(aHeadCommit([], { statusCheckRollup: { contexts }, checkSuites: suites }));

  it('reads every page, and finds the red one at the end (trap 42)', async () => {
    const first = Array.from({ length: 100 }, (_, index) =>
      aCheckRunNode({ databaseId: index + 1, name: `leg ${String(index)}`, conclusion: 'SUCCESS' }),
    );
    const last = aCheckRunNode({ databaseId: 101, name: 'leg 100' });

    const checks = await read(
      commitWith(aPage(first, 'p1', 101)),
      foundObject({ statusCheckRollup: { contexts: aPage([last], null, 101) } }),
    );

    expect(checks).toHaveLength(101);
    expect(checks.filter(({ conclusion }) => conclusion === 'failure').map(({ name }) => name)).toEqual(['leg 100']);
  });

  it.each([
    ['results', commitWith(aPage([aCheckRunNode()], null, 2))],
    ['results of which one came twice', commitWith(aPage([aCheckRunNode(), aCheckRunNode()], null, 2))],
    ['suites', commitWith(aPage([]), aPage([aSuiteNode()], null, 2))],
    ['suites without a number', commitWith(aPage([]), aPage([aSuiteNode({ databaseId: null })], null, 2))],
    ['commit', foundObject(null)],
  ])('is no answer without all %s (trap 42)', async (_what, answer) => {
    await expect(read(answer)).rejects.toMatchObject({ code: 'UNEXPECTED', retry: 'later' });
  });

  it.each([
    ['STALE', 'pending'],
    ['STARTUP_FAILURE', 'failure'],
    ['CANCELLED', 'pending'],
    ['TIMED_OUT', 'failure'],
    ['ACTION_REQUIRED', 'blocked'],
    ['NEUTRAL', 'success'],
    ['SKIPPED', 'success'],
    ['failure', 'failure'],
    ['SOMETHING_NEW', 'pending'],
  ])(
    'gives the verdict on %s its meaning, through the mapper (trap 67, trap 78, trap 137)',
    async (conclusion, status) => {
      const checks = await read(commitWith(aPage([aCheckRunNode({ conclusion })])));

      expect(judge(checks).status).toBe(status);
    },
  );

  it('takes ids that have no room in GraphQL from addresses', async () => {
    const job = 'https://github.com/acme/widget/actions/runs/12345678901/job/45678901234';
    const run = aRunNode({ url: 'https://github.com/acme/widget/actions/runs/12345678901' });
    const checkSuite = { id: 'CS_1', app: { databaseId: 15368, slug: 'github-actions' }, workflowRun: run };
    const node = (id: string, databaseId: number | null, detailsUrl: string | null) =>
      aCheckRunNode({ id, databaseId, detailsUrl, checkSuite });
    const nodes = [
      node('a', null, job),
      node('b', -5, `${job}?pr=7`),
      node('c', 2 ** 31 + 7, job),
      node('d', null, 'https://ci.test/5'),
      node('e', null, null),
    ];

    const checks = await read(commitWith(aPage(nodes)));

    expect(checks.map(({ id }) => id).slice(0, 3)).toEqual([45_678_901_234, 45_678_901_234, 2 ** 31 + 7]);
    const madeUp = checks.slice(3).map(({ id }) => id);
    expect(new Set(madeUp).size).toBe(2);
    for (const id of madeUp) expect(id).toBeGreaterThan(2 ** 48 - 1);
    expect(checks.map(({ workflowRunId }) => workflowRunId)).toEqual(nodes.map(() => 12_345_678_901));
  });

  it('tells suites apart that have no number, and workflows too', async () => {
    const running = (id: string, change: Readonly<Record<string, unknown>>) =>
      aSuiteNode({
        id,
        databaseId: null,
        workflowRun: aRunNode({ workflow: { id, databaseId: null, name: id }, ...change }),
      });

    const checks = await read(
      commitWith(aPage([]), aPage([running('CS_a', {}), running('CS_b', { url: 'https://x.test' })])),
    );

    expect(checks.map(({ name, workflow }) => [name, workflow])).toEqual([
      ['CS_a', 'CS_a'],
      ['CS_b', 'CS_b'],
    ]);
    expect(checks.map(({ workflowRunId }) => workflowRunId)).toEqual([900, undefined]);
    expect(judge(checks).status).toBe('pending');
  });

  it('forgets a run that nobody approved once a newer one of the same workflow has jobs (trap 11)', async () => {
    const old = aSuiteNode({
      databaseId: 90,
      status: 'COMPLETED',
      conclusion: 'ACTION_REQUIRED',
      createdAt: '2026-11-27T10:00:00Z',
      checkRuns: { totalCount: 0 },
      workflowRun: aRunNode({ runNumber: 2 }),
    });
    const newer = aSuiteNode({ status: 'COMPLETED', conclusion: 'SUCCESS' });
    const green = aPage([aCheckRunNode({ conclusion: 'SUCCESS' })]);

    expect(judge(await read(commitWith(aPage([]), aPage([old]))))).toMatchObject({
      status: 'blocked',
      isUnapproved: true,
    });
    expect(judge(await read(commitWith(green, aPage([old, newer])))).status).toBe('success');
  });

  const UNEXPANDED = 'test (${{ matrix.node }})';
  const first = aRunNode({ runNumber: 2, url: 'https://github.com/acme/widget/actions/runs/899' });
  const suiteOf = (id: string, workflowRun: unknown) => ({
    id,
    app: { databaseId: 15368, slug: 'github-actions' },
    workflowRun,
  });

  it('leaves out what a newer run of the workflow superseded, by the run and not by the name (L9)', async () => {
    const cancelled = aCheckRunNode({
      ...{ databaseId: 70, name: UNEXPANDED, conclusion: 'CANCELLED', checkSuite: suiteOf('CS_90', first) },
      startedAt: '2026-11-27T11:50:00Z',
    });
    const green = aCheckRunNode({ databaseId: 71, name: 'test (20)', conclusion: 'SUCCESS' });
    const other = aCheckRunNode({ databaseId: 72, name: UNEXPANDED, conclusion: 'CANCELLED' });

    expect(judge(await read(commitWith(aPage([cancelled, green])))).status).toBe('success');
    expect(judge(await read(commitWith(aPage([cancelled])))).status).toBe('pending');
    expect(judge(await read(commitWith(aPage([other, green])))).status).toBe('pending');
  });

  it('leaves out what an earlier attempt of a green run cancelled (L9)', async () => {
    const cancelled = aCheckRunNode({ databaseId: 70, name: UNEXPANDED, conclusion: 'CANCELLED' });
    const green = aCheckRunNode({ databaseId: 71, name: 'test (20)', conclusion: 'SUCCESS' });
    const suite = (conclusion: string) => aSuiteNode({ status: 'COMPLETED', conclusion });

    expect(judge(await read(commitWith(aPage([cancelled, green]), aPage([suite('SUCCESS')])))).status).toBe('success');
    expect(judge(await read(commitWith(aPage([cancelled, green]), aPage([suite('CANCELLED')])))).status).toBe(
      'pending',
    );
  });

  it.each(['FAILURE', 'TIMED_OUT', 'CANCELLED'])(
    'waits for a run that ended as %s while none of its jobs says so: its results are withdrawn',
    async (conclusion) => {
      const green = aCheckRunNode({ databaseId: 71, name: 'lint', conclusion: 'SUCCESS' });
      const told = aCheckRunNode({ databaseId: 72, conclusion });
      const suite = aPage([aSuiteNode({ status: 'COMPLETED', conclusion })]);

      expect(judge(await read(commitWith(aPage([green]), suite))).status).toBe('pending');
      expect(judge(await read(commitWith(aPage([green, told]), suite))).status).toBe(
        conclusion === 'CANCELLED' ? 'pending' : 'failure',
      );
      expect(
        judge(
          await read(commitWith(aPage([green]), aPage([aSuiteNode({ status: 'COMPLETED', conclusion: 'SUCCESS' })]))),
        ).status,
      ).toBe('success');
    },
  );
});

function judge(checks: Parameters<typeof toCiVerdict>[0]['checks']) {
  return toCiVerdict({
    headSha,
    headPushedAt: 0,
    now: Date.parse('2026-11-27T12:00:00Z'),
    ownAppId: null,
    checks,
    policy: { settleSeconds: 60, required: null, ignore: [] },
    noCiProven: false,
  });
}

describe('against the local GitHub', () => {
  it('runs the failed jobs again, and knows where the branch left its base', async () => {
    nock.enableNetConnect('127.0.0.1');
    const scene = await aScene({ '.github/workflows/ci.yml': CI_WORKFLOW, 'check.js': 'process.exit(1);\n' });
    const { world } = scene;
    const number = await aPullRequest(scene);
    await world.settled();
    const answer = await rest(world, scene.token, `GET /repos/${scene.repo}`);
    const here = {
      installationId: scene.installationId,
      repositoryId: Number(at(answer.body, 'id')),
      owner: 'acme',
      name: 'widget',
    };
    const github = createGitHub({
      appId: world.app.id,
      privateKey: world.app.privateKey,
      baseUrl: `${world.url}/api/v3`,
      userAgent: 'ratchet-test',
      log: recordingLog().log,
      clock: { now: () => Date.now() },
    });
    const before = await github.readPullRequest({ repository: here, number }, signal());
    const [red] = before?.checks ?? [];

    expect(red?.conclusion).toBe('failure');
    if (before === null || red?.workflowRunId === undefined) throw new Error('nothing is red');
    expect(await github.rerunFailedJobs(here, red.workflowRunId, signal())).toEqual({ kind: 'asked' });
    await world.settled();
    const after = await github.readChecksAt(here, before.headSha, signal());

    expect(after.map(({ name }) => name)).toContain('test');
    expect(Math.max(...after.map(({ id }) => id))).toBeGreaterThan(red.id);
    expect(await github.readMergeBase(here, before.baseSha, before.headSha, signal())).toBe(before.baseSha);
    expect(await github.rerunFailedJobs(here, 1, signal())).toMatchObject({ kind: 'refused' });
    expect(world.violations).toEqual([]);
    await world.close();
    nock.disableNetConnect();
  });
});
