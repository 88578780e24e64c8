import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBudgetGuard, nestBudgetGuards } from '../../../src/pipeline/execution/budget-guard.ts';
import { executePlan } from '../../../src/pipeline/execution/execute-plan.ts';
import { createExecutionToolRegistry } from '../../../src/pipeline/execution/execution-tool-registry.ts';
import { aStep } from '../../core/execution/plan-steps.ts';
import { aNoteAdapter, aNoteBook, anExecution, aPlan, DONE, FAILED, toStates } from './execution-fixture.ts';

const costing = (estimate_usd: number) => ({ estimate_usd });

describe('the guard of a budget', () => {
  it('reserves at the check, so that a second step cannot spend the same money (004.R17, S34)', () => {
    const guard = createBudgetGuard({ limitUsd: 0.1 });

    expect([guard.check('a', 0.06), guard.check('b', 0.06), guard.check('c', 0.04)]).toEqual([true, false, true]);
    guard.update('a', 0.01);
    expect(guard.check('b', 0.05)).toBe(true);
    expect(guard.spentUsd()).toBe(0.01);
  });

  it('settles a reservation once, by what was measured, else by the estimate (004.R18)', () => {
    const guard = createBudgetGuard({ limitUsd: 1, spentUsd: 0.5 });
    guard.check('a', 0.1);
    guard.update('a', null);
    guard.update('a', 0.3);
    guard.check('b', 0.1);
    guard.update('b', 0.02);
    guard.update('never checked', 0.3);

    expect(guard.spentUsd()).toBe(0.62);
  });

  it('refuses an estimate that is no amount of money, and a step whose reservation is open', () => {
    const guard = createBudgetGuard({ limitUsd: 1 });
    guard.check('a', 0.1);

    expect([guard.check('a', 0.1), guard.check('b', Number.NaN), guard.check('b', -1)]).toEqual([false, false, false]);
  });

  it('asks all budgets, and takes nothing from any if one refuses (004.R19)', () => {
    const plan = createBudgetGuard({ limitUsd: 0.1 });
    const day = createBudgetGuard({ limitUsd: 0.05 });
    const both = nestBudgetGuards(plan, [day]);

    expect([both.check('a', 0.06), both.check('b', 0.05), both.check('c', 0.01)]).toEqual([false, true, false]);
    both.update('b', 0.02);
    expect([plan.spentUsd(), day.spentUsd(), both.spentUsd()]).toEqual([0.02, 0.02, 0.02]);
    expect(plan.check('d', 0.08)).toBe(true);
  });
});

describe('a plan with a budget', () => {
  it('does not overspend through parallel steps: those that do not fit are skipped, not failed (004.R17, R20)', async () => {
    const steps = Array.from({ length: 5 }, (_, index) => aStep(index, [], costing(0.04)));
    const { results, stats } = await executePlan(aPlan(steps), anExecution(aNoteBook(), {}, { maxConcurrent: 5 }));

    expect(stats).toMatchObject({ completed: 2, skipped: 3, failed: 0, costUsd: 0.08 });
    expect(results.get('4')?.cause).toMatchObject({ code: 'BUDGET', step: null });
  });

  it('goes on with cheaper independent steps; those that need a refused one are skipped for it (004.R19)', async () => {
    const plan = aPlan([aStep('dear', [], costing(0.2)), aStep('behind', ['dear']), aStep('cheap', [], costing(0.02))]);
    const { results } = await executePlan(plan, anExecution(aNoteBook()));

    expect(toStates(results)).toEqual({
      dear: 'skipped BUDGET null',
      behind: 'skipped DEPENDENCY dear',
      cheap: 'completed',
    });
  });

  it('waits for what running steps leave of their estimates before it refuses one', async () => {
    const steps = [aStep('a', [], costing(0.06)), aStep('b', [], costing(0.06)), aStep('c', [], costing(0.09))];
    const acts = { a: async () => ({ ...DONE, costUsd: 0.01 }), b: async () => ({ ...DONE, costUsd: 0.01 }) };
    const { results } = await executePlan(aPlan(steps), anExecution(aNoteBook(), acts));

    expect(toStates(results)).toEqual({ a: 'completed', b: 'completed', c: 'skipped BUDGET null' });
  });

  it('charges failed steps what they cost, and a step without a measure its estimate (004.R18)', async () => {
    const steps = [aStep('failed'), aStep('declared', [], costing(0.02)), aStep('free')];
    const acts = { failed: async () => ({ ...FAILED, costUsd: 0.03 }) };
    const { results, stats } = await executePlan(aPlan(steps), anExecution(aNoteBook(), acts));

    expect([...results.values()].map(({ costUsd }) => costUsd)).toEqual([0.03, 0.02, 0]);
    expect(stats.costUsd).toBe(0.05);
  });

  it('takes the estimate from earlier steps of the kind, else the default of its type (004.R22)', async () => {
    const registry = createExecutionToolRegistry([
      aNoteAdapter({}, { estimateUsd: 0.5 }),
      aNoteAdapter({}, { actionType: 'read_file', estimateUsd: 0.5 }),
    ]);
    const costsOf = (actionType: string) => (actionType === 'read_file' ? [0.01, 0.02, 0.03] : []);
    const plan = aPlan([aStep('unknown'), aStep('known', [], { action_type: 'read_file' })]);
    const { results } = await executePlan(plan, anExecution(aNoteBook(), {}, { registry, costsOf }));

    expect(toStates(results)).toEqual({ unknown: 'skipped BUDGET null', known: 'completed' });
    expect(results.get('known')?.costUsd).toBe(0.03);
  });

  it('never spends and reserves more than its limit, and gives each step one end, whatever runs beside what (004.R19)', async () => {
    const step = fc.record({
      estimate: fc.nat(60),
      share: fc.nat(100),
      needs: fc.array(fc.nat(), { maxLength: 2 }),
      turns: fc.nat(3),
      fails: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 15 }),
        fc.integer({ min: 1, max: 6 }),
        async (picks, maxConcurrent) => {
          const outer = createBudgetGuard({ limitUsd: 0.1 });
          let reserved = 0;
          let most = 0;
          const open = new Map<string, number>();
          const watched = {
            ...outer,
            check: (key: string, usd: number) => {
              if (!outer.check(key, usd)) return false;
              open.set(key, usd);
              reserved += usd;
              most = Math.max(most, outer.spentUsd() + reserved);
              return true;
            },
            update: (key: string, usd: number | null) => {
              reserved -= open.get(key) ?? 0;
              open.delete(key);
              outer.update(key, usd);
            },
          };
          const started: string[] = [];
          const steps = picks.map(({ estimate, needs }, index) =>
            aStep(index, index === 0 ? [] : needs.map((need) => need % index), costing(estimate / 1000)),
          );
          const acts = Object.fromEntries(
            picks.map(({ estimate, share, turns, fails }, index) => [
              String(index),
              async () => {
                started.push(String(index));
                for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
                return { ...(fails ? FAILED : DONE), costUsd: (estimate * share) / 100_000 };
              },
            ]),
          );
          const { results, stats } = await executePlan(
            aPlan(steps, 5),
            anExecution(aNoteBook(), acts, { maxConcurrent, budgets: [watched] }),
          );

          expect(most).toBeLessThanOrEqual(0.1 + 1e-9);
          expect(open.size).toBe(0);
          expect(new Set(started).size).toBe(started.length);
          expect(results.size).toBe(steps.length);
          expect(stats.completed + stats.failed + stats.skipped).toBe(steps.length);
          for (const { step_id, depends_on } of steps) {
            if (!started.includes(String(step_id))) continue;
            expect(depends_on.every((id) => results.get(String(id))?.state === 'completed')).toBe(true);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
