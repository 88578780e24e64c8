import { describe, expect, it } from 'vitest';
import { determineFixupAction } from '../../src/core/decide/determine-fixup-action.ts';
import { DECISION_WORDS } from '../../src/core/render/decision-words.ts';
import { evaluatePullRequest } from '../../src/pipeline/evaluate/evaluate-pull-request.ts';
import { aCheck, fakeSha } from '../support/builders.ts';
import { DECISION_STORIES } from '../support/decision-stories.ts';
import { MINUTE_MS, type Pipeline, startEnabled, startPipeline } from '../support/pipeline-fixture.ts';

/** Codes whose iteration launches a fixup; every other one must not. */
const LAUNCHING: readonly string[] = ['CI_FAILED', 'QUALITY_FINDINGS', 'MERGE_CONFLICT', 'REVIEW_COMMENTS'];
/** Somebody has set these by hand: nobody needs to be told by mail. */
const KNOWN_TO_PEOPLE: readonly string[] = ['PAUSED', 'DRAFT_HELD', 'OBSERVE_ONLY'];

const RUNNING = aCheck({ status: 'in_progress', conclusion: null });

const decisionsOf = (pipeline: Pipeline) => pipeline.transitions().filter(({ snapshot }) => snapshot !== null);

describe('each decision', () => {
  it.each(Object.entries(DECISION_STORIES))(
    '%s is reached, and its stored snapshot decides it again (002.R12, R22, trap 135)',
    async (code, start) => {
      const pipeline = await start();

      const [last] = decisionsOf(pipeline);
      expect(last?.code).toBe(code);
      if (last === undefined || last.snapshot === null) throw new Error('nothing was decided');
      expect(determineFixupAction(last.snapshot)).toMatchObject({ action: last.action, code, reason: last.reason });
      expect(last.reason).toMatch(/\w/);
    },
  );

  it.each(Object.entries(DECISION_STORIES))(
    '%s writes one transition an iteration (002.R1, CARD.R6)',
    async (_code, start) => {
      const pipeline = await start();
      const before = decisionsOf(pipeline).length;

      await pipeline.evaluate();

      expect(decisionsOf(pipeline)).toHaveLength(before + 1);
    },
  );

  it.each(Object.entries(DECISION_STORIES).filter(([code]) => !LAUNCHING.includes(code)))(
    '%s launches nothing, pushes nothing, and comments only where a person must act',
    async (code, start) => {
      const pipeline = await start();
      const sessions = pipeline.endedSessions().length;
      const pushed = pipeline.git.pushed.length;
      const live = pipeline.liveSession();

      await pipeline.evaluate();

      if (code !== 'WORKING_SESSION') expect(live).toBeNull();
      expect(pipeline.liveSession()).toEqual(live);
      expect(pipeline.endedSessions()).toHaveLength(sessions);
      expect(pipeline.git.pushed).toHaveLength(pushed);
      const isTold = Object.entries(DECISION_WORDS).some(
        ([known, { standing }]) => known === code && standing === 'action_required' && !KNOWN_TO_PEOPLE.includes(code),
      );
      expect(pipeline.github.comments).toHaveLength(isTold ? 1 : 0);
    },
  );

  it('fixes a conflict at a head whose required check cannot come, and lets what runs there finish (S2, trap 86)', async () => {
    const policyText = 'ci: {required: [cla, test]}\n';
    const cla = aCheck({ name: 'cla' });
    const conflicted = await startEnabled({ merge: 'conflict', policyText, checks: [cla] });
    const running = await startEnabled({ merge: 'conflict', policyText, checks: [cla, { ...RUNNING, id: 2 }] });

    expect(conflicted.lastCode()).toBe('MERGE_CONFLICT');
    expect(conflicted.liveSession()).not.toBeNull();
    expect(running.lastCode()).toBe('CI_RUNNING');
    expect(running.liveSession()).toBeNull();
  });

  it('tells at once that two policy files contradict each other, and does not wait for what can never count', async () => {
    const organizationPolicyText = 'ci: {required: [lint]}\n';
    const checks = [aCheck({ name: 'test', conclusion: 'failure' })];
    const pipeline = await startEnabled({ checks, organizationPolicyText, policyText: 'ci: {ignore: [lint]}\n' });

    expect(pipeline.lastCode()).toBe('POLICY_INVALID');
    expect(pipeline.liveSession()).toBeNull();
  });

  it('holds everything that was decided on: head, CI, limits and the loop’s own memory', async () => {
    const pipeline = await startEnabled();

    expect(decisionsOf(pipeline)[0]?.snapshot).toMatchObject({
      pullRequest: { state: 'open', fork: false },
      ci: { status: 'failure' },
      merge: 'clean',
      ratchet: { enabled: true, consecutiveAttempts: 0, lastCiRunId: null, stoppedFor: null },
      workingSession: false,
      policyErrors: [],
      policy: { maxAttempts: 3, staleCiTimeoutSeconds: 300 },
      now: pipeline.clock.now(),
    });
  });
});

describe('a pull request that nobody enabled', () => {
  it('costs one small read for each head and no more, whatever happens to it', async () => {
    const pipeline = startPipeline();

    const result = await pipeline.evaluate();
    await pipeline.evaluate();

    expect(result).toEqual({ nextCheckAt: null });
    expect(pipeline.github.calls).toEqual(['readConfigFiles']);
    expect(pipeline.transitions()).toEqual([]);
    expect(pipeline.liveSession()).toBeNull();
  });

  it('that nothing is known of is left alone', async () => {
    const pipeline = startPipeline();

    const result = await evaluatePullRequest(pipeline.deps, '999#1', {
      leaseId: 'any',
      signal: new AbortController().signal,
    });

    expect(result).toEqual({ nextCheckAt: null });
    expect(pipeline.github.calls).toEqual([]);
  });
});

describe('a repository that the App was taken off', () => {
  it('is not asked for, though its pull request is enabled and red (F30)', async () => {
    const pipeline = await startEnabled({ checks: [RUNNING] });
    const calls = pipeline.github.calls.length;
    pipeline.takeAppOff();
    pipeline.reportCi('failure');

    const result = await pipeline.evaluate();

    expect(result).toEqual({ nextCheckAt: null });
    expect(pipeline.github.calls).toHaveLength(calls);
    expect(pipeline.liveSession()).toBeNull();
  });
});

describe('the next check', () => {
  it.each([
    ['an unknown merge state (trap 18)', { merge: 'unknown' }, 5_000],
    ['a running CI on a young head', { checks: [RUNNING] }, MINUTE_MS],
    ['a green head that is still young', { checks: [aCheck()] }, MINUTE_MS],
    ['a launched fixup', {}, 10 * MINUTE_MS],
    ['a conflict', { merge: 'conflict', headSha: fakeSha('head') }, 10 * MINUTE_MS],
  ] as const)('of %s comes by itself', async (_what, change, inMs) => {
    const pipeline = startPipeline(change);
    pipeline.comment('/ratchet enable');

    const { nextCheckAt } = await pipeline.evaluate();

    expect(nextCheckAt).toBe(pipeline.clock.now() + inMs);
  });

  it('of a closed pull request never comes (trap 131)', async () => {
    const pipeline = startPipeline({ state: 'closed' });
    pipeline.comment('/ratchet enable');

    expect(await pipeline.evaluate()).toEqual({ nextCheckAt: null });
  });
});
