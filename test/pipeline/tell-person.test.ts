import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../src/core/model/errors.ts';
import { aCheck, fakeSha } from '../support/builders.ts';
import { LIVE_SECRET, MINUTE_MS, type Pipeline, startEnabled } from '../support/pipeline-fixture.ts';

const MARKER = '<!-- ratchet:pr -->';

function comments(pipeline: Pipeline): readonly string[] {
  return pipeline.github.comments.map(({ body }) => body).filter((body) => body.includes(MARKER));
}

function writes(pipeline: Pipeline): number {
  return pipeline.github.calls.filter((call) => call === 'upsertComment' || call === 'editComment').length;
}

/** Red, and the agent changed nothing: a person must act. */
async function startStopped(policyText: string | null = null): Promise<Pipeline> {
  const pipeline = await startEnabled({ policyText });
  pipeline.git.agentLeaves({ changes: [], patch: '' });
  await pipeline.settle();
  return pipeline;
}

/** Its first digits are its own. */
const LATER = fakeSha('pushed by a person..');

describe('our one comment', () => {
  it('is made where a person must act: with the head first, why, and what to do', async () => {
    const pipeline = await startStopped();

    expect(comments(pipeline)).toHaveLength(1);
    const [, first = '', ...rest] = comments(pipeline)[0]?.split('\n') ?? [];
    expect(first).toContain(`\`${fakeSha('head').slice(0, 10)}\``);
    expect(rest.join('\n')).toContain('Nothing was changed.');
    expect(rest.join('\n')).toContain('/ratchet retry');
  });

  it('is not made while Ratchet works or waits, nor for green', async () => {
    const pipeline = await startEnabled();
    await pipeline.settle();
    pipeline.reportCi('success');
    pipeline.clock.advance(MINUTE_MS);
    await pipeline.evaluate();

    expect(pipeline.lastCode()).toBe('ALL_GREEN');
    expect(comments(pipeline)).toEqual([]);
    expect(writes(pipeline)).toBe(0);
  });

  it('costs no call while it says the same', async () => {
    const pipeline = await startStopped();
    const before = writes(pipeline);
    for (let looks = 0; looks < 5; looks += 1) await pipeline.evaluate();

    expect(writes(pipeline)).toBe(before);
  });

  it('is edited in place when nobody has to act any more, and stays as it is while that is not known (trap 30)', async () => {
    const pipeline = await startStopped();
    pipeline.pushFromOutside(LATER);
    await pipeline.evaluate();
    const waiting = comments(pipeline);
    pipeline.github.change({ checks: [aCheck({ id: 77, headSha: LATER })] });
    pipeline.clock.advance(5 * MINUTE_MS);
    await pipeline.evaluate();

    expect(waiting).toEqual([expect.stringContaining('Nothing was changed.')]);
    expect(comments(pipeline)).toEqual([expect.stringContaining('Nothing to do')]);
    expect(comments(pipeline)[0]).toContain(LATER.slice(0, 10));
  });

  it('does not say that all is over while a person only holds Ratchet', async () => {
    const pipeline = await startStopped();
    pipeline.comment('/ratchet pause');

    await pipeline.evaluate();

    expect(pipeline.lastCode()).toBe('PAUSED');
    expect(comments(pipeline)).toEqual([expect.stringContaining('Nothing was changed.')]);
  });

  it('is not made where policy wants none', async () => {
    const pipeline = await startStopped('comment: never');

    expect(pipeline.lastCode()).toBe('STOPPED_SAME_CAUSE');
    expect(comments(pipeline)).toEqual([]);
  });

  it('that GitHub refuses for good is given up, and the loop goes on', async () => {
    const pipeline = await startEnabled();
    pipeline.git.agentLeaves({ changes: [], patch: '' });
    await pipeline.runFixup();
    pipeline.github.failNext('upsertComment', new GitHubError('FORBIDDEN', 'locked', { retry: 'never' }));

    await pipeline.evaluate();
    await pipeline.evaluate();

    expect(comments(pipeline)).toEqual([]);
    expect(writes(pipeline)).toBe(1);
  });

  it('that failed for a moment is made by the next look', async () => {
    const pipeline = await startEnabled();
    pipeline.git.agentLeaves({ changes: [], patch: '' });
    await pipeline.runFixup();
    pipeline.github.failNext('upsertComment', new GitHubError('UNAVAILABLE', 'down', { retry: 'later' }));

    await expect(pipeline.evaluate()).rejects.toThrow('down');
    await pipeline.evaluate();

    expect(comments(pipeline)).toHaveLength(1);
  });

  it('holds no secret of this process', async () => {
    const pipeline = await startStopped();
    const { stop } = pipeline.workspace();
    if (stop === null) throw new Error('it is not stopped');
    pipeline.store.updateWorkspace(pipeline.key, { stop: { ...stop, reason: `the agent said ${LIVE_SECRET}` } });

    await pipeline.evaluate();

    expect(comments(pipeline)[0]).toContain('the agent said');
    expect(comments(pipeline)[0]).not.toContain(LIVE_SECRET);
  });
});
