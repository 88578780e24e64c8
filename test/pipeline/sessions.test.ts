import { describe, expect, it } from 'vitest';
import { RepositoryError } from '../../src/core/model/errors.ts';
import { evaluatePullRequest } from '../../src/pipeline/evaluate/evaluate-pull-request.ts';
import { runFixup } from '../../src/pipeline/fixup/run-fixup.ts';
import { aCheck, fakeSha } from '../support/builders.ts';
import { MINUTE_MS, type Pipeline, startLaunched, startPipeline, WRITER } from '../support/pipeline-fixture.ts';

function codesOf(pipeline: Pipeline): readonly string[] {
  return pipeline
    .transitions()
    .map(({ code }) => code)
    .toReversed();
}

function messagesOf(pipeline: Pipeline): readonly string[] {
  return pipeline.log.map(({ message }) => message);
}

function liveSession(pipeline: Pipeline) {
  const session = pipeline.liveSession();
  if (session === null) throw new Error('no session is live');
  return session;
}

/** As if another process had begun the run, and had ended since. */
function startElsewhere(pipeline: Pipeline): void {
  const [launch] = pipeline.store.openIntents(liveSession(pipeline).id);
  if (launch === undefined) throw new Error('nothing was launched');
  pipeline.store.settleIntent(launch.id, 'started', pipeline.clock.now());
}

describe('a session that runs out of time', () => {
  it('counts one attempt and is looked at anew (002.R28)', async () => {
    const pipeline = await startLaunched();
    pipeline.sites.endWith('agent', { kind: 'timed_out', exitCode: null });
    pipeline.clock.advance(30 * MINUTE_MS);

    await pipeline.runFixup();
    const ended = pipeline.workspace();
    await pipeline.evaluate();

    expect(ended).toMatchObject({ consecutiveAttempts: 1, stop: null, lastCiRunId: null, staleCiSince: null });
    expect(codesOf(pipeline).slice(2)).toEqual(['TIMED_OUT', 'CI_FAILED']);
    expect(pipeline.liveSession()).toMatchObject({ fixup: { attempt: 2 } });
    expect(pipeline.git.pushed).toEqual([]);
  });

  it('is ended at its deadline, whatever it hangs in (002.R26, trap 106)', async () => {
    const pipeline = await startLaunched();
    const { begun } = pipeline.sites.hang('agent');
    const running = pipeline.runFixup();
    await begun;

    pipeline.clock.advance(61 * MINUTE_MS);
    await running;

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'timed_out', afterMs: 61 * MINUTE_MS } }]);
    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.sites.heldSlots()).toBe(0);
  });

  it('is not counted for the time that it waits for its turn (trap 23)', async () => {
    const pipeline = await startLaunched();
    pipeline.clock.advance(300 * MINUTE_MS);

    await pipeline.evaluate();
    await pipeline.runFixup();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'pushed' } }]);
  });

  it('three times uses up the budget', async () => {
    const pipeline = await startLaunched();
    pipeline.sites.endWith('agent', { kind: 'timed_out', exitCode: null });

    await pipeline.settle();

    expect(pipeline.lastCode()).toBe('ATTEMPTS_EXHAUSTED');
    expect(pipeline.endedSessions()).toHaveLength(3);
  });
});

describe('a session that died', () => {
  it('is launched again, uncounted, at most three times for one cause (002.R5, traps 112, 114 and 126)', async () => {
    const pipeline = await startLaunched();
    for (let run = 1; run <= 3; run += 1) {
      pipeline.git.failNext('ensureMirror', new RepositoryError('GIT_FAILED', 'no git', { retry: 'later' }));
      await pipeline.runFixup();
      await pipeline.evaluate();
    }

    expect(codesOf(pipeline).slice(1)).toEqual([
      ...['CI_FAILED', 'DIED', 'CI_FAILED', 'DIED', 'CI_FAILED', 'DIED'],
      'STOPPED_SAME_CAUSE',
    ]);
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, stop: { code: 'NO_PUSH' } });
    expect(pipeline.workspace().stop?.reason).toContain('3 times');
    expect(pipeline.liveSession()).toBeNull();
  });

  it('with its process is recorded and launched anew: no half-made run is gone on with (traps 21 and 111)', async () => {
    const pipeline = await startLaunched();
    startElsewhere(pipeline);

    await pipeline.runFixup();
    await pipeline.evaluate();

    expect(codesOf(pipeline).slice(1)).toEqual(['CI_FAILED', 'DIED', 'CI_FAILED']);
    expect(pipeline.workspace().consecutiveAttempts).toBe(0);
    expect(pipeline.agent.requests).toEqual([]);
    expect(pipeline.journal).not.toContain('sites.probe');
  });

  it('cannot be lost between its launch and its wake-up: both are one transaction (trap 120)', async () => {
    const pipeline = startPipeline();
    pipeline.comment('/ratchet enable');
    const crashing = {
      ...pipeline.deps,
      fixupQueue: { announce: () => Promise.reject(new Error('the process ended here')) },
    };
    const lease = { leaseId: 'any', signal: new AbortController().signal };
    await expect(evaluatePullRequest(crashing, pipeline.key, lease)).rejects.toThrow('ended here');

    expect(pipeline.isDue('fixup')).toBe(true);
    await pipeline.settle();

    expect(pipeline.git.pushed).toHaveLength(1);
    expect(pipeline.endedSessions()).toHaveLength(1);
  });

  it('after its end was recorded has woken its pull request already (trap 122)', async () => {
    const pipeline = await startLaunched();
    const { id } = liveSession(pipeline);
    const leaseId = pipeline.store.claimWakeup('fixup', id, pipeline.clock.now(), MINUTE_MS) ?? '';
    const evaluateQueue = { announce: () => Promise.reject(new Error('the process ended here')) };
    const lease = { leaseId, signal: new AbortController().signal };

    await expect(runFixup({ ...pipeline.deps, evaluateQueue }, id, lease)).rejects.toThrow('ended here');

    expect(pipeline.isDue('evaluate')).toBe(true);
    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'pushed' } }]);
  });

  it('tells nothing of an unexpected error but that there was one', async () => {
    const pipeline = await startLaunched();
    pipeline.git.failNext('prepareSession', new Error('cannot open /var/lib/secret'));

    await pipeline.runFixup();

    const [session] = pipeline.endedSessions();
    expect(session?.outcome).toMatchObject({ kind: 'died' });
    expect(JSON.stringify(session?.outcome)).not.toContain('/var/lib');
  });
});

describe('disabling while a fixup is at work', () => {
  it('lets it finish, drops its push and keeps its patch (002.R29, S9, traps 62 and 118)', async () => {
    const pipeline = await startLaunched();
    const { id } = liveSession(pipeline);
    pipeline.sites.during('agent', async () => {
      pipeline.comment('/ratchet disable');
      await pipeline.evaluate();
    });

    await pipeline.runFixup();
    await pipeline.evaluate();

    expect(pipeline.endedSessions()).toMatchObject([{ id, outcome: { kind: 'superseded', why: 'disabled' } }]);
    expect(pipeline.files.written.get(`${id}/patch.diff`)).toContain('+export const answer');
    expect(pipeline.journal).not.toContain('git.createCommit');
    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.workspace()).toMatchObject({ state: 'disabled', consecutiveAttempts: 0, stop: null });
    expect(pipeline.lastCode()).toBe('DISABLED');
    expect(pipeline.liveSession()).toBeNull();
  });

  it('and enabling again lets it push, and what it pushed is waited for (S11)', async () => {
    const pipeline = await startLaunched();
    const before = pipeline.github.facts();
    pipeline.sites.during('agent', async () => {
      pipeline.comment('/ratchet disable\n/ratchet enable');
      await pipeline.evaluate();
    });
    await pipeline.runFixup();
    // GitHub still shows the old head with its red result.
    pipeline.github.change(before);

    await pipeline.settle();

    expect(pipeline.git.pushed).toHaveLength(1);
    expect(pipeline.lastCode()).toBe('STALE_CI_RUN');
    expect(pipeline.liveSession()).toBeNull();
  });

  it('stops one that has not begun before anything is fetched', async () => {
    const pipeline = await startLaunched();
    pipeline.comment('/ratchet disable');
    await pipeline.evaluate();

    await pipeline.runFixup();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why: 'disabled' } }]);
    expect(pipeline.github.tokens).toEqual([]);
    expect(pipeline.agent.requests).toEqual([]);
  });
});

describe('a running session whose ground moves (S9)', () => {
  const MOVES: readonly (readonly [string, (pipeline: Pipeline) => void, string])[] = [
    ['is closed', ({ github }) => github.change({ state: 'closed' }), 'closed'],
    ['is merged', ({ github }) => github.change({ state: 'merged' }), 'closed'],
    ['is gone', ({ github }) => github.remove(), 'closed'],
    ['has another head', ({ pushFromOutside }) => pushFromOutside(fakeSha('outside')), 'head_moved'],
  ];

  it.each(MOVES)('is ended at once when its pull request %s (traps 24 and 116)', async (_what, move, why) => {
    const pipeline = await startLaunched();
    const { begun } = pipeline.sites.hang('agent');
    const run = pipeline.runFixup();
    await begun;
    move(pipeline);

    await pipeline.evaluate();
    await run;

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why } }]);
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, stop: null, activeSessionId: null });
    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.journal).not.toContain('run npm test');
    expect(pipeline.sites.heldSlots()).toBe(0);
    expect(messagesOf(pipeline)).toContain('run stopped');
  });

  it('is followed by a fixup of the new head, with a fresh budget', async () => {
    const pipeline = await startLaunched();
    pipeline.store.updateWorkspace(pipeline.key, { consecutiveAttempts: 2 });
    const { begun } = pipeline.sites.hang('agent');
    const run = pipeline.runFixup();
    await begun;
    pipeline.pushFromOutside(fakeSha('outside'));
    pipeline.reportCi('failure');
    await pipeline.evaluate();
    await run;

    await pipeline.evaluate();

    expect(codesOf(pipeline).slice(-3)).toEqual(['SUPERSEDED', 'OUTSIDE_PUSH', 'CI_FAILED']);
    expect(pipeline.liveSession()).toMatchObject({ fixup: { headSha: fakeSha('outside'), attempt: 1 } });
  });

  it('goes on while it stands where it stood', async () => {
    const pipeline = await startLaunched();
    pipeline.sites.during('agent', async () => {
      await pipeline.evaluate();
      await pipeline.evaluate();
    });

    await pipeline.runFixup();

    expect(pipeline.git.pushed).toHaveLength(1);
  });
});

describe('enabled by somebody who may write no more', () => {
  it('is not launched again and again: it stops and asks for a person', async () => {
    const pipeline = await startLaunched();
    pipeline.github.permit(WRITER.login, WRITER.id, 'read');

    await pipeline.settle();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why: 'permission' } }]);
    expect(pipeline.lastCode()).toBe('STOPPED_SAME_CAUSE');
    expect(pipeline.liveSession()).toBeNull();
  });

  it('pushes nothing and fetches nothing', async () => {
    const pipeline = await startLaunched();
    pipeline.github.permit(WRITER.login, WRITER.id, 'read');

    await pipeline.runFixup();

    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why: 'permission' } }]);
    expect(pipeline.github.tokens).toEqual([]);
    expect(pipeline.git.pushed).toEqual([]);
  });
});

describe('a session that nobody runs', () => {
  const LEFTOVER_AFTER_MS = 60 * MINUTE_MS;

  it('is left alone until its deadline, at which the pull request is looked at (002.R27)', async () => {
    const pipeline = await startLaunched();
    startElsewhere(pipeline);
    pipeline.clock.advance(LEFTOVER_AFTER_MS - 1);

    const { nextCheckAt } = await pipeline.evaluate();

    expect(pipeline.lastCode()).toBe('WORKING_SESSION');
    expect(pipeline.endedSessions()).toEqual([]);
    expect(nextCheckAt).toBe(pipeline.clock.now() + 1);
  });

  it('is ended then, counted, recorded, and the same look decides on what is true now (002.R9, R27, traps 111 and 116)', async () => {
    const pipeline = await startLaunched();
    const { id } = liveSession(pipeline);
    startElsewhere(pipeline);
    pipeline.clock.advance(LEFTOVER_AFTER_MS);

    await pipeline.evaluate();

    expect(codesOf(pipeline).slice(1)).toEqual(['CI_FAILED', 'TIMED_OUT', 'CI_FAILED']);
    expect(pipeline.endedSessions()).toMatchObject([{ id, outcome: { kind: 'timed_out' } }]);
    expect(pipeline.workspace().consecutiveAttempts).toBe(1);
    expect(pipeline.liveSession()).toMatchObject({ fixup: { attempt: 2 } });
  });

  it('is ended on a disabled pull request too, and nothing follows it (002.R9)', async () => {
    const pipeline = await startLaunched();
    startElsewhere(pipeline);
    pipeline.clock.advance(LEFTOVER_AFTER_MS);
    pipeline.comment('/ratchet disable');

    await pipeline.evaluate();

    expect(pipeline.endedSessions()).toHaveLength(1);
    expect(pipeline.lastCode()).toBe('DISABLED');
    expect(pipeline.liveSession()).toBeNull();
  });

  it.each([
    ['closed', { state: 'closed' }, 'PR_NOT_OPEN'],
    ['waiting for CI', { checks: [aCheck({ status: 'in_progress', conclusion: null })] }, 'CI_RUNNING'],
  ] as const)(
    'is ended on a pull request that is %s too: no guard leaves it there (002.R9, R27)',
    async (_what, change, code) => {
      const pipeline = await startLaunched();
      startElsewhere(pipeline);
      pipeline.clock.advance(LEFTOVER_AFTER_MS);
      pipeline.github.change(change);

      await pipeline.evaluate();

      expect(codesOf(pipeline).slice(1)).toEqual(['CI_FAILED', 'TIMED_OUT', code]);
      expect(pipeline.liveSession()).toBeNull();
      expect(pipeline.workspace()).toMatchObject({ activeSessionId: null, lastCiRunId: null, staleCiSince: null });
    },
  );

  it('is none while it runs in this process', async () => {
    const pipeline = await startLaunched();
    const waitedMs = 30 * MINUTE_MS;
    pipeline.clock.advance(waitedMs);
    pipeline.sites.during('agent', async () => {
      pipeline.clock.advance(LEFTOVER_AFTER_MS - waitedMs);
      await pipeline.evaluate();
    });

    await pipeline.runFixup();

    expect(codesOf(pipeline)).toContain('WORKING_SESSION');
    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'pushed' } }]);
  });

  it('is none while its push is planned: only GitHub knows whether that arrived', async () => {
    const pipeline = await startLaunched();
    pipeline.git.endNextPush({ kind: 'unknown', reason: 'connection reset' });
    await expect(pipeline.runFixup()).rejects.toThrow('unknown');
    pipeline.clock.advance(LEFTOVER_AFTER_MS);
    pipeline.pushFromOutside(fakeSha('outside'));

    await pipeline.evaluate();

    expect(pipeline.lastCode()).toBe('WORKING_SESSION');
    expect(pipeline.workspace().consecutiveAttempts).toBe(0);
    expect(pipeline.endedSessions()).toEqual([]);
    expect(messagesOf(pipeline)).not.toContain('run stopped');
  });
});
