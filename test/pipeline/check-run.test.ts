import { describe, expect, it } from 'vitest';
import type { DecisionCode } from '../../src/core/model/decision.ts';
import { GitHubError } from '../../src/core/model/errors.ts';
import { aCheck, fakeSha } from '../support/builders.ts';
import { DECISION_STORIES } from '../support/decision-stories.ts';
import {
  LIVE_SECRET,
  MINUTE_MS,
  type Pipeline,
  startEnabled,
  startLaunched,
  startPushed,
} from '../support/pipeline-fixture.ts';

const RUNNING = aCheck({ status: 'in_progress', conclusion: null });

function lastCheckRun(pipeline: Pipeline) {
  const checkRun = pipeline.github.checkRuns().at(-1);
  if (checkRun === undefined) throw new Error('there is no check run');
  return checkRun;
}

function sendings(pipeline: Pipeline): number {
  return pipeline.github.calls.filter((call) => call === 'createCheckRun' || call === 'updateCheckRun').length;
}

/** What each decision is shown as (docs/commands.md); null: in progress. NO_PR closes what stands open. */
const CONCLUSIONS: Readonly<Record<DecisionCode, 'success' | 'action_required' | 'neutral' | null>> = {
  WORKING_SESSION: null,
  NO_PR: 'neutral',
  PR_NOT_OPEN: 'neutral',
  CI_RUNNING: null,
  CI_TIMEOUT: 'action_required',
  CI_BLOCKED: 'action_required',
  CI_REQUIRED_MISSING: 'action_required',
  STALE_CI_RUN: null,
  STALE_CI_TIMEOUT: 'action_required',
  DISABLED: 'neutral',
  FORK_NOT_SUPPORTED: 'action_required',
  POLICY_INVALID: 'action_required',
  IN_MERGE_QUEUE: 'action_required',
  AUTO_MERGE_ON: 'action_required',
  BRANCH_SHARED: 'action_required',
  MERGE_UNKNOWN: null,
  MERGE_UNKNOWN_TIMEOUT: 'action_required',
  MERGE_CONFLICT: null,
  BRANCH_BEHIND: null,
  MERGE_QUEUE_FAILED: null,
  MERGE_QUEUE_UNEXPLAINED: 'action_required',
  UPDATE_AWAITED: null,
  PAUSED: 'action_required',
  DRAFT_HELD: 'action_required',
  OBSERVE_ONLY: 'action_required',
  PUSH_FORBIDDEN: 'action_required',
  CI_FAILED: null,
  QUALITY_FINDINGS: null,
  CI_FLAKY: null,
  RERUN_AWAITED: null,
  CI_NEEDS_PERSON: 'action_required',
  BASE_REPAIRED: null,
  RED_ON_BASE: 'action_required',
  SAME_FAILURE: 'action_required',
  REVIEW_COMMENTS: null,
  REVIEW_NEEDS_PERSON: 'action_required',
  REVIEW_SETTLING: null,
  ATTEMPTS_EXHAUSTED: 'action_required',
  LAUNCHES_EXHAUSTED: 'action_required',
  AGENT_UNKNOWN: 'action_required',
  AGENT_NOT_ALLOWED: 'action_required',
  AGENTS_SWITCHED_OFF: 'action_required',
  BUDGET_EXHAUSTED: 'action_required',
  BUDGET_AWAITED: null,
  MODEL_AWAITED: null,
  MODEL_UNUSABLE: 'action_required',
  STOPPED_SAME_CAUSE: 'action_required',
  TAKEN_BACK: 'action_required',
  ALL_GREEN: 'success',
};

/** A head at which nothing may be tried: the check run is completed at once. */
const STOPPED = { policyText: 'maxAttempts: 0' };

describe('the check run', () => {
  it.each(Object.entries(DECISION_STORIES))('shows %s as the manual says', async (code, start) => {
    const pipeline = await start();

    const { content } = lastCheckRun(pipeline);
    const [, conclusion] = Object.entries(CONCLUSIONS).find(([known]) => known === code) ?? [];
    expect(content).toMatchObject({
      name: 'Ratchet',
      externalId: pipeline.key,
      conclusion,
      status: conclusion === null ? 'in_progress' : 'completed',
    });
  });

  it('is made once for a head and kept up to date in place (trap 30)', async () => {
    const pipeline = await startEnabled({ checks: [RUNNING] });
    const first = lastCheckRun(pipeline);
    pipeline.clock.advance(MINUTE_MS);
    pipeline.reportCi('success');

    await pipeline.evaluate();

    expect(first.content).toMatchObject({ headSha: fakeSha('head'), status: 'in_progress', title: 'Waiting for CI' });
    expect(pipeline.github.checkRuns()).toMatchObject([
      { id: first.id, updates: 1, content: { conclusion: 'success', title: 'All green' } },
    ]);
  });

  it('is not sent again while its text is the same', async () => {
    const pipeline = await startEnabled({ checks: [RUNNING] });
    const sent = sendings(pipeline);
    pipeline.clock.advance(MINUTE_MS);
    await pipeline.evaluate();
    pipeline.clock.advance(MINUTE_MS);

    await pipeline.evaluate();

    expect(sendings(pipeline)).toBe(sent);
  });

  it('that could not be sent is sent by the next run, and the launch before it is not repeated (trap 110)', async () => {
    const pipeline = await startEnabled({ checks: [RUNNING] });
    pipeline.reportCi('failure');
    pipeline.github.failNext('updateCheckRun', new GitHubError('UNAVAILABLE', 'down', { retry: 'later' }));
    await expect(pipeline.evaluate()).rejects.toThrow('down');

    await pipeline.evaluate();

    expect(lastCheckRun(pipeline).content.title).toBe('Working · attempt 1 of 3');
    expect(pipeline.store.liveSessions(pipeline.key)).toHaveLength(1);
    expect(pipeline.github.checkRuns()).toHaveLength(1);
  });

  it('on an older head ends neutral when somebody pushes', async () => {
    const pipeline = await startEnabled({ checks: [RUNNING] });
    pipeline.pushFromOutside(fakeSha('outside'));

    await pipeline.evaluate();

    expect(pipeline.github.checkRuns()).toMatchObject([
      { content: { headSha: fakeSha('head'), status: 'completed', conclusion: 'neutral' } },
      { content: { headSha: fakeSha('outside'), status: 'in_progress' } },
    ]);
    expect(pipeline.store.openCheckRuns(pipeline.key, 'Ratchet')).toHaveLength(1);
  });

  it('on an older head that was completed keeps its last word', async () => {
    const pipeline = await startEnabled({ policyText: 'maxAttempts: 0' });
    pipeline.pushFromOutside(fakeSha('outside'));

    await pipeline.evaluate();

    expect(pipeline.github.checkRuns()[0]).toMatchObject({ content: { conclusion: 'action_required' }, updates: 0 });
  });

  it.each(['merged', 'closed'] as const)(
    'of a pull request that is %s stays as it was completed (S24)',
    async (state) => {
      const pipeline = await startEnabled({ policyText: 'maxAttempts: 0' });
      const before = pipeline.github.checkRuns();
      pipeline.github.change({ state });

      await pipeline.evaluate();

      expect(pipeline.github.checkRuns()).toEqual(before);
      expect(before).toMatchObject([{ content: { conclusion: 'action_required' } }]);
    },
  );

  it('that is completed keeps its conclusion on GitHub, so another one of the same name takes its place (L30)', async () => {
    const pipeline = await startEnabled(STOPPED);
    pipeline.github.change({ policyText: null, checks: [RUNNING] });
    await pipeline.evaluate();
    pipeline.clock.advance(MINUTE_MS);
    pipeline.reportCi('success');
    pipeline.clock.advance(MINUTE_MS);
    await pipeline.evaluate();
    pipeline.github.change(STOPPED);
    pipeline.reportCi('failure');
    await pipeline.evaluate();

    expect(pipeline.github.checkRuns()).toMatchObject([
      { updates: 0, content: { externalId: pipeline.key, conclusion: 'action_required' } },
      { updates: 1, content: { externalId: `${pipeline.key}:1`, conclusion: 'success' } },
      { updates: 0, content: { externalId: `${pipeline.key}:2`, conclusion: 'action_required' } },
    ]);
  });

  it('that takes the place of a completed one is made once, also where the process ends in between (L30)', async () => {
    const pipeline = await startEnabled(STOPPED);
    pipeline.github.change({ policyText: null, checks: [RUNNING] });
    // GitHub made it, and nobody got the answer.
    pipeline.github.during('createCheckRun', () => Promise.reject(new Error('the process dies')));
    await expect(pipeline.evaluate()).rejects.toThrow('the process dies');
    const between = pipeline.github.checkRuns().length;

    await pipeline.evaluate();

    expect(between).toBe(2);
    expect(pipeline.github.checkRuns().map(({ content }) => [content.externalId, content.status])).toEqual([
      [pipeline.key, 'completed'],
      [`${pipeline.key}:1`, 'in_progress'],
    ]);
  });

  it.each([
    { requiredChecks: ['build'], conclusion: 'neutral' },
    { requiredChecks: ['build', 'Ratchet'], conclusion: 'action_required' },
  ])('of a disabled pull request is $conclusion where the base requires $requiredChecks (S24)', async (given) => {
    const rules = {
      pushRefusals: [],
      mustBeUpToDate: false,
      mustResolveThreads: false,
      commitPatterns: [],
      dismissesStaleApprovals: false,
    };
    const pipeline = await startEnabled({
      checks: [aCheck()],
      rules: { ...rules, requiredChecks: given.requiredChecks },
    });
    pipeline.clock.advance(MINUTE_MS);
    pipeline.comment('/ratchet disable');

    await pipeline.evaluate();

    expect(lastCheckRun(pipeline).content).toMatchObject({
      ...{ conclusion: given.conclusion, title: 'Disabled', actions: [] },
    });
  });

  it('moves to the head of our own push and tells of the attempt', async () => {
    const pipeline = await startPushed();

    const [old, current] = pipeline.github.checkRuns();
    expect(old).toMatchObject({ content: { headSha: fakeSha('head'), conclusion: 'neutral' } });
    expect(current).toMatchObject({ content: { headSha: fakeSha('commit-1'), status: 'in_progress' } });
    expect(current?.content.summary).toContain('### Attempt 1');
    expect(current?.content.summary).toContain('`npm test`: passed');
  });

  it('of a pull request that is gone is closed, and none is made', async () => {
    const pipeline = await startEnabled({ checks: [RUNNING] });
    pipeline.github.remove();
    await pipeline.evaluate();
    const sent = sendings(pipeline);

    await pipeline.evaluate();

    expect(pipeline.github.checkRuns()).toMatchObject([{ content: { conclusion: 'neutral' } }]);
    expect(sendings(pipeline)).toBe(sent);
  });

  it('says why nothing was pushed, without any secret of ours', async () => {
    const pipeline = await startLaunched();
    pipeline.agent.answer('failure', `I found ${LIVE_SECRET} and stopped`);

    await pipeline.settle();

    const { content } = lastCheckRun(pipeline);
    expect(content).toMatchObject({
      conclusion: 'action_required',
      title: 'Could not fix `build` · the agent gave up',
    });
    expect(content.summary).toContain('I found');
    expect(JSON.stringify(pipeline.github.checkRuns())).not.toContain(LIVE_SECRET);
  });
});

describe('a pull request from a fork', () => {
  it('gets one explaining check run, and never a token or a clone (trap 12)', async () => {
    const pipeline = await startEnabled({ fork: true });
    await pipeline.evaluate();
    await pipeline.settle();

    expect(pipeline.github.checkRuns()).toMatchObject([
      { updates: 0, content: { conclusion: 'action_required', title: 'Forks are not supported' } },
    ]);
    expect(pipeline.github.tokens).toEqual([]);
    expect(pipeline.journal.filter((step) => step.startsWith('git.'))).toEqual([]);
    expect(pipeline.endedSessions()).toEqual([]);
    expect(pipeline.liveSession()).toBeNull();
  });
});

describe('a policy file that is invalid', () => {
  const INVALID = 'maxAttempts: 3\nci:\n  settelSeconds: 60\nsessionTimeoutMinutes: none\n';

  it('launches nothing and is shown with the line of its first problem', async () => {
    const pipeline = await startEnabled({ policyText: INVALID });
    await pipeline.settle();

    expect(lastCheckRun(pipeline).content.title).toBe('The policy file is invalid');
    expect(lastCheckRun(pipeline).content.summary).toContain('line 3');
    expect(pipeline.liveSession()).toBeNull();
    expect(pipeline.github.tokens).toEqual([]);
  });

  it('is shown with the line of each of its problems', async () => {
    const pipeline = await startEnabled({ policyText: INVALID });

    expect(lastCheckRun(pipeline).content.summary).toContain('line 3');
    expect(lastCheckRun(pipeline).content.summary).toContain('line 4');
  });

  it('lets a corrected one through', async () => {
    const pipeline = await startEnabled({ policyText: INVALID });
    pipeline.github.change({ policyText: 'maxAttempts: 2' });

    await pipeline.evaluate();

    expect(pipeline.liveSession()).not.toBeNull();
    expect(lastCheckRun(pipeline).content.title).toBe('Fixing 1 failing check · attempt 1 of 2');
  });

  it('that becomes invalid while a fixup waits to start pushes nothing', async () => {
    const pipeline = await startLaunched();
    pipeline.github.change({ policyText: INVALID });

    await pipeline.settle();

    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.agent.requests).toEqual([]);
    expect(pipeline.lastCode()).toBe('POLICY_INVALID');
  });
});
