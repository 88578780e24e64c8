import { describe, expect, it } from 'vitest';
import { GitHubError, RepositoryError } from '../../src/core/model/errors.ts';
import type { PullRequestFacts } from '../../src/core/model/pull-request.ts';
import { fakeSha } from '../support/builders.ts';
import { MINUTE_MS, type Pipeline, startEnabled, startLaunched } from '../support/pipeline-fixture.ts';

const COMMIT = fakeSha('commit-1');
const DOWN = new GitHubError('UNAVAILABLE', 'GitHub answered 502', { retry: 'now' });
const LIMITED = new GitHubError('RATE_LIMITED', 'GraphQL: RATE_LIMIT', { retry: 'later', retryAfterSeconds: 60 });
const NO_ROUTE = new RepositoryError('FETCH_FAILED', 'git fetch failed: error: 500', { retry: 'later' });
const LAGS = new RepositoryError('REF_LAGS', 'the ref shows an older commit', { retry: 'later' });
const UNGRANTED = new GitHubError('NOT_GRANTED', 'The permissions requested are not granted', { retry: 'never' });
const SUSPENDED = new GitHubError('FORBIDDEN', 'This installation has been suspended', { retry: 'never' });
const MANY = 12;

/** What an outage must not cost. */
function expectNothingCounted(pipeline: Pipeline): void {
  const launches = pipeline.transitions().filter(({ code }) => code === 'CI_FAILED');
  expect(launches).toHaveLength(1);
  expect(pipeline.agent.requests).toHaveLength(1);
  expect(pipeline.git.pushed).toEqual([COMMIT]);
  expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 1, stop: null });
  expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'pushed' } }]);
}

function ownCheck({ github }: Pipeline) {
  return github.checkRuns().at(-1)?.content;
}

describe('a fixup while GitHub is in trouble', () => {
  it.each<[string, (pipeline: Pipeline) => void]>([
    ['git cannot be reached', ({ git }) => git.failNext('ensureMirror', NO_ROUTE)],
    ['refs lag', ({ git }) => git.failNext('ensureMirror', LAGS)],
    ['no token is given', ({ github }) => github.failNext('mintGitToken', DOWN)],
    ['the pull request cannot be read', ({ github }) => github.failNext('readPullRequest', DOWN)],
    ['GraphQL is limited', ({ github }) => github.failNext('readPullRequest', LIMITED)],
    ['permissions cannot be read', ({ github }) => github.failNext('readPermission', LIMITED)],
  ])(
    'because %s is tried again any number of times: one launch, one agent, one push, no person (L21)',
    async (_what, fail) => {
      const pipeline = await startLaunched();
      for (let tries = 0; tries < MANY; tries += 1) {
        fail(pipeline);
        await expect(pipeline.runFixup()).rejects.toThrow();
        pipeline.clock.advance(5 * MINUTE_MS);
        await pipeline.evaluate();
        expect(pipeline.lastCode()).toBe('WORKING_SESSION');
      }

      await pipeline.settle();

      expectNothingCounted(pipeline);
    },
  );

  it('because the ground cannot be read keeps what the agent made, and checks the ground before the push', async () => {
    const pipeline = await startLaunched();
    const reads = (): number => pipeline.journal.filter((step) => step === 'github.readPullRequest').length;
    let before = 0;
    pipeline.sites.during('npm test', () => {
      before = reads();
      pipeline.github.failNext('readPullRequest', LIMITED);
    });

    await pipeline.runFixup();

    expect(reads()).toBeGreaterThan(before + 1);
    expectNothingCounted(pipeline);
  });

  it.each<[string, Partial<PullRequestFacts>, string]>([
    ['the ground', { state: 'closed' }, 'closed'],
    ['another base branch', { baseRef: 'release' }, 'base_changed'],
    ['another policy', { policyText: 'changes:\n  maxFiles: 1\n' }, 'base_changed'],
  ])('pushes nothing that %s forbids when it can be read again', async (_what, change, why) => {
    const pipeline = await startLaunched();
    pipeline.sites.during('npm test', () => {
      pipeline.github.failNext('readPullRequest', LIMITED);
      pipeline.github.change(change);
    });

    await pipeline.runFixup();

    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why } }]);
  });

  it('that could not push is tried for a day, and pushes once', async () => {
    const pipeline = await startLaunched();
    for (let tries = 0; tries < MANY; tries += 1) {
      pipeline.git.endNextPush({ kind: 'unknown', reason: 'Internal Server Error' });
      await expect(pipeline.runFixup()).rejects.toThrow('Internal Server Error');
      pipeline.clock.advance(60 * MINUTE_MS);
    }

    await pipeline.settle();

    expectNothingCounted(pipeline);
  });

  it('says what it waits for, on the check run and to who asks, until GitHub works again', async () => {
    const pipeline = await startLaunched();
    pipeline.git.failNext('ensureMirror', NO_ROUTE);
    await expect(pipeline.runFixup()).rejects.toThrow();

    expect(pipeline.isDue('evaluate')).toBe(true);
    pipeline.comment('/ratchet status');
    await pipeline.evaluate();

    expect(ownCheck(pipeline)).toMatchObject({ status: 'in_progress', title: 'Waiting for GitHub · attempt 1 of 3' });
    expect(ownCheck(pipeline)?.summary).toContain('git fetch failed: error: 500');
    expect(pipeline.replies().join('\n')).toContain('Waiting for GitHub');
    expect(pipeline.replies().join('\n')).toContain('git fetch failed: error: 500');

    let during: string | undefined;
    pipeline.sites.during('agent', async () => {
      await pipeline.evaluate();
      during = ownCheck(pipeline)?.title;
    });
    await pipeline.runFixup();
    expect(during).toBe('Working · attempt 1 of 3');
  });

  it('ends when the pull request moves on meanwhile', async () => {
    const pipeline = await startLaunched();
    pipeline.git.failNext('ensureMirror', NO_ROUTE);
    await expect(pipeline.runFixup()).rejects.toThrow();
    pipeline.pushFromOutside(fakeSha('outside'));
    pipeline.clock.advance(MINUTE_MS);

    await pipeline.runFixup();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why: 'head_moved' } }]);
    expect(pipeline.agent.requests).toEqual([]);
  });
});

describe('a right that is withdrawn', () => {
  it.each<[string, GitHubError, (pipeline: Pipeline, error: GitHubError) => void]>([
    ['before the fetch', UNGRANTED, ({ github }, error) => github.failNext('mintGitToken', error)],
    ['as the installation is suspended', SUSPENDED, ({ github }, error) => github.failNext('readPullRequest', error)],
    [
      'before the push',
      UNGRANTED,
      ({ github, sites }, error) => sites.during('npm test', () => github.failNext('mintGitToken', error)),
    ],
  ])('%s asks a person at once, and says what GitHub says (L22)', async (_what, error, cut) => {
    const pipeline = await startLaunched();
    cut(pipeline, error);

    await pipeline.settle();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why: 'permission' } }]);
    expect(pipeline.workspace().stop?.code).toBe('NEEDS_HUMAN');
    expect(pipeline.workspace().stop?.reason).toContain(error.message);
    expect(ownCheck(pipeline)).toMatchObject({ conclusion: 'action_required' });
    expect(ownCheck(pipeline)?.summary).toContain(error.message);
    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.liveSession()).toBeNull();
  });

  it.each([
    ['arrived', true, 'pushed', COMMIT],
    ['did not arrive', false, 'superseded', 'Nothing was pushed'],
  ] as const)('after a push that %s: what can still be read tells', async (...row) => {
    const [, arrives, kind, text] = row;
    const pipeline = await startLaunched();
    pipeline.git.endNextPush({ kind: 'unknown', reason: 'reset' }, arrives);
    await expect(pipeline.runFixup()).rejects.toThrow();
    pipeline.github.failNext('mintGitToken', UNGRANTED);

    await pipeline.runFixup();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind } }]);
    expect(JSON.stringify(pipeline.endedSessions())).toContain(text);
  });

  it('after a push of which nothing can be read: it is not called unmade', async () => {
    const pipeline = await startLaunched();
    pipeline.git.endNextPush({ kind: 'unknown', reason: 'reset' }, true);
    await expect(pipeline.runFixup()).rejects.toThrow();
    pipeline.github.failNext('mintGitToken', UNGRANTED);
    pipeline.github.failNext('readPullRequest', SUSPENDED);

    await pipeline.runFixup();

    const [ended] = pipeline.endedSessions();
    expect(ended?.outcome).toMatchObject({ kind: 'superseded', why: 'permission' });
    expect(JSON.stringify(ended?.outcome)).toContain('is not known');
  });
});

describe('a look that fails', () => {
  async function startWaiting(): Promise<Pipeline> {
    const pipeline = await startEnabled({ checks: [] });
    expect(ownCheck(pipeline)?.status).toBe('in_progress');
    return pipeline;
  }

  it('is told on the open check run, once, and to who asks for the status', async () => {
    const pipeline = await startWaiting();
    pipeline.comment('/ratchet status');
    const updates = (): number => pipeline.journal.filter((step) => step === 'github.updateCheckRun').length;
    const before = updates();
    for (let tries = 0; tries < 3; tries += 1) {
      pipeline.github.failNext('readPullRequest', DOWN);
      await expect(pipeline.evaluate()).rejects.toThrow('502');
    }

    expect(ownCheck(pipeline)).toMatchObject({ status: 'in_progress', title: 'Waiting for GitHub' });
    expect(ownCheck(pipeline)?.summary).toContain('GitHub answered 502');
    expect(updates()).toBe(before + 1);
    expect(pipeline.replies()).toHaveLength(1);
    expect(pipeline.replies()[0]).toContain('Waiting for GitHub');
    expect(pipeline.liveSession()).toBeNull();

    await pipeline.evaluate();
    expect(ownCheck(pipeline)?.title).not.toContain('Waiting for GitHub');
    expect(pipeline.replies()).toHaveLength(1);
  });

  it('that GitHub refuses asks a person', async () => {
    const pipeline = await startWaiting();
    pipeline.github.failNext('readPullRequest', SUSPENDED);

    await expect(pipeline.evaluate()).rejects.toThrow('suspended');

    expect(ownCheck(pipeline)).toMatchObject({
      conclusion: 'action_required',
      title: 'GitHub refuses access',
    });
  });

  it('leaves other commands for the next look, which answers them', async () => {
    const pipeline = await startWaiting();
    pipeline.comment('/ratchet why');
    pipeline.github.failNext('readPullRequest', DOWN);
    await expect(pipeline.evaluate()).rejects.toThrow('502');
    expect(pipeline.replies()).toEqual([]);

    await pipeline.evaluate();

    expect(pipeline.replies()).toHaveLength(1);
  });

  it('is logged where nothing can be told either, and the first error stands', async () => {
    const pipeline = await startWaiting();
    pipeline.github.failNext('readPullRequest', DOWN);
    pipeline.github.failNext('updateCheckRun', LIMITED);

    await expect(pipeline.evaluate()).rejects.toThrow('502');

    expect(pipeline.log).toContainEqual(expect.objectContaining({ message: 'a failed look could not be reported' }));
  });

  it('says nothing on a check run that is completed: what it says was true', async () => {
    const pipeline = await startEnabled({ policyText: 'mode: observe' });
    const before = ownCheck(pipeline);
    expect(before?.status).toBe('completed');
    pipeline.github.failNext('readPullRequest', DOWN);

    await expect(pipeline.evaluate()).rejects.toThrow('502');

    expect(ownCheck(pipeline)).toEqual(before);
  });

  it('for an error of ours says nothing of GitHub', async () => {
    const pipeline = await startWaiting();
    const before = ownCheck(pipeline);
    pipeline.github.failNext('readPullRequest', new Error('a bug'));

    await expect(pipeline.evaluate()).rejects.toThrow('a bug');

    expect(ownCheck(pipeline)).toEqual(before);
  });
});
