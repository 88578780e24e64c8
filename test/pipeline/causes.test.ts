import { describe, expect, it } from 'vitest';
import type { PullRequestFacts } from '../../src/core/model/pull-request.ts';
import { aCheck } from '../support/builders.ts';
import { MINUTE_MS, type Pipeline, startEnabled, startLaunched, startPushed } from '../support/pipeline-fixture.ts';

/** A fixup gave up at this red result, so that only a new cause launches another. */
async function startStopped(): Promise<Pipeline> {
  const pipeline = await startLaunched();
  pipeline.agent.answer('failure');
  await pipeline.settle();
  return pipeline;
}

describe('what is no new cause', () => {
  it.each<[string, Partial<PullRequestFacts>]>([
    ['a label', { labels: ['urgent'] }],
    ['another title', { title: 'Another title' }],
    ['a draft', { draft: true }],
  ])('%s launches nothing again (trap 75)', async (_what, change) => {
    const pipeline = await startStopped();
    pipeline.github.change(change);

    await pipeline.evaluate();

    expect(pipeline.lastCode()).toBe('STOPPED_SAME_CAUSE');
    expect(pipeline.endedSessions()).toHaveLength(1);
    expect(pipeline.liveSession()).toBeNull();
  });

  it('mergeability that is unknown for a while launches nothing again (trap 143)', async () => {
    const pipeline = await startStopped();
    pipeline.github.change({ merge: 'unknown' });
    await pipeline.evaluate();
    const unknown = pipeline.lastCode();
    pipeline.github.change({ merge: 'clean' });

    await pipeline.evaluate();

    expect([unknown, pipeline.lastCode()]).toEqual(['MERGE_UNKNOWN', 'STOPPED_SAME_CAUSE']);
    expect(pipeline.endedSessions()).toHaveLength(1);
  });
});

describe('green', () => {
  it('does not end the watch: what turns red later is fixed, with a fresh budget (S8, traps 4 and 95)', async () => {
    const pipeline = await startEnabled({ checks: [aCheck()] });
    pipeline.clock.advance(2 * MINUTE_MS);
    await pipeline.evaluate();
    const green = pipeline.lastCode();
    pipeline.reportCi('failure');

    await pipeline.evaluate();

    expect(green).toBe('ALL_GREEN');
    expect(pipeline.liveSession()).toMatchObject({ fixup: { action: 'FIX_CI', attempt: 1 } });
  });
});

describe('the count of attempts', () => {
  it('stays when CI goes from red over running to red again (trap 26)', async () => {
    const pipeline = await startPushed();
    pipeline.clock.advance(MINUTE_MS);
    pipeline.reportCi(null);
    await pipeline.evaluate();
    const running = pipeline.workspace().consecutiveAttempts;
    pipeline.reportCi('failure');

    await pipeline.evaluate();

    expect(running).toBe(1);
    expect(pipeline.liveSession()).toMatchObject({ fixup: { attempt: 2 } });
  });

  it('is not used up by a run that a newer one cancelled (trap 1)', async () => {
    const pipeline = await startPushed();
    const { headSha } = pipeline.github.facts();
    const cancelled = aCheck({ id: 201, name: 'build', headSha, conclusion: 'cancelled' });
    const running = aCheck({ id: 202, name: 'build', headSha, status: 'in_progress', conclusion: null });
    pipeline.github.change({ checks: [cancelled, running] });
    await pipeline.evaluate();
    const whileRunning = pipeline.lastCode();
    pipeline.clock.advance(MINUTE_MS);
    pipeline.github.change({ checks: [cancelled, { ...running, status: 'completed', conclusion: 'failure' }] });

    await pipeline.evaluate();

    expect(whileRunning).toBe('CI_RUNNING');
    expect(pipeline.workspace().consecutiveAttempts).toBe(1);
    expect(pipeline.liveSession()).toMatchObject({ fixup: { attempt: 2 } });
  });
});
