import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../src/core/model/errors.ts';
import { aCheck, fakeSha } from '../support/builders.ts';
import { MINUTE_MS, type Pipeline, startEnabled, startPipeline } from '../support/pipeline-fixture.ts';

const RULES = {
  pushRefusals: [],
  mustBeUpToDate: true,
  dismissesStaleApprovals: true,
  mustResolveThreads: false,
} as const;
const BEHIND = { merge: 'behind', rules: RULES } as const;

function asked({ github }: Pipeline): number {
  return github.calls.filter((call) => call === 'updateBranch').length;
}

describe('a branch that is behind a base which demands otherwise', () => {
  it('is updated by GitHub, without an agent, once for its base SHA (S7, traps 15, 65)', async () => {
    const pipeline = await startEnabled(BEHIND);
    const { headSha, baseSha } = pipeline.github.facts();
    for (let looks = 0; looks < 3; looks += 1) await pipeline.evaluate();

    expect(asked(pipeline)).toBe(1);
    expect(pipeline.asked().branchUpdate).toMatchObject({ headSha, baseSha });
    expect(pipeline.workspace().consecutiveAttempts).toBe(0);
    expect(pipeline.transitions().map(({ code }) => code)).toContain('UPDATE_ASKED');
    expect(pipeline.liveSession()).toBeNull();
  });

  it('is updated again for a new base SHA', async () => {
    const pipeline = await startEnabled(BEHIND);
    pipeline.github.change({ baseSha: fakeSha('newer base') });
    await pipeline.evaluate();

    expect(asked(pipeline)).toBe(2);
  });

  it('may be updated again at the same base after a push from outside (S10)', async () => {
    const pipeline = await startEnabled(BEHIND);
    pipeline.pushFromOutside(fakeSha('outside'));
    pipeline.reportCi('failure');
    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(asked(pipeline)).toBe(2);
    expect(pipeline.asked().branchUpdate).toMatchObject({ headSha: fakeSha('outside') });
  });

  it('has its row written before GitHub is asked, and is not asked for twice where no answer came', async () => {
    const pipeline = startPipeline(BEHIND);
    pipeline.github.during('updateBranch', async () => {
      expect(pipeline.asked().branchUpdate?.baseSha).toBe(pipeline.github.facts().baseSha);
      return Promise.reject(new GitHubError('UNAVAILABLE', 'timeout', { retry: 'later' }));
    });
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(asked(pipeline)).toBe(1);
    expect(pipeline.lastCode()).toBe('UPDATE_AWAITED');
  });

  it('goes on at once where GitHub refuses for good', async () => {
    const pipeline = startPipeline(BEHIND);
    pipeline.github.refuse('updateBranch', 'refusing to allow a GitHub App to create a workflow');
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();

    expect(pipeline.isDue('evaluate')).toBe(true);
    expect(pipeline.transitions().map(({ code }) => code)).toContain('UPDATE_REFUSED');
    await pipeline.evaluate();
    expect(asked(pipeline)).toBe(1);
    expect(pipeline.lastCode()).not.toBe('UPDATE_AWAITED');
  });

  it('is told to a person where CI never picks the updated head up, after the short limit and not after that of CI (S4, S5)', async () => {
    const checks = [aCheck({ conclusion: 'failure' })];
    const pipeline = await startEnabled({ ...BEHIND, checks });
    const { headSha, baseSha } = pipeline.github.facts();
    const updated = fakeSha('updated');
    pipeline.github.change({ headSha: updated, headParents: [headSha, baseSha], merge: 'clean', checks });

    await pipeline.evaluate();
    expect(pipeline.lastCode()).toBe('STALE_CI_RUN');
    pipeline.clock.advance(5 * MINUTE_MS);
    await pipeline.evaluate();

    expect(pipeline.lastCode()).toBe('STALE_CI_TIMEOUT');
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, lastPushSha: updated });
    expect(pipeline.liveSession()).toBeNull();

    pipeline.github.change({ checks: [aCheck({ id: 2, headSha: updated })] });
    await pipeline.evaluate();
    expect(pipeline.lastCode()).toBe('ALL_GREEN');
    expect(pipeline.workspace().staleCiSince).toBeNull();
  });

  it('shows no old head to the decision while a replica of GitHub lags behind the update (F15)', async () => {
    const red = [aCheck({ conclusion: 'failure' })];
    const pipeline = await startEnabled({ ...BEHIND, checks: red });
    const { headSha, baseSha } = pipeline.github.facts();
    const updated = fakeSha('updated');
    pipeline.github.change({ headSha: updated, headParents: [headSha, baseSha], merge: 'clean' });
    await pipeline.evaluate();

    pipeline.github.change({ headSha, headParents: [], merge: 'clean', checks: red });
    await pipeline.evaluate();

    expect(pipeline.lastCode()).toBe('STALE_CI_RUN');
    expect(pipeline.workspace().seenHeadSha).toBe(updated);
    expect(pipeline.liveSession()).toBeNull();
  });

  it('is asked for later where GitHub has no time now', async () => {
    const pipeline = startPipeline(BEHIND);
    pipeline.github.failNext('updateBranch', new GitHubError('RATE_LIMITED', 'later', { retry: 'later' }));
    pipeline.comment('/ratchet enable');

    await expect(pipeline.evaluate()).rejects.toThrow('later');
    expect(pipeline.asked().branchUpdate).toBeNull();
    await pipeline.evaluate();
    expect(asked(pipeline)).toBe(2);
  });
});
