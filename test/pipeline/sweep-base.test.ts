import { describe, expect, it } from 'vitest';
import { GitHubError, RepositoryError } from '../../src/core/model/errors.ts';
import { EVALUATE_QUEUE, SWEEP_QUEUE } from '../../src/core/model/queues.ts';
import type { Lease } from '../../src/pipeline/deps.ts';
import { createBaseSweep, sweepBase } from '../../src/pipeline/upkeep/sweep-base.ts';
import { aRepository } from '../support/builders.ts';
import { MINUTE_MS, type Pipeline, startEnabled } from '../support/pipeline-fixture.ts';

const KEY = `${String(aRepository().repositoryId)}:main`;
const LEASE: Lease = { leaseId: 'lease', signal: new AbortController().signal };

/** Enabled and green, looked at, with a mirror of the repository. */
async function startGreen(): Promise<Pipeline> {
  const pipeline = await startEnabled({ checks: [], merge: 'clean' });
  await pipeline.deps.git.ensureMirror(
    aRepository(),
    { number: 1, headSha: pipeline.github.facts().headSha, baseRef: 'main' },
    { url: 'https://github.test', token: { token: 't', expiresAt: 0 } },
    LEASE.signal,
  );
  return pipeline;
}

function toNumber({ github }: Pipeline): number {
  return github.facts().number;
}

/** When the pull request is looked at next, from now on. */
function nextLookIn({ store, clock }: Pipeline): number | null {
  const at = store.nextWakeupAt(EVALUATE_QUEUE);
  return at === null ? null : at - clock.now();
}

describe('the sweep after a push to a base branch', () => {
  it('wakes at once a pull request that came into conflict, without a call to the API but for a token (trap 17)', async () => {
    const pipeline = await startGreen();
    const { git, github, deps, store } = pipeline;
    git.probes({ [toNumber(pipeline)]: 'conflict' });
    const calls = github.calls.length;

    await sweepBase(deps, KEY, LEASE);

    expect(git.probed).toEqual([{ baseRef: 'main', numbers: [toNumber(pipeline)] }]);
    expect(github.calls.slice(calls)).toEqual(['mintGitToken', 'revokeGitToken']);
    expect(github.tokens.at(-1)?.purpose).toBe('read');
    expect(nextLookIn(pipeline)).toBeLessThan(3_000);
    expect(store.workspace(pipeline.key)?.seenMerge).toBe('conflict');
  });

  it('drops what was read together before the push, before it plans a look', async () => {
    const pipeline = await startGreen();
    const planned: (number | null)[] = [];
    const before = nextLookIn(pipeline);
    pipeline.git.probes({ [toNumber(pipeline)]: 'conflict' });
    const forgetTogether = (repositoryId: number): void => {
      expect(repositoryId).toBe(aRepository().repositoryId);
      planned.push(nextLookIn(pipeline));
    };
    await sweepBase({ ...pipeline.deps, github: { ...pipeline.github, forgetTogether } }, KEY, LEASE);

    expect(planned).toEqual([before]);
    expect(nextLookIn(pipeline)).not.toBe(before);
  });

  it('leaves to its turn what git has no news of', async () => {
    const pipeline = await startGreen();
    pipeline.git.probes({ [toNumber(pipeline)]: 'clean' });

    await sweepBase(pipeline.deps, KEY, LEASE);

    const next = nextLookIn(pipeline);
    expect(next).not.toBeNull();
    expect(next).toBeLessThanOrEqual(pipeline.deps.settings.recheckMs);
    expect(pipeline.isDue(EVALUATE_QUEUE)).toBe(false);
  });

  it.each([
    [
      'the fetch fails',
      ({ git }: Pipeline) => git.failNext('probeMerges', new RepositoryError('FETCH_FAILED', 'x', { retry: 'later' })),
    ],
    [
      'no token is to be had',
      ({ github }: Pipeline) =>
        github.failNext('mintGitToken', new GitHubError('UNAVAILABLE', 'x', { retry: 'later' })),
    ],
    ['there is no mirror', ({ git }: Pipeline) => git.dropMirror()],
    ['git does not know', () => undefined],
  ])('loses nothing where %s: all are looked at, one after the other (trap 18)', async (_what, arrange) => {
    const pipeline = await startGreen();
    arrange(pipeline);
    pipeline.clock.advance(1);

    await sweepBase(pipeline.deps, KEY, LEASE);

    expect(nextLookIn(pipeline)).toBeLessThan(3_000);
    expect(pipeline.workspace().seenMerge).not.toBe('conflict');
  });

  it('asks nobody about pull requests of another base, or of no repository of ours', async () => {
    const pipeline = await startGreen();
    for (const key of ['10:release', '999:main', 'main', ':main', '10:']) await sweepBase(pipeline.deps, key, LEASE);

    expect(pipeline.git.probed).toEqual([]);
  });

  it('ends when it is stopped', async () => {
    const pipeline = await startGreen();
    const stopped = { ...LEASE, signal: AbortSignal.abort(new Error('stop')) };

    await expect(sweepBase(pipeline.deps, KEY, stopped)).rejects.toThrow('stop');
  });

  it('sweeps a storm of pushes once in a while, and the last one always (traps 65, 88)', async () => {
    const pipeline = await startGreen();
    const { deps, clock, git, store } = pipeline;
    const sweep = createBaseSweep(deps);

    expect(await sweep(KEY, LEASE)).toEqual({ nextCheckAt: null });
    clock.advance(1_000);
    expect(await sweep(KEY, LEASE)).toEqual({ nextCheckAt: clock.now() + 14_000 });
    expect(git.probed).toHaveLength(1);
    expect(await sweep('10:other', LEASE)).toEqual({ nextCheckAt: null });
    clock.advance(14_000);
    expect(await sweep(KEY, LEASE)).toEqual({ nextCheckAt: null });
    expect(git.probed).toHaveLength(2);
    clock.advance(MINUTE_MS);
    expect(store.dueWakeups(SWEEP_QUEUE, clock.now(), 10)).toEqual([]);
  });
});
