import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { tidyPlanRuns } from '../../../src/pipeline/execution/tidy-plan-runs.ts';
import type { NewPlanRun, PlanStepEnd, PlanStepStart } from '../../../src/ports/plan-run-store.ts';
import { aResult, aStep } from '../../core/execution/plan-steps.ts';
import { memoryStore, temporaryFolder } from '../../support/store.ts';

const DAY = 24 * 60 * 60_000;
const LEASE = { id: 'lease-1', until: 1000 };

function aRun(id: string, change: Partial<NewPlanRun> = {}): NewPlanRun {
  const plan = { steps: [aStep(1), aStep('b', [1], { when: { step: 1, is: 'ended' } })], budget_usd: 0.3 };
  return { id, plan, budgetUsd: 0.3, owner: 'me', place: '/here', startedAt: 10, ...change };
}

function aStart(key: string, sequence: number, change: Partial<PlanStepStart> = {}): PlanStepStart {
  return { key, actionType: 'run_command', sequence, compensation: { undo: key }, attempts: 1, costUsd: 0, ...change };
}

function anEnd(key: string, change: Partial<PlanStepEnd> = {}): PlanStepEnd {
  const rest = { measuredUsd: null, startsAtEnd: null, isUndone: false };
  return { key, actionType: 'run_command', result: aResult(), ...rest, ...change };
}

describe('stored runs of plans', () => {
  it('hold the plan, its steps in the order of their starts, and their cost (004.R26)', () => {
    const store = memoryStore();
    const cause = { code: 'DEPENDENCY', step: 1, message: 'Step 1 did not complete.' } as const;
    store.beginPlanRun(aRun('run'), LEASE);
    store.startPlanStep('run', 'lease-1', aStart('b', 1));
    store.startPlanStep('run', 'lease-1', aStart('1', 2, { compensation: null, costUsd: 0.1 }));
    const half = store.planSteps('run');
    store.endPlanSteps('run', 'lease-1', [
      anEnd('b', { result: aResult({ costUsd: 0.2, durationMs: 7, output: 'o' }), measuredUsd: 0.2, startsAtEnd: 2 }),
      anEnd('x', { result: aResult({ state: 'skipped', cause, attempts: 0 }) }),
    ]);

    expect(store.planRun('run')).toEqual({ ...aRun('run'), status: 'active', endedAt: null, costUsd: 0.3 });
    expect(half[1]).toEqual({
      ...aStart('1', 2, { compensation: null, costUsd: 0.1 }),
      result: null,
      startsAtEnd: null,
    });
    expect(store.planSteps('run')).toMatchObject([
      {
        key: 'b',
        compensation: { undo: 'b' },
        startsAtEnd: 2,
        result: { state: 'completed', durationMs: 7, output: 'o' },
      },
      { key: '1', result: null },
      { key: 'x', sequence: null, result: { cause } },
    ]);
    expect(store.planRun('none')).toBeNull();
  });

  it('start a step again, and forget what was undone', () => {
    const store = memoryStore();
    store.beginPlanRun(aRun('run'), LEASE);
    store.startPlanStep('run', 'lease-1', aStart('1', 1));
    store.endPlanSteps('run', 'lease-1', [anEnd('1', { measuredUsd: 0.1, startsAtEnd: 1 })]);
    store.endPlanSteps('run', 'lease-1', [anEnd('1', { result: aResult({ state: 'rolled_back' }), isUndone: true })]);
    const undone = store.planSteps('run');
    store.startPlanStep('run', 'lease-1', aStart('1', 2, { attempts: 2 }));

    expect(undone).toMatchObject([{ compensation: null, startsAtEnd: 1, result: { state: 'rolled_back' } }]);
    expect(store.planSteps('run')).toMatchObject([{ sequence: 2, attempts: 2, result: null, startsAtEnd: null }]);
  });

  it('are written by the holder of the lease only (S40)', () => {
    const store = memoryStore();
    store.beginPlanRun(aRun('run'), LEASE);
    const early = store.leasePlanRun('run', { id: 'lease-2', now: 999, until: 2000 });
    const late = store.leasePlanRun('run', { id: 'lease-2', now: 1000, until: 2000 });

    expect([early, late]).toEqual([false, true]);
    expect(store.renewPlanLease('run', LEASE)).toBe(false);
    expect(store.renewPlanLease('run', { id: 'lease-2', until: 3000 })).toBe(true);
    const lost = 'run by another process';
    expect(() => {
      store.startPlanStep('run', 'lease-1', aStart('1', 1));
    }).toThrow(lost);
    expect(() => {
      store.endPlanSteps('run', 'lease-1', [anEnd('1')]);
    }).toThrow(lost);
    expect(() => {
      store.endPlanRun('run', 'lease-1', 5);
    }).toThrow(lost);
    expect(() => {
      store.releasePlanRun('run', 'lease-1');
    }).toThrow(lost);
    expect(store.planSteps('run')).toEqual([]);
  });

  it('are found when their process has died, oldest first (004.R26)', () => {
    const store = memoryStore();
    store.beginPlanRun(aRun('alive', { startedAt: 1 }), { id: 'a', until: 5000 });
    store.beginPlanRun(aRun('dead', { startedAt: 2 }), LEASE);
    store.beginPlanRun(aRun('released', { startedAt: 3 }), LEASE);
    store.releasePlanRun('released', 'lease-1');
    store.beginPlanRun(aRun('over', { startedAt: 4 }), LEASE);
    store.endPlanRun('over', 'lease-1', 500);

    expect(store.abandonedPlanRuns(1000, 9).map(({ id }) => id)).toEqual(['dead', 'released']);
    expect(store.abandonedPlanRuns(1000, 1).map(({ id }) => id)).toEqual(['dead']);
    expect(store.planRuns('me', 3).map(({ id }) => id)).toEqual(['over', 'released', 'dead']);
    expect(store.planRuns('other', 3)).toEqual([]);
    expect(store.planRun('over')).toMatchObject({ status: 'completed', endedAt: 500 });
  });

  it('tell what completed steps of a kind measured, newest first, for each owner apart (004.R22)', () => {
    const store = memoryStore();
    store.beginPlanRun(aRun('run'), LEASE);
    store.beginPlanRun(aRun('other', { owner: 'other' }), LEASE);
    const failed = aResult({ state: 'failed' });
    store.endPlanSteps('run', 'lease-1', [
      anEnd('1', { measuredUsd: 0.1 }),
      anEnd('2', { measuredUsd: null }),
      anEnd('3', { measuredUsd: 0.3 }),
      anEnd('4', { measuredUsd: 0.4, result: failed }),
      anEnd('5', { measuredUsd: 0.5, actionType: 'read_file' }),
    ]);
    store.endPlanSteps('other', 'lease-1', [anEnd('1', { measuredUsd: 0.9 })]);

    expect(store.planStepCosts('me', 'run_command', 9)).toEqual([0.3, 0.1]);
    expect(store.planStepCosts('me', 'run_command', 1)).toEqual([0.3]);
  });

  it('are archived a while after their end, and deleted with their steps later; unfinished ones only when old (004.R26)', () => {
    const store = memoryStore();
    for (const id of ['over', 'held', 'left']) store.beginPlanRun(aRun(id), { ...LEASE, until: 100 * DAY });
    store.endPlanSteps('over', 'lease-1', [anEnd('1')]);
    store.endPlanRun('over', 'lease-1', 10);
    store.releasePlanRun('left', 'lease-1');
    const first = tidyPlanRuns(store, 15 * DAY);
    const archived = store.planRun('over');
    const listed = store.planRuns('me', 9).map(({ id }) => id);
    const second = tidyPlanRuns(store, 61 * DAY);

    expect([first, second]).toEqual([0, 2]);
    expect(archived?.status).toBe('archived');
    expect(listed.toSorted()).toEqual(['held', 'left']);
    expect(['over', 'left', 'held'].map((id) => store.planRun(id)?.id ?? null)).toEqual([null, null, 'held']);
    expect(store.planSteps('over')).toEqual([]);
    expect(store.leasePlanRun('over', { id: 'x', now: 0, until: 1 })).toBe(false);
  });

  it('outlive the process, in a file of their own', () => {
    const folder = temporaryFolder();
    const path = join(folder.path, 'plans.db');
    const first = createStore({ path });
    first.beginPlanRun(aRun('run'), LEASE);
    first.startPlanStep('run', 'lease-1', aStart('1', 1));
    first.close();
    const second = createStore({ path });
    const steps = second.planSteps('run');
    second.close();
    folder.remove();

    expect(steps).toMatchObject([{ key: '1', compensation: { undo: '1' }, result: null }]);
  });
});
