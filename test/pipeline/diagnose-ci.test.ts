import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../src/core/model/errors.ts';
import type { CheckResult, PullRequestFacts } from '../../src/core/model/pull-request.ts';
import { aCheck, aPullRequest, fakeSha, NOW } from '../support/builders.ts';
import { MINUTE_MS, type Pipeline, startEnabled } from '../support/pipeline-fixture.ts';

const LOST = 'The hosted runner lost communication with the server.';
const WRONG = 'AssertionError: 1 != 2';
const BASE = aPullRequest().baseSha;
const UNAVAILABLE = new GitHubError('UNAVAILABLE', 'no', { retry: 'now' });
const FORBIDDEN = 'the App has no right "actions: write"';

function aRed(change: Partial<CheckResult> = {}): CheckResult {
  return aCheck({ conclusion: 'failure', workflowRunId: 900, ...change });
}

/** Enabled, with CI that runs; then it ends as `change` says, with that log. */
async function startRed(log: string | null, change: Partial<PullRequestFacts> = {}): Promise<Pipeline> {
  const pipeline = await startEnabled({ checks: [aCheck({ status: 'in_progress', conclusion: null })] });
  pipeline.github.setJobLog(log);
  pipeline.github.change({ checks: [aRed()], ...change });
  return pipeline;
}

const countOf = (pipeline: Pipeline, call: string) => pipeline.github.calls.filter((name) => name === call).length;
const lastDecision = (pipeline: Pipeline) => pipeline.transitions().find(({ snapshot }) => snapshot !== null);
const effects = (pipeline: Pipeline) =>
  pipeline
    .transitions()
    .filter(({ action }) => action === 'EFFECT')
    .map(({ code }) => code);

describe('red CI that looks flaky', () => {
  it('is run again once before an agent is launched (S7)', async () => {
    const pipeline = await startRed(LOST);

    await pipeline.evaluate();

    expect(lastDecision(pipeline)).toMatchObject({ action: 'FIX_CI', code: 'CI_FLAKY' });
    expect(pipeline.github.asked).toEqual(['rerunFailedJobs 900']);
    expect(pipeline.liveSession()).toBeNull();
    expect(pipeline.workspace().consecutiveAttempts).toBe(0);
    expect(pipeline.asked().rerun).toMatchObject({
      ...{ headSha: fakeSha('head'), names: ['build'], at: pipeline.clock.now() },
    });
    expect(effects(pipeline)).toEqual(['RERUN_ASKED']);
  });

  it('is waited for while nothing has changed, and not asked for again', async () => {
    const pipeline = await startRed(LOST);
    await pipeline.evaluate();

    await pipeline.evaluate();

    expect(lastDecision(pipeline)).toMatchObject({ action: 'WAIT', code: 'RERUN_AWAITED' });
    expect(pipeline.github.asked).toHaveLength(1);
  });

  it('is a flake when it is green after that, and is remembered', async () => {
    const pipeline = await startRed(LOST);
    await pipeline.evaluate();
    pipeline.github.change({ checks: [aCheck({ id: 2, startedAt: NOW, workflowRunId: 900 })] });
    pipeline.clock.advance(2 * MINUTE_MS);

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('ALL_GREEN');
    expect(pipeline.workspace().flakes).toMatchObject([{ name: 'build', headSha: fakeSha('head') }]);
    expect(pipeline.endedSessions()).toEqual([]);
  });

  it('goes to an agent when it is red again: no job is run again twice at one head (S7)', async () => {
    const pipeline = await startRed(LOST);
    await pipeline.evaluate();
    pipeline.github.change({ checks: [aRed({ id: 2, startedAt: NOW })] });

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('CI_FAILED');
    expect(pipeline.github.asked).toHaveLength(1);
    expect(pipeline.liveSession()).not.toBeNull();
  });

  it('goes to an agent when the re-run never comes', async () => {
    const pipeline = await startRed(LOST);
    await pipeline.evaluate();
    pipeline.clock.advance(5 * MINUTE_MS);

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('CI_FAILED');
    expect(pipeline.github.asked).toHaveLength(1);
  });

  it('asks for each workflow run once, and for every job beside those of before', async () => {
    const checks = [aRed(), aRed({ id: 2, name: 'e2e' }), aRed({ id: 3, name: 'docs', workflowRunId: 901 })];
    const pipeline = await startRed(LOST, { checks });
    await pipeline.evaluate();
    const green = checks.map((check) => ({ ...check, id: check.id + 10, conclusion: 'success' }) as const);
    pipeline.github.change({ checks: [...green, aRed({ id: 9, name: 'late', workflowRunId: 902, startedAt: NOW })] });

    await pipeline.evaluate();

    expect(pipeline.github.asked).toEqual(['rerunFailedJobs 900', 'rerunFailedJobs 901', 'rerunFailedJobs 902']);
    expect(pipeline.asked().rerun?.names).toEqual(['build', 'docs', 'e2e', 'late']);
  });

  it.each([
    ['one job cannot be read', { checks: [aRed(), aRed({ id: 2, name: 'x', appSlug: null })] }],
    ['no workflow run is known', { checks: [aCheck({ conclusion: 'failure' })] }],
    ['the policy says no', { policyText: 'ci:\n  rerunFlaky: false\n' }],
  ])('goes to an agent at once where %s', async (_what, change) => {
    const pipeline = await startRed(LOST, change);

    await pipeline.evaluate();

    expect(pipeline.github.asked).toEqual([]);
    expect(pipeline.liveSession()).not.toBeNull();
  });

  it('is seen by its annotations too, but only by those of failures', async () => {
    const annotation = { path: '.github', startLine: 1, endLine: 1, level: 'failure', message: LOST } as const;
    const lost = await startRed(null);
    lost.github.setAnnotations([annotation]);
    const warned = await startRed('Formatting differs');
    warned.github.setAnnotations([{ ...annotation, level: 'warning' }]);

    await lost.evaluate();
    await warned.evaluate();

    expect(lastDecision(lost)?.code).toBe('CI_FLAKY');
    expect(lastDecision(warned)?.code).toBe('CI_FAILED');
  });

  it('is not flaky where a test failed far before its end', async () => {
    const failed = 'FAILED tests/test_sum.py::test_adds - assert 3 == 4';
    const cleanUp = Array.from({ length: 10_000 }, (_, index) => `removed the temporary file ${index}`).join('\n');
    const pipeline = await startRed(`${failed}\n${cleanUp}\n${LOST}`);

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('CI_FAILED');
    expect(pipeline.workspace().diagnosis).toMatchObject({
      jobs: [{ name: 'build', class: 'code', rule: 'failing-test' }],
      failures: [{ job: 'build', testId: 'test_adds' }],
    });
    expect(countOf(pipeline, 'readJobLog')).toBe(1);
  });
});

describe('a re-run that GitHub refuses', () => {
  it('leads to the agent with the very next look, which comes at once', async () => {
    const pipeline = await startRed(LOST);
    pipeline.github.refuse('rerunFailedJobs', FORBIDDEN);

    await pipeline.evaluate();

    expect(effects(pipeline)).toEqual(['RERUN_REFUSED']);
    expect(pipeline.transitions()[0]?.reason).toBe(`GitHub refused to run again "build": ${FORBIDDEN}`);
    expect(pipeline.isDue('evaluate')).toBe(true);
    expect(pipeline.liveSession()).toBeNull();

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('CI_FAILED');
    expect(countOf(pipeline, 'rerunFailedJobs')).toBe(1);
  });

  it('is written down before it is asked for: a crash costs the re-run, never a second one (S7)', async () => {
    const pipeline = await startRed(LOST);
    pipeline.github.failNext('rerunFailedJobs', new Error('the process dies'));

    await expect(pipeline.evaluate()).rejects.toThrow('the process dies');
    const open = pipeline.store.recentAsks(pipeline.key).map(({ outcome }) => outcome);
    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('RERUN_AWAITED');
    expect(countOf(pipeline, 'rerunFailedJobs')).toBe(1);
    expect(open).toEqual([null]);
    expect(pipeline.store.recentAsks(pipeline.key).map(({ outcome }) => outcome)).toEqual(['unknown']);
  });

  it('may be asked for again where a person says so (S10)', async () => {
    const pipeline = await startRed(LOST);
    await pipeline.evaluate();
    pipeline.comment('/ratchet retry');

    await pipeline.evaluate();

    expect(pipeline.github.asked).toEqual(['rerunFailedJobs 900', 'rerunFailedJobs 900']);
  });

  it('is taken for asked where GitHub gave no answer', async () => {
    const pipeline = await startRed(LOST);
    pipeline.github.failNext('rerunFailedJobs', UNAVAILABLE);

    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(effects(pipeline)).toEqual(['RERUN_ASKED']);
    expect(lastDecision(pipeline)?.code).toBe('RERUN_AWAITED');
  });

  it('is asked for again after a rate limit, for nothing was asked', async () => {
    const pipeline = await startRed(LOST);
    const limit = new GitHubError('RATE_LIMITED', 'wait', { retry: 'later', retryAfterSeconds: 60 });
    pipeline.github.failNext('rerunFailedJobs', limit);

    await expect(pipeline.evaluate()).rejects.toThrow('wait');

    expect(pipeline.asked().rerun).toBeNull();
    await pipeline.evaluate();
    expect(pipeline.github.asked).toHaveLength(1);
  });
});

describe('red CI that is red on the base too', () => {
  const atBase = [aRed({ id: 70, headSha: BASE, event: 'push' })];

  it('is reported, and no agent is spent (S7)', async () => {
    const pipeline = await startRed(WRONG);
    pipeline.github.setChecksAt(BASE, atBase);

    await pipeline.evaluate();

    expect(lastDecision(pipeline)).toMatchObject({ action: 'DONE', code: 'RED_ON_BASE' });
    expect(pipeline.liveSession()).toBeNull();
    expect(pipeline.workspace().diagnosis?.redOnBase).toEqual(['build']);
  });

  it('is worked on where the policy says so', async () => {
    const pipeline = await startRed(WRONG, { policyText: 'ci:\n  fixRedOnBase: true\n' });
    pipeline.github.setChecksAt(BASE, atBase);

    await pipeline.evaluate();

    expect(pipeline.liveSession()).not.toBeNull();
  });

  it('leaves the agent what is red here alone', async () => {
    const pipeline = await startRed(WRONG, { checks: [aRed(), aRed({ id: 2, name: 'lint' })] });
    pipeline.github.setChecksAt(BASE, atBase);

    await pipeline.evaluate();
    await pipeline.runFixup();

    const [request] = pipeline.agent.requests;
    expect(request?.instructions.task_prompt).toContain('check 1: "lint" (failure)\nred on the base too: "build"\n');
    expect(request?.instructions.task_prompt).not.toContain('check 2:');
  });
});

describe('a base that does not stay as it is (L11)', () => {
  const atBase = (change: Partial<CheckResult> = {}) => aRed({ id: 70, headSha: BASE, event: 'push', ...change });

  async function startRedOnBase(): Promise<Pipeline> {
    const pipeline = await startRed(WRONG);
    pipeline.github.setMergeBase(BASE);
    pipeline.github.setChecksAt(BASE, [atBase()]);
    await pipeline.evaluate();
    expect(lastDecision(pipeline)?.code).toBe('RED_ON_BASE');
    return pipeline;
  }

  it('and is red still, stops nothing new', async () => {
    const pipeline = await startRedOnBase();

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('RED_ON_BASE');
    expect(countOf(pipeline, 'readJobLog')).toBe(1);
    expect(countOf(pipeline, 'readChecksAt')).toBe(2);
  });

  it('lets an agent work once a re-run of the base is green', async () => {
    const pipeline = await startRedOnBase();
    pipeline.github.setChecksAt(BASE, [atBase({ id: 71, conclusion: 'success', startedAt: NOW })]);

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('CI_FAILED');
    expect(pipeline.liveSession()).not.toBeNull();
    expect(countOf(pipeline, 'readJobLog')).toBe(1);
  });

  it('lets an agent work once the pull request goes to a green base', async () => {
    const pipeline = await startRedOnBase();
    pipeline.github.setMergeBase(fakeSha('other'));
    pipeline.github.change({ baseRef: 'next', baseSha: fakeSha('other') });

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('CI_FAILED');
    expect(pipeline.liveSession()).not.toBeNull();
  });

  it('is compared with again where the pull request goes to a red base', async () => {
    const pipeline = await startRed(WRONG);
    pipeline.clock.advance(MINUTE_MS);
    pipeline.comment('/ratchet pause');
    await pipeline.evaluate();
    pipeline.github.setChecksAt(fakeSha('other'), [atBase({ headSha: fakeSha('other') })]);
    pipeline.github.setMergeBase(fakeSha('other'));
    pipeline.github.change({ baseRef: 'next', baseSha: fakeSha('other') });
    pipeline.comment('/ratchet resume');

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('RED_ON_BASE');
  });

  it('has GitHub update the branch, once, where the base has moved on to green', async () => {
    const pipeline = await startRedOnBase();
    const tip = fakeSha('repaired');
    pipeline.github.setChecksAt(tip, [atBase({ id: 80, headSha: tip, conclusion: 'success' })]);
    pipeline.github.change({ baseSha: tip });

    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('UPDATE_AWAITED');
    expect(countOf(pipeline, 'updateBranch')).toBe(1);
    expect(effects(pipeline)).toEqual(['UPDATE_ASKED']);
    expect(pipeline.liveSession()).toBeNull();
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, diagnosis: { repairedOnBase: ['build'] } });

    pipeline.clock.advance(5 * MINUTE_MS);
    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('CI_FAILED');
  });

  it('leaves it to the agent where the policy updates no branch', async () => {
    const pipeline = await startRed(WRONG, { policyText: 'merge:\n  updateBranch: false\n' });
    const tip = fakeSha('repaired');
    pipeline.github.setMergeBase(BASE);
    pipeline.github.setChecksAt(BASE, [atBase()]);
    pipeline.github.setChecksAt(tip, [atBase({ id: 80, headSha: tip, conclusion: 'success' })]);
    pipeline.github.change({ baseSha: tip });

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('CI_FAILED');
    expect(countOf(pipeline, 'updateBranch')).toBe(0);
  });

  it('stays a stop while the moved base is red or runs', async () => {
    const pipeline = await startRedOnBase();
    const tip = fakeSha('moved');
    pipeline.github.setChecksAt(tip, [atBase({ id: 80, headSha: tip, status: 'in_progress', conclusion: null })]);
    pipeline.github.change({ baseSha: tip });
    await pipeline.evaluate();
    const whileItRuns = lastDecision(pipeline)?.code;
    pipeline.github.setChecksAt(tip, [atBase({ id: 80, headSha: tip })]);

    await pipeline.evaluate();

    expect([whileItRuns, lastDecision(pipeline)?.code]).toEqual(['RED_ON_BASE', 'RED_ON_BASE']);
    expect(pipeline.liveSession()).toBeNull();
  });

  it('is looked at again where a person says retry', async () => {
    const pipeline = await startRedOnBase();
    pipeline.comment('/ratchet retry');

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('RED_ON_BASE');
    expect(countOf(pipeline, 'readJobLog')).toBe(2);
    expect(pipeline.workspace().diagnosis?.freshStart).toBe(pipeline.workspace().freshStarts);
  });
});

describe('red CI that no code can mend (L12, S21)', () => {
  const LOCKED = 'The job was not started because your account is locked due to a billing issue.';
  const annotation = { path: '.github', startLine: 1, endLine: 1, level: 'failure', message: LOCKED } as const;

  it('is a stop with the line that says so, and spends nothing', async () => {
    const pipeline = await startRed(null);
    pipeline.github.setAnnotations([annotation]);

    await pipeline.evaluate();

    expect(lastDecision(pipeline)).toMatchObject({
      action: 'DONE',
      code: 'CI_NEEDS_PERSON',
      reason: `CI failed for a reason outside the code. "build" says: ${LOCKED}`,
    });
    expect(pipeline.liveSession()).toBeNull();
    expect(pipeline.github.asked).toEqual([]);
    expect(pipeline.workspace().consecutiveAttempts).toBe(0);
  });

  it('is told without secrets', async () => {
    const pipeline = await startRed(`##[error]Input required and not supplied: ghp_${'a1B2'.repeat(9)}`);

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.reason).toContain('"build" says: Input required and not supplied: [redacted]');
  });

  it('goes on as soon as it is red in another way', async () => {
    const pipeline = await startRed(`##[error]${LOCKED}`);
    await pipeline.evaluate();
    pipeline.github.setJobLog(WRONG);
    pipeline.github.change({ checks: [aRed({ id: 2, startedAt: NOW })] });

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('CI_FAILED');
  });

  it('is left out of the task of an agent that works on the rest', async () => {
    const pipeline = await startRed(null, { checks: [aRed(), aRed({ id: 2, name: 'deploy' })] });
    pipeline.github.setJobLogOf(2, `##[error]${LOCKED}`);
    pipeline.github.setJobLogOf(1, WRONG);

    await pipeline.evaluate();
    await pipeline.runFixup();

    const [request] = pipeline.agent.requests;
    expect(request?.instructions.task_prompt).toContain('check 1: "build" (failure)');
    expect(request?.instructions.task_prompt).not.toContain('"deploy"');
  });

  it('is run again first where the machine of a runner was lost', async () => {
    const lost = 'The self-hosted runner: build-7 lost communication with the server. Verify the machine is running.';
    const pipeline = await startRed(`##[error]${lost}`);
    await pipeline.evaluate();
    const first = lastDecision(pipeline)?.code;
    pipeline.github.change({ checks: [aRed({ id: 2, startedAt: NOW })] });

    await pipeline.evaluate();

    expect([first, lastDecision(pipeline)?.code]).toEqual(['CI_FLAKY', 'CI_NEEDS_PERSON']);
    expect(pipeline.liveSession()).toBeNull();
  });
});

describe('the closer look', () => {
  it('is taken once for each CI result', async () => {
    const pipeline = await startRed(LOST);
    await pipeline.evaluate();
    pipeline.clock.advance(5 * MINUTE_MS);
    await pipeline.evaluate();

    expect(
      ['readAllAnnotations', 'readJobLog', 'readMergeBase', 'readChecksAt'].map((call) => countOf(pipeline, call)),
    ).toEqual([1, 1, 1, 1]);
  });

  it('reads at most five red jobs, and none that has no log', async () => {
    const many = Array.from({ length: 8 }, (_, index) => aRed({ id: index + 1, name: `job ${String(index)}` }));
    const pipeline = await startRed(WRONG, { checks: [...many, aRed({ id: 50, name: 'a', appSlug: null })] });

    await pipeline.evaluate();

    expect([countOf(pipeline, 'readAllAnnotations'), countOf(pipeline, 'readJobLog')]).toEqual([1, 4]);
  });

  it('is not taken where no agent would be launched', async () => {
    const pipeline = await startRed(LOST, { autoMerge: true });

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('AUTO_MERGE_ON');
    expect(countOf(pipeline, 'readJobLog')).toBe(0);
  });

  it('is taken in the mode observe too: what is told to be done is what would be done (S7)', async () => {
    const pipeline = await startRed(LOST, { policyText: 'mode: observe\n' });
    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(lastDecision(pipeline)).toMatchObject({ code: 'OBSERVE_ONLY' });
    expect(lastDecision(pipeline)?.reason).toContain('Ratchet would re-run the failed checks');
    expect(pipeline.github.asked).toEqual([]);
    expect(countOf(pipeline, 'readJobLog')).toBe(1);
  });

  it.each([
    ['readAllAnnotations', WRONG, []],
    ['readJobLog', LOST, []],
    ['readMergeBase', WRONG, [aRed({ headSha: BASE, event: 'push' })]],
    ['readChecksAt', WRONG, [aRed({ headSha: BASE, event: 'push' })]],
  ] as const)('goes on where %s fails, and takes nothing good from it', async (call, log, atBase) => {
    const pipeline = await startRed(log);
    pipeline.github.setChecksAt(BASE, atBase);
    pipeline.github.failNext(call, UNAVAILABLE);

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('CI_FAILED');
    expect(pipeline.workspace().diagnosis).toMatchObject({ flaky: [], redOnBase: [] });
  });

  it('ends with a rate limit, and knows nothing then', async () => {
    const pipeline = await startRed(LOST);
    pipeline.github.failNext('readJobLog', new GitHubError('RATE_LIMITED', 'wait', { retry: 'later' }));

    await expect(pipeline.evaluate()).rejects.toThrow('wait');

    expect(pipeline.workspace().diagnosis).toBeNull();
    expect(pipeline.liveSession()).toBeNull();
  });

  it('does not swallow an error of ours', async () => {
    const pipeline = await startRed(LOST);
    pipeline.github.failNext('readAllAnnotations', new Error('a bug'));

    await expect(pipeline.evaluate()).rejects.toThrow('a bug');
  });
});

describe('the failure of before', () => {
  async function startAgain(log: string, policyText: string | null = null): Promise<Pipeline> {
    const pipeline = await startRed(WRONG, { policyText });
    await pipeline.evaluate();
    await pipeline.runFixup();
    pipeline.github.setJobLog(log);
    pipeline.github.change({ checks: [aRed({ id: 5, headSha: pipeline.github.facts().headSha })] });
    await pipeline.evaluate();
    return pipeline;
  }

  it('is told to the next attempt (002.R31)', async () => {
    const pipeline = await startAgain(WRONG);
    await pipeline.runFixup();

    expect(lastDecision(pipeline)?.snapshot?.ci.failure).toMatchObject({ sameAsBefore: true });
    const [first, second] = pipeline.agent.requests.map(({ instructions }) => instructions.task_prompt);
    expect(first).not.toContain('exactly the same way');
    expect(second).toContain('exactly the same way');
  });

  it('is a stop where the policy says so', async () => {
    const pipeline = await startAgain(WRONG, 'ci:\n  stopOnSameFailure: true\n');

    expect(lastDecision(pipeline)).toMatchObject({ action: 'DONE', code: 'SAME_FAILURE' });
    expect(pipeline.liveSession()).toBeNull();
  });

  it('is not what fails in another way', async () => {
    const pipeline = await startAgain('AssertionError: 1 != 3', 'ci:\n  stopOnSameFailure: true\n');

    expect(lastDecision(pipeline)?.snapshot?.ci.failure).toMatchObject({ sameAsBefore: false });
    expect(pipeline.liveSession()).not.toBeNull();
  });
});

describe('the evidence for an agent', () => {
  it('says that not everything ran (trap 14)', async () => {
    const pipeline = await startRed(`${WRONG}\n!!!! stopping after 1 failures !!!!`);
    await pipeline.evaluate();
    await pipeline.runFixup();

    expect(pipeline.agent.requests[0]?.instructions.task_prompt).toContain('Not everything ran in check 1');
  });
});
