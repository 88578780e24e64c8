import { describe, expect, it } from 'vitest';
import { executePlan } from '../../../src/pipeline/execution/execute-plan.ts';
import { beginPlanRun } from '../../../src/pipeline/execution/plan-journal.ts';
import { aStep } from '../../core/execution/plan-steps.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { memoryStore } from '../../support/store.ts';
import { aNoteBook, anExecution, aPlan, DONE } from './execution-fixture.ts';

const MANY = 10_000;

describe('a plan of 10,000 steps', () => {
  it.each([
    ['beside each other', (index: number) => (index === 0 ? [] : [0])],
    ['in a chain', (index: number) => (index === 0 ? [] : [index - 1])],
    ['in a tree', (index: number) => (index === 0 ? [] : [(index - 1) >> 1])],
  ])('%s runs each of them once (004.R25)', async (_what, toNeeds) => {
    const place = aNoteBook();
    const steps = Array.from({ length: MANY }, (_, index) => aStep(index, toNeeds(index)));
    const { stats } = await executePlan(aPlan(steps), anExecution(place));

    expect(stats.completed).toBe(MANY);
    expect(place.log).toHaveLength(2 * MANY);
  });

  it('have outputs of at most 16 MiB together, so that a plan cannot fill the memory', async () => {
    const output = 'é'.repeat(512 * 1024);
    const steps = Array.from({ length: 300 }, (_, index) => aStep(index));
    const acts = Object.fromEntries(steps.map(({ step_id }) => [String(step_id), async () => ({ ...DONE, output })]));
    const { results, stats } = await executePlan(aPlan(steps), anExecution(aNoteBook(), acts));

    const lengths = [...results.values()].map((result) => Buffer.byteLength(result.output));
    expect(stats.completed).toBe(300);
    expect(lengths[0]).toBe(64 * 1024);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(16 * 1024 * 1024);
  });

  it('that do not fit into the budget are all skipped, without asking each of them again and again (004.R19)', async () => {
    let asked = 0;
    const budget = {
      check: (key: string) => {
        asked += 1;
        return key === '0';
      },
      update: () => {},
      spentUsd: () => 0,
    };
    const steps = Array.from({ length: MANY }, (_, index) => aStep(index));
    const { stats } = await executePlan(aPlan(steps), anExecution(aNoteBook(), {}, { budgets: [budget] }));

    expect(stats).toMatchObject({ completed: 1, skipped: MANY - 1 });
    expect(asked).toBeLessThan(3 * MANY);
  });

  it('is stored with all its steps (004.R26)', async () => {
    let ids = 0;
    const deps = { store: memoryStore(), clock: createFakeClock(), newId: () => `id-${String((ids += 1))}` };
    const plan = aPlan(Array.from({ length: MANY }, (_, index) => aStep(index)));
    const { run, journal } = await beginPlanRun(deps, { plan, owner: 'me', place: '/here' });
    await executePlan(plan, anExecution(aNoteBook(), {}, { journal, maxConcurrent: 8 }));

    expect(deps.store.planSteps(run.id).filter(({ result }) => result?.state === 'completed')).toHaveLength(MANY);
  });
});
