import { describe, expect, it } from 'vitest';
import { MINUTE_MS, type Pipeline, startLaunched, startPushed } from '../support/pipeline-fixture.ts';

/** One attempt, which is pushed, waited for, and stays red. */
async function useUpBudget(): Promise<Pipeline> {
  const pipeline = await startLaunched({ policyText: 'maxAttempts: 1' });
  pipeline.clock.advance(MINUTE_MS);
  await pipeline.runFixup();
  await pipeline.evaluate();
  pipeline.clock.advance(MINUTE_MS);
  pipeline.reportCi('failure');
  await pipeline.evaluate();
  return pipeline;
}

function entriesOf(pipeline: Pipeline): readonly string[] {
  const entries = pipeline.transitions().map(({ action, code }) => `${action} ${code}`);
  return entries.toReversed();
}

/** The fields of all lines of the log with this message. */
function linesOf(pipeline: Pipeline, message: string): readonly unknown[] {
  return pipeline.log.filter((line) => line.message === message).map(({ fields }) => fields);
}

describe('the transition log', () => {
  it('has one entry for each launch, end of a session, wait and terminal state (002.R23)', async () => {
    expect(entriesOf(await useUpBudget())).toEqual([
      'COMMAND ENABLED',
      'FIX_CI CI_FAILED',
      'SESSION_ENDED PUSHED',
      'WAIT STALE_CI_RUN',
      'TERMINAL_FAILED ATTEMPTS_EXHAUSTED',
    ]);
  });

  it('calls the end of a session that pushed nothing a break (002.R23)', async () => {
    const pipeline = await startLaunched();
    pipeline.git.agentLeaves({ changes: [] });

    await pipeline.runFixup();

    expect(entriesOf(pipeline).slice(-1)).toEqual(['BREAK NO_CHANGE']);
  });
});

describe('the log of the service', () => {
  it('tells each action, launch and end of a fixup, and the stale result that is waited for, with their fields (002.R32)', async () => {
    const pipeline = await useUpBudget();
    const [session] = pipeline.endedSessions();
    const [, waiting, , launched] = pipeline.transitions();

    expect(linesOf(pipeline, 'action determined')).toMatchObject([
      { action: 'FIX_CI', code: 'CI_FAILED', reason: launched?.reason, attempts: 0 },
      {
        ...{ action: 'WAIT', code: 'STALE_CI_RUN', reason: waiting?.reason, attempts: 1 },
        ...{ currentRunId: waiting?.snapshot?.ci.runId, recordedRunId: launched?.snapshot?.ci.runId },
      },
      { action: 'TERMINAL_FAILED', code: 'ATTEMPTS_EXHAUSTED', attempts: 1 },
    ]);
    expect(launched?.snapshot?.ci.runId).toBeTypeOf('string');
    expect(linesOf(pipeline, 'fixup launched')).toMatchObject([
      { sessionId: session?.id, key: pipeline.key, issue: 'CI_FAILED', attempt: 1 },
    ]);
    expect(linesOf(pipeline, 'fixup completed')).toMatchObject([
      { sessionId: session?.id, durationMs: MINUTE_MS, pushed: true, exitReason: 'pushed' },
    ]);
  });

  it('tells why a fixup pushed nothing (002.R32)', async () => {
    const pipeline = await startLaunched();
    pipeline.git.agentLeaves({ changes: [] });

    await pipeline.runFixup();

    expect(linesOf(pipeline, 'fixup completed')).toMatchObject([{ pushed: false, exitReason: 'NO_CHANGE' }]);
  });

  it('tells since when CI had not started, and the limit, when that wait ends (002.R32)', async () => {
    const pipeline = await startPushed();
    const { staleCiSince } = pipeline.workspace();
    pipeline.clock.advance(5 * MINUTE_MS);

    await pipeline.evaluate();

    expect(staleCiSince).toBeTypeOf('number');
    expect(linesOf(pipeline, 'action determined').at(-1)).toMatchObject({
      ...{ action: 'DONE', code: 'STALE_CI_TIMEOUT', staleSince: staleCiSince, timeoutMs: 5 * MINUTE_MS },
    });
  });
});
