import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../src/core/model/errors.ts';
import { fakeSha } from '../support/builders.ts';
import { type Pipeline, startEnabled, startPipeline } from '../support/pipeline-fixture.ts';

const RULES = { pushRefusals: [], mustBeUpToDate: true, dismissesStaleApprovals: true } as const;
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
    expect(pipeline.workspace().branchUpdate).toMatchObject({ headSha, baseSha });
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

  it('has its row written before GitHub is asked, and is not asked for twice where no answer came', async () => {
    const pipeline = startPipeline(BEHIND);
    pipeline.github.during('updateBranch', async () => {
      expect(pipeline.workspace().branchUpdate?.baseSha).toBe(pipeline.github.facts().baseSha);
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

  it('is asked for later where GitHub has no time now', async () => {
    const pipeline = startPipeline(BEHIND);
    pipeline.github.failNext('updateBranch', new GitHubError('RATE_LIMITED', 'later', { retry: 'later' }));
    pipeline.comment('/ratchet enable');

    await expect(pipeline.evaluate()).rejects.toThrow('later');
    expect(pipeline.workspace().branchUpdate).toBeNull();
    await pipeline.evaluate();
    expect(asked(pipeline)).toBe(2);
  });
});
