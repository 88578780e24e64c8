import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../src/core/model/pull-request.ts';
import { aCheck, fakeSha, NOW } from '../support/builders.ts';
import { MINUTE_MS, type Pipeline, startEnabled } from '../support/pipeline-fixture.ts';

const aRed = (change: Partial<CheckResult> = {}): CheckResult =>
  aCheck({ conclusion: 'failure', workflowRunId: 900, ...change });
const lastDecision = (pipeline: Pipeline) => pipeline.transitions().find(({ snapshot }) => snapshot !== null);

describe('a test that flaked before', () => {
  const FAILED = ' FAIL  test/cart.test.ts > total > adds\nAssertionError: expected 1 to be 2';
  const at = (count: number) => ({ id: 10 * count, startedAt: NOW + count * MINUTE_MS });

  /** A pull request whose test is red at a new head, and then green by somebody's re-run of the same commit. */
  async function flake(pipeline: Pipeline, head: string, count: number): Promise<void> {
    const of = { headSha: fakeSha(head), ...at(count) };
    pipeline.github.setJobLog(FAILED);
    pipeline.github.change({ headSha: of.headSha, checks: [aRed(of)], policyText: 'mode: observe\n' });
    await pipeline.evaluate();
    pipeline.clock.advance(2 * MINUTE_MS);
    const green = aCheck({ ...of, id: of.id + 1, startedAt: of.startedAt + 1, workflowRunId: 900, runAttempt: 2 });
    pipeline.github.change({ checks: [green] });
    await pipeline.evaluate();
  }

  async function startFlaked(times: number): Promise<Pipeline> {
    const pipeline = await startEnabled({ checks: [aCheck({ status: 'in_progress', conclusion: null })] });
    for (let count = 1; count <= times; count += 1) await flake(pipeline, `flake ${String(count)}`, count);
    pipeline.github.change({
      policyText: null,
      headSha: fakeSha('red again'),
      checks: [aRed({ headSha: fakeSha('red again'), ...at(9) })],
    });
    return pipeline;
  }

  it('twice is run again first, once for a head, and then goes to an agent', async () => {
    const pipeline = await startFlaked(2);

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('CI_FLAKY');
    expect(pipeline.github.asked).toEqual(['rerunFailedJobs 900']);
    expect(pipeline.workspace().diagnosis?.jobs).toMatchObject([{ class: 'flake', rule: 'known-flake' }]);
    expect(pipeline.workspace().diagnosis?.jobs[0]?.line).toMatch(/failed and passed at the same commit on \d{4}-/u);
    expect(pipeline.liveSession()).toBeNull();

    pipeline.github.change({
      checks: [aRed({ headSha: fakeSha('red again'), id: 99, startedAt: NOW + 20 * MINUTE_MS })],
    });
    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('CI_FAILED');
    expect(pipeline.github.asked).toHaveLength(1);
  });

  it('once goes to an agent', async () => {
    const pipeline = await startFlaked(1);

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('CI_FAILED');
    expect(pipeline.github.asked).toEqual([]);
    expect(pipeline.workspace().flakes).toMatchObject([{ name: 'build', headSha: fakeSha('flake 1') }]);
  });

  it('is forgotten after 30 days', async () => {
    const pipeline = await startFlaked(2);
    pipeline.clock.advance(30 * 24 * 60 * MINUTE_MS);

    await pipeline.evaluate();

    expect(lastDecision(pipeline)?.code).toBe('CI_FAILED');
  });
});
