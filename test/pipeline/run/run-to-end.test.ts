import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../src/core/model/errors.ts';
import { parseRunId } from '../../../src/core/model/ids.ts';
import type { Interruption } from '../../../src/core/runs/interruption.ts';
import { type Run, runToEnd } from '../../../src/pipeline/run/run-to-end.ts';
import { startPipeline } from '../../support/pipeline-fixture.ts';

const HOUR_MS = 3_600_000;
const QUEUE = 'undo';
const ID = parseRunId('run-1');

/** A kind of run that only this test knows: it ends as a word, and keeps its end as the store would. */
function start(change: Partial<Run<string>> = {}) {
  const pipeline = startPipeline();
  const { store, key, clock } = pipeline;
  const stored: string[] = [];
  const followed: string[] = [];
  const shutdown = new AbortController();
  store.markWakeup(QUEUE, key, null);
  const leaseId = store.claimWakeup(QUEUE, key, clock.now(), HOUR_MS) ?? '';
  let hasBegun = false;
  const run: Run<string> = {
    id: ID,
    key,
    leased: { queue: QUEUE, key },
    limitMs: HOUR_MS,
    begin: () => {
      const isFirst = !hasBegun;
      hasBegun = true;
      return isFirst;
    },
    work: () => Promise.resolve('done'),
    planned: () => null,
    toEnd: toWord,
    end: (end) => {
      if (stored.length > 0) return false;
      stored.push(end);
      return true;
    },
    afterEnd: async (end) => void followed.push(end),
    ...change,
  };
  const runOnce = (): Promise<void> => runToEnd(pipeline.deps, run, { leaseId, signal: shutdown.signal });
  return { ...pipeline, run, runOnce, shutdown, stored, followed };
}

function toWord(interruption: Interruption): string {
  if (interruption.kind === 'stopped') return `stopped: ${interruption.why}`;
  return interruption.kind;
}

/** Work that never ends by itself, and takes its end from its signal as everything that it starts does. */
async function hang(signal: AbortSignal): Promise<null> {
  await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });
  return null;
}

describe('a run', () => {
  it('is registered while it works, and ends as its work does (002.R26)', async () => {
    const seen: boolean[] = [];
    const { runOnce, deps, stored, followed, git } = start({
      work: async () => {
        seen.push(deps.running.isRunning(ID));
        return 'done';
      },
    });

    await runOnce();

    expect([seen, deps.running.isRunning(ID)]).toEqual([[true], false]);
    expect([stored, followed]).toEqual([['done'], ['done']]);
    expect(git.removedSessions).toEqual([ID]);
  });

  it('times out at its deadline when it hangs, having been told to end (002.R26, R28)', async () => {
    let told: AbortSignal | null = null;
    const { runOnce, deps, clock, stored } = start({
      work: (signal) => {
        told = signal;
        return hang(signal);
      },
    });
    const running = runOnce();
    clock.advance(HOUR_MS - 1);
    const before = { told, isRunning: deps.running.isRunning(ID) };
    expect(before).toMatchObject({ told: { aborted: false }, isRunning: true });

    clock.advance(1);
    await running;

    expect(stored).toEqual(['timed_out']);
    expect(deps.running.isRunning(ID)).toBe(false);
  });

  it('says who ended it early, also where the time was over as well', async () => {
    const { runOnce, deps, clock, shutdown, stored } = start({ work: hang });
    const running = runOnce();
    deps.running.stop(ID, 'closed');
    deps.running.stop(ID, 'stopped');
    clock.advance(2 * HOUR_MS);
    shutdown.abort();
    await running;

    expect(stored).toEqual(['stopped: closed']);
  });

  it('says that the process was stopped', async () => {
    const { runOnce, shutdown, stored } = start({ work: hang });
    const running = runOnce();
    shutdown.abort();
    await running;

    expect(stored).toEqual(['stopped: shutdown']);
  });

  it('does not end as its work does when that ends too late', async () => {
    const { runOnce, clock, stored } = start({
      work: async () => {
        clock.advance(HOUR_MS);
        return 'done';
      },
    });

    await runOnce();

    expect(stored).toEqual(['timed_out']);
  });

  it('that fails ends as its kind says, and the log has the error', async () => {
    const error = new Error('cannot open /var/secret');
    const { runOnce, stored, log } = start({ work: () => Promise.reject(error) });

    await runOnce();

    expect(stored).toEqual(['failed']);
    const lines = log.filter(({ message }) => message === 'run interrupted');
    expect(lines).toMatchObject([{ level: 'warn', fields: { runId: ID, why: 'failed', error } }]);
  });

  it('whose kind has no end for that stays open, without its traces', async () => {
    const error = new Error('not now');
    const { runOnce, stored, followed, git } = start({ work: () => Promise.reject(error), toEnd: () => null });

    await expect(runOnce()).rejects.toThrow(error);

    expect([stored, followed, git.removedSessions]).toEqual([[], [], [ID]]);
  });

  it('that an earlier process began does not work a second time', async () => {
    const { runOnce, stored, git } = start({ begin: () => false, work: () => Promise.reject(new Error('worked')) });

    await runOnce();

    expect([stored, git.removedSessions]).toEqual([['crashed'], [ID]]);
  });

  it('ends once: what ended it before stands, and nothing follows', async () => {
    const { runOnce, stored, followed, git } = start({ begin: () => true });
    await runOnce();
    await runOnce();

    expect([stored, followed]).toEqual([['done'], ['done']]);
    expect(git.removedSessions).toEqual([ID, ID]);
  });

  it('that has neither an end nor a plan is a bug of ours', async () => {
    const { runOnce, stored } = start({ work: () => Promise.resolve(null) });

    await expect(runOnce()).rejects.toThrow(InvariantError);
    expect(stored).toEqual([]);
  });

  it('without its lease writes nothing (F8)', async () => {
    const { runOnce, store, stored, followed, git } = start({
      work: async () => {
        store.freeLeases(QUEUE);
        return 'done';
      },
    });

    await expect(runOnce()).rejects.toThrow('run by another process');

    expect([stored, followed, git.removedSessions]).toEqual([[], [], []]);
  });

  it('is cleaned up though what follows its end fails', async () => {
    const { runOnce, stored, git } = start({ afterEnd: () => Promise.reject(new Error('GitHub is down')) });

    await expect(runOnce()).rejects.toThrow('GitHub is down');

    expect([stored, git.removedSessions]).toEqual([['done'], [ID]]);
  });

  it('stands though its traces cannot be removed', async () => {
    const { runOnce, git, stored, followed, log } = start();
    git.failNext('removeSession', new Error('busy'));

    await runOnce();

    expect([stored, followed]).toEqual([['done'], ['done']]);
    expect(log).toContainEqual(expect.objectContaining({ message: 'workspace left for the sweep' }));
  });
});

describe('a planned effect', () => {
  it('is made when the work has planned it, though the run was told to end meanwhile', async () => {
    const made: boolean[] = [];
    let isPlanned = false;
    const { runOnce, deps, stored } = start({
      work: async () => {
        isPlanned = true;
        deps.running.stop(ID, 'stopped');
        return null;
      },
      planned: () => (isPlanned ? async (isResumed) => (made.push(isResumed), 'pushed') : null),
    });

    await runOnce();

    expect([made, stored]).toEqual([[false], ['pushed']]);
  });

  it('of an earlier run is finished first: there is no work, and no beginning', async () => {
    const made: boolean[] = [];
    const { runOnce, stored } = start({
      begin: () => expect.unreachable(),
      work: () => expect.unreachable(),
      planned: () => async (isResumed) => (made.push(isResumed), 'recognised'),
    });

    await runOnce();

    expect([made, stored]).toEqual([[true], ['recognised']]);
  });

  it('whose fate is unknown keeps the run open, and its traces', async () => {
    const { runOnce, stored, git } = start({ planned: () => () => Promise.reject(new Error('unknown')) });

    await expect(runOnce()).rejects.toThrow('unknown');

    expect([stored, git.removedSessions]).toEqual([[], []]);
  });
});
