import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../src/core/model/errors.ts';
import { aCheck, fakeSha } from '../support/builders.ts';
import { MINUTE_MS, type Pipeline, startEnabled, startPipeline } from '../support/pipeline-fixture.ts';

const RULES = {
  pushRefusals: [],
  mustBeUpToDate: true,
  requiredChecks: [],
  commitPatterns: [],
  dismissesStaleApprovals: true,
  mustResolveThreads: false,
} as const;
const BEHIND = { merge: 'behind', rules: RULES } as const;

function asked({ github }: Pipeline): number {
  return github.calls.filter((call) => call === 'updateBranch').length;
}

describe('a branch whose being behind is hidden by another reason against the merge (L32)', () => {
  const HIDDEN = { merge: 'clean', isBlocked: true, checks: [aCheck()], rules: RULES } as const;

  async function look(
    change: Parameters<typeof startEnabled>[0],
    mergeBase: 'older' | 'none' | 'tip',
  ): Promise<Pipeline> {
    const pipeline = startPipeline({ ...HIDDEN, ...change });
    if (mergeBase !== 'tip') pipeline.github.setMergeBase(mergeBase === 'none' ? null : fakeSha('older'));
    pipeline.comment('/ratchet enable');
    await pipeline.evaluate();
    pipeline.clock.advance(MINUTE_MS);
    await pipeline.evaluate();
    return pipeline;
  }

  it('is updated: the commits are compared', async () => {
    const pipeline = await look({}, 'older');

    expect(asked(pipeline)).toBe(1);
    expect(pipeline.liveSession()).toBeNull();
  });

  it.each<readonly [string, Parameters<typeof startEnabled>[0], 'older' | 'none' | 'tip']>([
    ['it contains the tip of the base', {}, 'tip'],
    ['GitHub does not say what both have in common', {}, 'none'],
    ['the base does not demand it', { rules: { ...RULES, mustBeUpToDate: false } }, 'older'],
    ['the policy lets branches alone', { policyText: 'merge: { updateBranch: false }' }, 'older'],
    ['GitHub would report it', { isBlocked: false }, 'older'],
  ])('is left alone where %s', async (_why, change, mergeBase) => {
    expect(asked(await look(change, mergeBase))).toBe(0);
  });

  it.each<readonly [string, Parameters<typeof startEnabled>[0]]>([
    ['the base does not demand it', { rules: { ...RULES, mustBeUpToDate: false } }],
    ['the policy lets branches alone', { policyText: 'merge: { updateBranch: false }' }],
    ['GitHub would report it', { isBlocked: false }],
  ])('costs no comparison where %s', async (_why, change) => {
    expect((await look(change, 'older')).github.calls).not.toContain('readMergeBase');
  });

  it('is looked at once more after our success, where that is required', async () => {
    const at = async (requiredChecks: readonly string[]): Promise<readonly boolean[]> => {
      const pipeline = startPipeline({ checks: [aCheck()], rules: { ...RULES, requiredChecks } });
      pipeline.comment('/ratchet enable');
      await pipeline.evaluate();
      pipeline.clock.advance(MINUTE_MS);
      const isSoon = ({ nextCheckAt }: { readonly nextCheckAt: number | null }): boolean =>
        nextCheckAt !== null && nextCheckAt <= pipeline.clock.now() + MINUTE_MS / 2;
      return [isSoon(await pipeline.evaluate()), isSoon(await pipeline.evaluate())];
    };

    expect(await at(['build', 'Ratchet'])).toEqual([true, false]);
    expect(await at(['build'])).toEqual([false, false]);
  });
});

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
