import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ArtifactLimits } from '../../src/core/model/artifact-limits.ts';
import { RepositoryError } from '../../src/core/model/errors.ts';
import { parseSessionId } from '../../src/core/model/ids.ts';
import { cleanUp, startHousekeeping } from '../../src/pipeline/upkeep/housekeeping.ts';
import type { Log } from '../../src/ports/log.ts';
import { startEnabled, startLaunched } from '../support/pipeline-fixture.ts';
import { aDelivery } from '../support/store.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

describe('housekeeping', () => {
  it('forgets transitions and deliveries after seven days, not before (002.R24)', async () => {
    const pipeline = await startEnabled({ merge: 'conflict' });
    pipeline.store.ingest([aDelivery('old', null, { receivedAt: pipeline.clock.now() })]);
    pipeline.clock.advance(7 * DAY_MS);
    await cleanUp(pipeline.deps, new AbortController().signal);
    const kept = pipeline.transitions().length;
    pipeline.clock.advance(1);

    await cleanUp(pipeline.deps, new AbortController().signal);

    expect(kept).toBe(2);
    expect(pipeline.transitions()).toEqual([]);
    expect(pipeline.workspace().enablement).toBe('enabled');
    expect(pipeline.store.ingest([aDelivery('old', null)])).toEqual([{ kind: 'ignored' }]);
  });

  it('keeps calls to models of this month and the last one, and no older ones', async () => {
    const { clock, deps, key, store } = await startEnabled({ merge: 'conflict' });
    const start = clock.now();
    const tokens = { input: 1, cached: 0, written: 0, output: 1 };
    const made = store.reserveCall(
      {
        ...{ sessionId: parseSessionId('old'), key, repositoryId: 1, installationId: 1, agent: 'a', model: 'm' },
        ...{ startedAt: start, reservedMicroUsd: 5, reserved: tokens },
      },
      {},
    );
    if (made.kind === 'refused') throw new Error('refused without limits');
    const ended = { state: 'settled', endedAt: start, status: 200, fault: null, tokens, microUsd: 5 } as const;
    store.endCall(made.callId, ended);
    const spent = (): number => store.spent({ scope: 'month', installationId: 1, at: start }).microUsd;

    const date = new Date(start);
    clock.advance(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 2, 1) - 1 - start);
    await cleanUp(deps, new AbortController().signal);
    expect(spent()).toBe(5);
    clock.advance(1);
    await cleanUp(deps, new AbortController().signal);
    expect(spent()).toBe(0);
    expect(store.spent({ scope: 'pull_request', key }).microUsd).toBe(5);
  });

  it('is done at the start, and again every hour (002.R24)', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const pipeline = await startEnabled({ merge: 'conflict' });
    const [entry] = pipeline.transitions();
    pipeline.clock.advance(7 * DAY_MS + 1);

    const housekeeping = startHousekeeping(pipeline.deps);
    onTestFinished(housekeeping.stop);

    expect(pipeline.transitions()).toEqual([]);
    if (entry !== undefined) pipeline.store.appendTransition(entry);
    await vi.advanceTimersByTimeAsync(HOUR_MS - 1);
    expect(pipeline.transitions()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(pipeline.transitions()).toEqual([]);
  });

  it('sweeps artifacts after fourteen days, and spares what live sessions need', async () => {
    const pipeline = await startLaunched();

    await cleanUp(pipeline.deps, new AbortController().signal);

    expect(pipeline.files.sweptBefore).toEqual([pipeline.clock.now() - 14 * DAY_MS]);
    expect(pipeline.sites.swept()).toBe(1);
    expect(pipeline.git.sweptExcept).toEqual([[pipeline.liveSession()?.id]]);
  });

  it('bounds what artifacts take, all together and for each pull request', async () => {
    const pipeline = await startLaunched();
    const limits: ArtifactLimits[] = [];
    const files = { ...pipeline.deps.files, sweep: async (given: ArtifactLimits) => void limits.push(given) };

    await cleanUp({ ...pipeline.deps, files }, new AbortController().signal);

    expect(limits).toMatchObject([{ maxBytesEach: 256 * 1024 * 1024, maxBytes: 4 * 1024 * 1024 * 1024 }]);
  });

  it('gives back the pages of deleted rows in small steps, until there are none or enough for an hour', async () => {
    const { deps } = await startEnabled({ merge: 'conflict' });
    const freeing = async (free: number): Promise<{ readonly left: number; readonly steps: readonly number[] }> => {
      const steps: number[] = [];
      let left = free;
      const shrink = (pages: number): number => {
        steps.push(pages);
        const given = Math.min(pages, left);
        left -= given;
        return given;
      };
      await cleanUp({ ...deps, store: { ...deps.store, shrink } }, new AbortController().signal);
      return { left, steps };
    };

    expect(await freeing(1_200)).toEqual({ left: 0, steps: [500, 500, 500] });
    expect((await freeing(200_000)).left).toBeGreaterThan(100_000);
  });

  it('that fails is logged and does not take the service with it', async () => {
    const pipeline = await startEnabled({ merge: 'conflict' });
    pipeline.git.failNext('sweep', new RepositoryError('DISK_FAILED', 'disk is full', { retry: 'later' }));
    const { promise: logged, resolve } = Promise.withResolvers<string>();
    const log: Log = { ...pipeline.deps.log, error: (_fields, message) => resolve(message) };

    const housekeeping = startHousekeeping({ ...pipeline.deps, log });
    onTestFinished(housekeeping.stop);

    expect(await logged).toBe('housekeeping failed');
    expect(pipeline.files.sweptBefore).toEqual([]);
  });
});
