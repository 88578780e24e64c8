import { describe, expect, it } from 'vitest';
import { executePlan } from '../../../src/pipeline/execution/execute-plan.ts';
import { createExecutionToolRegistry } from '../../../src/pipeline/execution/execution-tool-registry.ts';
import type { PlanChange } from '../../../src/pipeline/execution/plan-execution.ts';
import { aStep } from '../../core/execution/plan-steps.ts';
import {
  type Act,
  aNoteAdapter,
  aNoteBook,
  anExecution,
  aPlan,
  BOUND,
  createTimers,
  DEAF,
  DONE,
  FAILED,
  toStates,
  UNTIL_STOPPED,
} from './execution-fixture.ts';

describe('a run of a plan', () => {
  it('gives each step its own result when a sibling did not run (004.R10, R11)', async () => {
    const plan = aPlan([aStep('x'), aStep('a', ['x']), aStep('b')]);
    const acts = { x: async () => FAILED, b: async () => ({ ...DONE, output: 'from b' }) };
    const { results, stats } = await executePlan(plan, anExecution(aNoteBook(), acts));

    expect(toStates(results)).toEqual({ x: 'failed ACTION_FAILED null', a: 'skipped DEPENDENCY x', b: 'completed' });
    expect(results.get('b')?.output).toBe('from b');
    expect(stats).toMatchObject({ completed: 1, failed: 1, skipped: 1, rolledBack: 0, rollbackFailed: 0 });
  });

  it('passes the results of the steps that a step follows, and no others (004.R10)', async () => {
    const seen: string[] = [];
    const plan = aPlan([aStep('a'), aStep('other'), aStep('b', ['a'])]);
    await executePlan(
      plan,
      anExecution(aNoteBook(), {
        a: async () => ({ ...DONE, output: 'from a' }),
        b: async (_step, _signal, results) => {
          seen.push(...[...results].map(([key, { output }]) => `${key}: ${output}`));
          return DONE;
        },
      }),
    );

    expect(seen).toEqual(['a: from a']);
  });

  it('runs independent steps at the same time, up to the limit (004.R7)', async () => {
    let atWork = 0;
    let most = 0;
    const act = async () => {
      atWork += 1;
      most = Math.max(most, atWork);
      await new Promise((resolve) => setImmediate(resolve));
      atWork -= 1;
      return DONE;
    };
    const steps = Array.from({ length: 20 }, (_, index) => aStep(index));
    const acts = Object.fromEntries(steps.map(({ step_id }) => [String(step_id), act]));
    const { stats } = await executePlan(aPlan(steps), anExecution(aNoteBook(), acts, { maxConcurrent: 3 }));

    expect(most).toBe(3);
    expect(stats.completed).toBe(20);
  });

  it('lets siblings of a step that throws go on (004.R8, R35)', async () => {
    const place = aNoteBook();
    const acts = {
      a: async () => {
        throw new Error('out of order');
      },
      b: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return DONE;
      },
    };
    const { results } = await executePlan(aPlan([aStep('a'), aStep('b')]), anExecution(place, acts));

    expect(toStates(results)).toEqual({ a: 'failed ACTION_FAILED null', b: 'completed' });
    expect(results.get('a')?.cause?.message).toBe('out of order');
  });

  it.each([
    ['a ring', [aStep(1, [2]), aStep(2, [1])], 'cycle'],
    ['an unknown dependency', [aStep(1), aStep(2, [9])], 'unknown_dependency'],
    ['an id of two steps', [aStep(1), aStep('1')], 'duplicate_id'],
    ['an action that nothing carries out', [aStep(1), aStep(2, [], { action_type: 'fly' })], 'unsupported_action'],
  ])('refuses a plan with %s before anything runs (004.R21, R34)', async (_what, steps, reason) => {
    const place = aNoteBook();
    const run = executePlan(aPlan(steps), anExecution(place));

    await expect(run).rejects.toMatchObject({ code: 'PLAN_INVALID', errors: [{ reason }] });
    expect(place.log).toEqual([]);
  });

  it('fails a step whose adapter is missing after all, loudly (004.R21)', async () => {
    const registry = { ...createExecutionToolRegistry([aNoteAdapter()]), getAdapter: () => null };
    const { results } = await executePlan(aPlan([aStep(1)]), anExecution(aNoteBook(), {}, { registry }));

    expect(results.get('1')).toMatchObject({ state: 'failed', attempts: 0, cause: { code: 'UNSUPPORTED_ACTION' } });
  });

  it('does not start an action whose undo cannot be prepared (004.R13)', async () => {
    const place = aNoteBook();
    const prepareUndo = async () => {
      throw new Error('no room for the record');
    };
    const registry = createExecutionToolRegistry([aNoteAdapter({}, { prepareUndo })]);
    const { results } = await executePlan(aPlan([aStep(1)]), anExecution(place, {}, { registry }));

    expect(results.get('1')).toMatchObject({ state: 'failed', attempts: 0, costUsd: 0 });
    expect(place.log).toEqual([]);
  });

  it('tells of every start and every end as it happens', async () => {
    const changes: PlanChange[] = [];
    const plan = aPlan([aStep(1), aStep(2, [1])]);
    const watch = (change: PlanChange) => void changes.push(change);
    await executePlan(plan, anExecution(aNoteBook(), { 1: async () => FAILED }, { watch }));

    expect(changes).toMatchObject([
      { kind: 'started', key: '1', attempt: 1 },
      { kind: 'ended', key: '1', result: { state: 'failed' } },
      { kind: 'ended', key: '2', result: { state: 'skipped' } },
    ]);
  });

  it('bounds what a step says', async () => {
    const acts = { 1: async () => ({ ...FAILED, message: 'x'.repeat(100_000), output: 'y'.repeat(1_000_000) }) };
    const { results } = await executePlan(aPlan([aStep(1)]), anExecution(aNoteBook(), acts));

    expect(results.get('1')?.cause?.message.length).toBe(2000);
    expect(results.get('1')?.output.length).toBe(64 * 1024);
  });
});

describe('a step that takes too long', BOUND, () => {
  const steps = [aStep('slow', [], { timeout_seconds: 7 }), aStep('after', ['slow']), aStep('beside')];

  /** Runs the plan; the time limit of the slow step passes once it has started, then what an action gets to end. */
  async function runSlow(slow: Act) {
    const timers = createTimers();
    const place = aNoteBook();
    const run = executePlan(aPlan(steps), anExecution(place, { slow }, { ...timers, graceMs: 10 }));
    await expect.poll(() => place.log).toContain('end beside');
    timers.fire(7000);
    const isDeaf = slow === DEAF;
    if (isDeaf) timers.fire(10);
    return (await run).results;
  }

  it('is stopped at its own time limit, and the others go on (004.R24)', async () => {
    const results = await runSlow(UNTIL_STOPPED);

    expect(toStates(results)).toEqual({
      slow: 'failed TIMEOUT null',
      after: 'skipped DEPENDENCY slow',
      beside: 'completed',
    });
    expect(results.get('slow')?.cause?.message).toBe('It took longer than 7 s.');
  });

  it('does not hang the run if it ignores its signal (004.R24)', async () => {
    const results = await runSlow(DEAF);

    expect(results.get('slow')?.cause).toMatchObject({ code: 'TIMEOUT' });
    expect(results.get('slow')?.cause?.message).toContain('may still be at work');
    expect(results.get('beside')?.state).toBe('completed');
  });

  it('completed if it completed although it was to stop', async () => {
    const results = await runSlow(
      (_step, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            resolve(DONE);
          });
        }),
    );

    expect(results.get('slow')?.state).toBe('completed');
  });

  it('is told what the action said when it was stopped', async () => {
    const results = await runSlow(
      (_step, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            resolve({ ...FAILED, output: 'half of it', costUsd: 0.01 });
          });
        }),
    );

    expect(results.get('slow')).toMatchObject({ cause: { code: 'TIMEOUT' }, output: 'half of it', costUsd: 0.01 });
  });
});

describe('a run that is stopped', BOUND, () => {
  it('ends running steps as cancelled, also deaf ones, and skips the rest', async () => {
    const timers = createTimers();
    const stop = new AbortController();
    const place = aNoteBook();
    const run = executePlan(
      aPlan([aStep('a'), aStep('deaf'), aStep('c', ['a']), aStep('d')]),
      anExecution(
        place,
        { a: UNTIL_STOPPED, deaf: DEAF },
        { ...timers, maxConcurrent: 2, signal: stop.signal, graceMs: 10 },
      ),
    );
    await expect.poll(() => place.log).toEqual(['start a', 'start deaf']);
    stop.abort();
    timers.fire(10);

    expect(toStates((await run).results)).toEqual({
      a: 'failed CANCELLED null',
      deaf: 'failed CANCELLED null',
      c: 'skipped CANCELLED null',
      d: 'skipped CANCELLED null',
    });
  });

  it('starts nothing if it was stopped before', async () => {
    const place = aNoteBook();
    const { stats } = await executePlan(
      aPlan([aStep(1), aStep(2)]),
      anExecution(place, {}, { signal: AbortSignal.abort() }),
    );

    expect(stats.skipped).toBe(2);
    expect(place.log).toEqual([]);
  });
});
