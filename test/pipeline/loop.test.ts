import { describe, expect, it } from 'vitest';
import type { Transition } from '../../src/ports/store.ts';
import { aCheck, aThread, fakeSha } from '../support/builders.ts';
import { MINUTE_MS, type Pipeline, startEnabled, startLaunched, startPushed } from '../support/pipeline-fixture.ts';

function codesOf(pipeline: Pipeline): readonly string[] {
  return pipeline
    .transitions()
    .map(({ code }: Transition) => code)
    .toReversed();
}

/** CI answers a push of ours with red, and everything that follows from it happens. */
async function redAgain(pipeline: Pipeline): Promise<void> {
  pipeline.clock.advance(MINUTE_MS);
  pipeline.reportCi('failure');
  await pipeline.evaluate();
  await pipeline.settle();
}

describe('red CI', () => {
  it('launches one fixup, with its intent and the stale clock, and is recorded once (002.R4, R21, S11, security decision 5, trap 120)', async () => {
    const pipeline = await startLaunched();

    const session = pipeline.liveSession();
    const { snapshot } = pipeline.transitions()[0] ?? {};
    expect(session).toMatchObject({
      kind: 'ratchet',
      status: 'working',
      fixup: {
        action: 'FIX_CI',
        headSha: fakeSha('head'),
        headRef: 'feature',
        attempt: 1,
        causeKey: snapshot?.causeKey,
      },
    });
    expect(session && pipeline.store.openIntents(session.id)).toMatchObject([{ effect: { kind: 'launch' } }]);
    expect(pipeline.workspace()).toMatchObject({
      state: 'fixing',
      activeSessionId: session?.id,
      lastCiRunId: snapshot?.ci.runId,
      staleCiSince: pipeline.clock.now(),
      consecutiveAttempts: 0,
    });
    expect(codesOf(pipeline)).toEqual(['ENABLED', 'CI_FAILED']);
    expect(pipeline.isDue('fixup')).toBe(true);
    expect(pipeline.git.pushed).toEqual([]);
  });

  it('never launches a second session beside the first (002.R3, R31, traps 20 and 113)', async () => {
    const pipeline = await startLaunched();
    const first = pipeline.liveSession();

    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(codesOf(pipeline).slice(1)).toEqual(['CI_FAILED', 'WORKING_SESSION', 'WORKING_SESSION']);
    expect(pipeline.store.liveSessions(pipeline.key)).toEqual([first]);
  });
});

describe('each look', () => {
  it('decides on what GitHub says then, whatever it said before (002.R11)', async () => {
    const pipeline = await startEnabled({ checks: [aCheck()] });
    const codes: unknown[] = [];
    for (const merge of ['unknown', 'clean', 'unknown', 'clean', 'conflict'] as const) {
      pipeline.clock.advance(MINUTE_MS);
      pipeline.github.change({ merge });
      await pipeline.evaluate();
      codes.push(pipeline.lastCode());
    }

    expect(codes).toEqual(['MERGE_UNKNOWN', 'ALL_GREEN', 'MERGE_UNKNOWN', 'ALL_GREEN', 'MERGE_CONFLICT']);
  });
});

describe('a pushed fixup', () => {
  it('counts one attempt, moves the stale clock and wakes the pull request (002.R6, R21, S11)', async () => {
    const pipeline = await startLaunched();
    const { lastCiRunId } = pipeline.workspace();
    pipeline.clock.advance(MINUTE_MS);

    await pipeline.runFixup();

    const commitSha = fakeSha('commit-1');
    expect(pipeline.git.pushed).toEqual([commitSha]);
    expect(pipeline.git.messages[0]).toContain('Ratchet-Attempt: ');
    expect(pipeline.workspace()).toMatchObject({
      consecutiveAttempts: 1,
      lastPushSha: commitSha,
      lastPushAt: pipeline.clock.now(),
      staleCiSince: pipeline.clock.now(),
      lastCiRunId,
      activeSessionId: null,
      stop: null,
    });
    expect(pipeline.transitions()[0]).toMatchObject({ action: 'SESSION_ENDED', code: 'PUSHED' });
    expect(pipeline.endedSessions()).toMatchObject([{ status: 'ended', outcome: { kind: 'pushed', commitSha } }]);
    expect(pipeline.isDue('evaluate')).toBe(true);
    expect(pipeline.git.removedSessions).toEqual([pipeline.endedSessions()[0]?.id]);
  });

  it('is waited for until CI reports on it, then green ends the loop and the count (002.R18, R20, S10, trap 5)', async () => {
    const pipeline = await startPushed();
    const waiting = pipeline.lastCode();
    pipeline.reportCi(null);
    await pipeline.evaluate();
    const running = pipeline.lastCode();
    pipeline.clock.advance(2 * MINUTE_MS);
    pipeline.reportCi('success');

    await pipeline.evaluate();

    expect([waiting, running, pipeline.lastCode()]).toEqual(['STALE_CI_RUN', 'CI_RUNNING', 'ALL_GREEN']);
    expect(pipeline.workspace()).toMatchObject({ state: 'green', consecutiveAttempts: 0, staleCiSince: null });
    expect(pipeline.git.pushed).toHaveLength(1);
    expect(pipeline.liveSession()).toBeNull();
  });

  it('is not fixed again for the old result while GitHub still shows the old head (002.R20, traps 7 and 74)', async () => {
    const pipeline = await startLaunched();
    const before = pipeline.github.facts();
    await pipeline.runFixup();
    pipeline.github.change(before);

    await pipeline.settle();

    expect(pipeline.lastCode()).toBe('STALE_CI_RUN');
    expect(pipeline.workspace().consecutiveAttempts).toBe(1);
    expect(pipeline.liveSession()).toBeNull();
  });

  it('that CI never picks up is handed to a person at the limit, counted and not green (002.R8, S4, traps 48, 139 and 149)', async () => {
    const pipeline = await startPushed();
    pipeline.clock.advance(5 * MINUTE_MS - 1);
    await pipeline.evaluate();
    const justBefore = pipeline.lastCode();
    pipeline.clock.advance(1);

    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(justBefore).toBe('STALE_CI_RUN');
    expect(pipeline.transitions().slice(0, 2)).toMatchObject([
      { action: 'DONE', code: 'STALE_CI_TIMEOUT' },
      { action: 'DONE', code: 'STALE_CI_TIMEOUT' },
    ]);
    expect(pipeline.workspace()).toMatchObject({ state: 'stopped', consecutiveAttempts: 1 });
    expect(pipeline.liveSession()).toBeNull();
    const told = pipeline.log.find(({ fields }) => fields['code'] === 'STALE_CI_TIMEOUT' && 'timeoutMs' in fields);
    expect(told?.fields).toMatchObject({ timeoutMs: 300_000, staleSince: pipeline.workspace().staleCiSince });
  });

  it('that CI picks up after the limit is taken up again', async () => {
    const pipeline = await startPushed();
    pipeline.clock.advance(5 * MINUTE_MS);
    await pipeline.evaluate();
    pipeline.reportCi('success');

    await pipeline.evaluate();

    expect(pipeline.lastCode()).toBe('ALL_GREEN');
  });

  it('is told from a push of somebody else, though it is seen before its session has ended here (trap 58)', async () => {
    const pipeline = await startLaunched();
    const headAfterPush = fakeSha('commit-1');
    // GitHub answers with the new head; by the time that the answer is here, the session has been settled.
    pipeline.github.change({ headSha: headAfterPush, checks: [] });
    pipeline.github.during('readPullRequest', async () => {
      pipeline.github.change({ headSha: fakeSha('head'), checks: [aCheck({ conclusion: 'failure' })] });
      await pipeline.runFixup();
    });

    await pipeline.evaluate();

    expect(pipeline.git.pushed).toEqual([headAfterPush]);
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 1, lastPushSha: headAfterPush });
    expect(codesOf(pipeline)).not.toContain('OUTSIDE_PUSH');
  });
});

describe('a fixup without a push', () => {
  it('stops, uncounted, and nothing is launched for the same cause again (002.R5, R15, S8, trap 6)', async () => {
    const pipeline = await startLaunched();
    pipeline.agent.answer('failure', 'cannot do it');

    await pipeline.settle();
    await pipeline.evaluate();

    expect(codesOf(pipeline).slice(2)).toEqual(['AGENT_FAILED', 'STOPPED_SAME_CAUSE', 'STOPPED_SAME_CAUSE']);
    expect(pipeline.workspace()).toMatchObject({
      consecutiveAttempts: 0,
      lastCiRunId: null,
      staleCiSince: null,
      stop: { code: 'NO_PUSH' },
    });
    expect(pipeline.endedSessions()).toHaveLength(1);
    expect(pipeline.git.pushed).toEqual([]);
  });

  it('is tried again at another head', async () => {
    const pipeline = await startLaunched();
    pipeline.agent.answer('failure');
    await pipeline.settle();
    pipeline.pushFromOutside(fakeSha('other'));
    pipeline.reportCi('failure');

    await pipeline.evaluate();

    expect(pipeline.liveSession()).toMatchObject({ fixup: { headSha: fakeSha('other'), attempt: 1 } });
    expect(pipeline.workspace().stop).toBeNull();
  });

  it('is tried again for another result at the same head (S5, S8, traps 72 and 141)', async () => {
    const pipeline = await startLaunched();
    pipeline.agent.answer('failure');
    await pipeline.settle();
    pipeline.reportCi('failure');

    await pipeline.evaluate();

    expect(pipeline.liveSession()).not.toBeNull();
  });
});

describe('the attempt budget', () => {
  it('ends after three pushes that stayed red; the pull request is watched on (002.R16, R17, R19, traps 61 and 138)', async () => {
    const pipeline = await startLaunched();
    await pipeline.settle();
    await redAgain(pipeline);
    await redAgain(pipeline);
    await redAgain(pipeline);
    const exhausted = pipeline.transitions()[0];

    const { nextCheckAt } = await pipeline.evaluate();

    expect(exhausted).toMatchObject({ action: 'TERMINAL_FAILED', code: 'ATTEMPTS_EXHAUSTED' });
    expect(pipeline.git.pushed).toHaveLength(3);
    expect(pipeline.endedSessions()).toHaveLength(3);
    expect(pipeline.liveSession()).toBeNull();
    expect(pipeline.workspace()).toMatchObject({ state: 'failed', consecutiveAttempts: 3 });
    // The instant that all pull requests of this repository share, each three hours here.
    expect(nextCheckAt).toBe(Date.parse('2026-01-01T00:10:10Z'));
  });

  it('of launches within a day ends too, whatever became of them, and comes back with the next day', async () => {
    const pipeline = await startLaunched({ policyText: 'maxLaunchesPerDay: 2' });
    pipeline.sites.endWith('agent', { kind: 'timed_out', exitCode: null });
    await pipeline.settle();
    const exhausted = pipeline.transitions()[0];
    const launched = pipeline.endedSessions().length;
    pipeline.clock.advance(24 * 60 * MINUTE_MS + 1);

    await pipeline.evaluate();

    expect(exhausted).toMatchObject({ action: 'TERMINAL_FAILED', code: 'LAUNCHES_EXHAUSTED' });
    expect(launched).toBe(2);
    expect(pipeline.liveSession()).toMatchObject({ fixup: { attempt: 3 } });
  });

  it('is green in the end where CI turns green by itself (002.R19)', async () => {
    const pipeline = await startEnabled({ policyText: 'maxAttempts: 0' });
    const exhausted = pipeline.lastCode();
    pipeline.clock.advance(MINUTE_MS);
    pipeline.reportCi('success');

    await pipeline.evaluate();

    expect([exhausted, pipeline.lastCode()]).toEqual(['ATTEMPTS_EXHAUSTED', 'ALL_GREEN']);
  });

  it('starts anew when somebody else pushes (002.R18)', async () => {
    const pipeline = await startPushed();
    pipeline.pushFromOutside(fakeSha('outside'));
    pipeline.reportCi('failure');

    await pipeline.evaluate();

    expect(codesOf(pipeline).slice(-2)).toEqual(['OUTSIDE_PUSH', 'CI_FAILED']);
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, seenHeadSha: fakeSha('outside') });
    expect(pipeline.liveSession()).toMatchObject({ fixup: { attempt: 1, headSha: fakeSha('outside') } });
  });
});

describe('what the policy leaves to a person', () => {
  it.each([
    ['a conflict', { merge: 'conflict', policyText: 'merge: { resolveConflicts: false }' }],
    ['review comments', { checks: [aCheck()], threads: [aThread()], policyText: 'reviews: { fix: false }' }],
  ] as const)('%s: it is shown, and nothing is launched', async (_what, change) => {
    const pipeline = await startEnabled(change);
    pipeline.clock.advance(2 * MINUTE_MS);
    await pipeline.evaluate();
    const sent = pipeline.github.calls.length;

    await pipeline.evaluate();

    const [checkRun] = pipeline.github.checkRuns();
    expect(pipeline.lastCode()).toBe('OBSERVE_ONLY');
    expect(checkRun?.content).toMatchObject({ status: 'completed', conclusion: 'action_required' });
    expect(checkRun?.content.title).toContain('Not allowed by the policy');
    const isWrite = (call: string): boolean => !call.startsWith('read');
    expect(pipeline.github.calls.slice(sent).filter(isWrite)).toEqual([]);
    expect(pipeline.endedSessions()).toEqual([]);
    expect(pipeline.liveSession()).toBeNull();
    expect(pipeline.github.comments).toEqual([]);
  });
});

describe('a conflict that was not resolved', () => {
  it('stays stopped, until the base moves: that is a new conflict (S8)', async () => {
    const pipeline = await startEnabled({ merge: 'conflict' });
    pipeline.git.mergesTo({ kind: 'unrelated' });
    await pipeline.settle();
    await pipeline.evaluate();
    expect(pipeline.lastCode()).toBe('STOPPED_SAME_CAUSE');

    pipeline.github.change({ baseSha: fakeSha('base-2') });
    await pipeline.evaluate();

    expect(codesOf(pipeline).filter((code) => code === 'MERGE_CONFLICT')).toHaveLength(2);
  });
});
