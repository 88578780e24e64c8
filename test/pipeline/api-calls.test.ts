import { describe, expect, it } from 'vitest';
import { rememberReads } from '../../src/adapters/github/remember-reads.ts';
import { GitHubError } from '../../src/core/model/errors.ts';
import type { PullRequestFacts } from '../../src/core/model/pull-request.ts';
import { EVALUATE_QUEUE } from '../../src/core/model/queues.ts';
import { evaluatePullRequest } from '../../src/pipeline/evaluate/evaluate-pull-request.ts';
import type { GitHub } from '../../src/ports/github.ts';
import type { PushEffect } from '../../src/ports/store.ts';
import { aCheck, aComment, aThread, fakeSha } from '../support/builders.ts';
import type { FakeGitHub, GitHubCall } from '../support/fake-github.ts';
import { MINUTE_MS, type Pipeline, REVIEWER, startPipeline, WRITER } from '../support/pipeline-fixture.ts';

const READS: ReadonlySet<string> = new Set<GitHubCall>([
  'readPullRequest',
  'readTogether',
  'readPermission',
  'readAllAnnotations',
  'readAnnotations',
  'readJobLog',
  'readMergeBase',
  'readChecksAt',
  'touchesPolicyFile',
]);

interface Counted extends Pipeline {
  /** Reads that reached GitHub since the last time it was asked, in order. */
  readonly reads: () => readonly string[];
  /** Of each check run that was to be created, whether nobody can have tried before. */
  readonly firsts: readonly boolean[];
}

/** A pipeline whose GitHub remembers as the real one does; what reaches the fake has cost a call. */
function startCounted(change: Partial<PullRequestFacts> = {}): Counted {
  const firsts: boolean[] = [];
  const pipeline = startPipeline(change, (github, clock) => ({
    ...github,
    ...rememberReads({ ...github, readPullRequests: (...asked) => readAll(github, ...asked) }, clock),
    createCheckRun: (repository, content, signal, isFirst = false) => {
      firsts.push(isFirst);
      return github.createCheckRun(repository, content, signal);
    },
  }));
  let from = 0;
  return {
    ...pipeline,
    firsts,
    reads: () => {
      const calls = pipeline.github.calls.slice(from).filter((call) => READS.has(call));
      from = pipeline.github.calls.length;
      return calls;
    },
  };
}

async function readAll(
  github: FakeGitHub,
  repository: Parameters<GitHub['readPermission']>[0],
  numbers: readonly number[],
  signal: AbortSignal,
): Promise<readonly (PullRequestFacts | null)[]> {
  return Promise.all(numbers.map((number) => github.readTogether({ repository, number }, [], signal)));
}

async function startEnabled(change: Partial<PullRequestFacts> = {}): Promise<Counted> {
  const pipeline = startCounted(change);
  pipeline.comment('/ratchet enable');
  await pipeline.evaluate();
  return pipeline;
}

const GREEN = { checks: [aCheck({ conclusion: 'success' })] };
const LONG_AGO = Date.parse('2025-12-31T00:00:00Z');
const COMMENT = aComment({ author: REVIEWER, createdAt: LONG_AGO, updatedAt: LONG_AGO });
const REVIEWED = { ...GREEN, threads: [aThread({ comments: [COMMENT] })] };

describe('the calls of', () => {
  it('a command that enables, and of the launch that follows', async () => {
    const pipeline = await startEnabled();

    expect(pipeline.liveSession()).not.toBeNull();
    expect(pipeline.reads()).toEqual([
      'readPermission',
      'readPullRequest',
      'readAllAnnotations',
      'readJobLog',
      'readMergeBase',
      'readChecksAt',
    ]);
  });

  it('a fixup are one live look at the ground before its push: the rest is known from the look that launched it', async () => {
    const pipeline = await startEnabled();
    pipeline.reads();
    await pipeline.runFixup();

    expect(pipeline.git.pushed).toHaveLength(1);
    expect(pipeline.reads()).toEqual(['readPullRequest', 'readPermission']);
  });

  it('a fixup that had to wait for its turn are a look at the ground before anything is spent, too', async () => {
    const pipeline = await startEnabled();
    pipeline.reads();
    pipeline.clock.advance(15_000);
    await pipeline.runFixup();

    expect(pipeline.reads()).toEqual(['readPullRequest', 'readPullRequest', 'readPermission']);
  });

  it('a look at red CI that was diagnosed, or at running or green CI, are one read', async () => {
    const pipeline = await startEnabled();
    pipeline.reads();
    await pipeline.evaluate();
    pipeline.reportCi(null);
    await pipeline.evaluate();
    pipeline.reportCi('success');
    await pipeline.evaluate();

    expect(pipeline.reads()).toEqual(['readPullRequest', 'readPullRequest', 'readPullRequest']);
  });

  it('looks at a review ask for the permission of its author once in five minutes', async () => {
    const pipeline = await startEnabled({ ...REVIEWED, policyText: 'mode: observe\n' });
    pipeline.reads();
    await pipeline.evaluate();
    const before = pipeline.reads();
    pipeline.clock.advance(5 * MINUTE_MS);
    await pipeline.evaluate();

    expect([before, pipeline.reads()]).toEqual([['readPullRequest'], ['readPullRequest', 'readPermission']]);
  });
});

describe('while a push of ours is on its way', () => {
  async function startPushing(): Promise<Counted> {
    const pipeline = await startEnabled();
    const sessionId = pipeline.liveSession()?.id;
    if (sessionId === undefined) throw new Error('no fixup was launched');
    const outcome: PushEffect['outcome'] = {
      kind: 'pushed',
      commitSha: fakeSha('d'),
      diff: { files: 1, insertions: 1, deletions: 0 },
      files: ['src/a.ts'],
      summary: '',
      validation: [],
      madeBy: 'agent',
      resolved: [],
      patchId: null,
      answers: [],
    };
    const effect = { kind: 'push', commitSha: fakeSha('d'), branch: 'feature', oldSha: fakeSha('a'), outcome } as const;
    const createdAt = pipeline.clock.now();
    pipeline.store.openIntent({ uniqueKey: 'push', key: pipeline.key, sessionId, effect, createdAt });
    pipeline.reads();
    return pipeline;
  }

  it('nothing is read, since its end wakes the pull request', async () => {
    const pipeline = await startPushing();
    const { nextCheckAt } = await pipeline.evaluate();

    expect(pipeline.reads()).toEqual([]);
    expect(nextCheckAt).toBe(pipeline.clock.now() + 30_000);
  });

  it('a command is answered', async () => {
    const pipeline = await startPushing();
    pipeline.comment('/ratchet status');
    await pipeline.evaluate();

    expect(pipeline.reads()).toContain('readPullRequest');
    expect(pipeline.replies()).toHaveLength(1);
  });

  it('that does not end, it is looked at again after 30 seconds', async () => {
    const pipeline = await startPushing();
    pipeline.clock.advance(30_000);
    await pipeline.evaluate();

    expect(pipeline.reads()).toEqual(['readPullRequest']);
  });
});

describe('a check run', () => {
  it('is created without a search where the look saw none and nobody tried', async () => {
    const pipeline = await startEnabled();

    expect(pipeline.firsts).toEqual([true]);
  });

  it('is searched for where the process ended between creating and storing it', async () => {
    const pipeline = startCounted();
    pipeline.comment('/ratchet enable');
    pipeline.github.failNext('createCheckRun', new GitHubError('UNAVAILABLE', 'broke off', { retry: 'later' }));
    await expect(pipeline.evaluate()).rejects.toThrow('broke off');
    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(pipeline.firsts).toEqual([true, false]);
    expect(pipeline.github.checkRuns()).toHaveLength(1);
  });

  it('is searched for where the look saw one of ours that is not remembered', async () => {
    const { appId } = startCounted().github;
    const own = aCheck({ id: 900, appId, appSlug: 'ratchet-app', name: 'Ratchet', status: 'completed' });
    const pipeline = await startEnabled({ checks: [aCheck({ id: 1 }), own] });

    expect(pipeline.firsts).toEqual([false]);
  });
});

describe('a permission that was remembered', () => {
  it('lets no push through once it is withdrawn', async () => {
    const pipeline = await startEnabled();
    pipeline.github.permit(WRITER.login, WRITER.id, 'read');
    await pipeline.runFixup();

    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.endedSessions()[0]?.outcome).toMatchObject({ kind: 'superseded', why: 'permission' });
  });

  it('lets no command through once it is withdrawn', async () => {
    const pipeline = await startEnabled(GREEN);
    pipeline.github.permit(WRITER.login, WRITER.id, 'read');
    pipeline.comment('/ratchet disable');
    await pipeline.evaluate();

    expect(pipeline.workspace().enablement).toBe('enabled');
    expect(pipeline.replies().join()).toContain('write');
  });

  it('was never one of an account that took over the name', async () => {
    const pipeline = await startEnabled();
    pipeline.github.permit(WRITER.login, 9999, 'admin');
    await pipeline.runFixup();

    expect(pipeline.git.pushed).toEqual([]);
  });

  it('lets an agent work on a review that its author may not ask for any more at most until its own fresh look', async () => {
    const pipeline = await startEnabled(REVIEWED);
    pipeline.clock.advance(2 * MINUTE_MS);
    await pipeline.evaluate();
    expect(pipeline.liveSession()?.fixup?.action).toBe('FIX_REVIEW');
    pipeline.clock.advance(15_000);
    pipeline.github.permit(REVIEWER.login, REVIEWER.id, 'read');
    await pipeline.runFixup();

    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.endedSessions()[0]?.outcome).toMatchObject({ kind: 'superseded', why: 'cause_gone' });
    await pipeline.evaluate();
    expect(pipeline.liveSession()).toBeNull();
  });
});

describe('a permission that is new', () => {
  it('makes a command work at once', async () => {
    const pipeline = startCounted();
    pipeline.github.permit(WRITER.login, WRITER.id, 'read');
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();
    const refused = pipeline.workspace().enablement;
    pipeline.github.permit(WRITER.login, WRITER.id, 'write');
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();

    expect([refused, pipeline.workspace().enablement]).toEqual(['never', 'enabled']);
  });

  it('makes a review count at the next look', async () => {
    const pipeline = startCounted(REVIEWED);
    pipeline.github.permit(REVIEWER.login, REVIEWER.id, 'read');
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();
    pipeline.clock.advance(2 * MINUTE_MS);
    await pipeline.evaluate();
    const before = pipeline.liveSession();
    pipeline.github.permit(REVIEWER.login, REVIEWER.id, 'write');
    await pipeline.evaluate();

    expect(before).toBeNull();
    expect(pipeline.liveSession()?.fixup?.action).toBe('FIX_REVIEW');
  });
});

describe('a look by time alone', () => {
  async function lookAt(pipeline: Counted, isTimed: boolean): Promise<void> {
    const signal = new AbortController().signal;
    await evaluatePullRequest(pipeline.deps, pipeline.key, { leaseId: 'lease', signal, isTimed });
  }

  it('shares its query with the others of its repository that are due', async () => {
    const pipeline = await startEnabled(GREEN);
    const { store, key, clock } = pipeline;
    const { repository } = pipeline.workspace();
    const beside = [31, 32].map((number) => store.ensureWorkspace({ repository, number }));
    const elsewhere = store.ensureWorkspace({ repository: { ...repository, repositoryId: 77 }, number: 5 });
    for (const workspace of [...beside, elsewhere]) {
      store.updateWorkspace(workspace.key, { enablement: 'enabled' });
      store.markWakeup(EVALUATE_QUEUE, workspace.key, clock.now());
    }
    const unwatched = store.ensureWorkspace({ repository, number: 33 });
    store.markWakeup(EVALUATE_QUEUE, unwatched.key, clock.now());
    store.markWakeup(EVALUATE_QUEUE, key, clock.now());
    pipeline.reads();
    await lookAt(pipeline, true);

    // The fake counts each pull request of the one query: this one, and two others.
    expect(pipeline.reads()).toEqual(['readTogether', 'readTogether', 'readTogether']);
    pipeline.github.change({ title: 'changed' });
    for (const { key: other } of beside) {
      const signal = new AbortController().signal;
      await evaluatePullRequest(pipeline.deps, other, { leaseId: 'lease', signal, isTimed: true });
    }
    expect(pipeline.reads()).toEqual([]);
  });

  it('that something woke is live, whatever was read together', async () => {
    const pipeline = await startEnabled(GREEN);
    pipeline.reads();
    await lookAt(pipeline, false);

    expect(pipeline.reads()).toEqual(['readPullRequest']);
  });
});
