import { describe, expect, it } from 'vitest';
import { executePlan } from '../../../src/pipeline/execution/execute-plan.ts';
import { beginPlanRun, resumePlanRun } from '../../../src/pipeline/execution/plan-journal.ts';
import { aStep } from '../../core/execution/plan-steps.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { memoryStore } from '../../support/store.ts';
import { aNoteBook, anExecution, aPlan, DONE, toStates } from './execution-fixture.ts';

function aJournalist() {
  let ids = 0;
  const clock = createFakeClock();
  return { store: memoryStore(), clock, newId: () => `id-${String((ids += 1))}` };
}

describe('a run that is stored', () => {
  it('is resumed after the last completed step, and a step that was stopped runs again (004.R26, R30)', async () => {
    const deps = aJournalist();
    const place = aNoteBook();
    const plan = aPlan([aStep(1), aStep(2, [1]), aStep(3, [2])]);
    const { run, journal } = await beginPlanRun(deps, { plan, owner: 'me', place: '/here' });
    const stop = new AbortController();
    const first = await executePlan(
      plan,
      anExecution(
        place,
        {
          2: async (_step, signal) => {
            stop.abort();
            signal.throwIfAborted();
            return DONE;
          },
        },
        { journal, signal: stop.signal },
      ),
    );
    const resumed = await resumePlanRun(deps, run.id);
    if (resumed.kind !== 'resumed') throw new Error(resumed.kind);
    const second = await executePlan(resumed.run.plan, anExecution(place, {}, { journal: resumed.journal }));

    expect(toStates(first.results)).toEqual({
      1: 'completed',
      2: 'failed CANCELLED null',
      3: 'skipped CANCELLED null',
    });
    expect(toStates(second.results)).toEqual({ 1: 'completed', 2: 'completed', 3: 'completed' });
    expect(place.log).toEqual(['start 1', 'end 1', 'start 2', 'undo 2', 'start 2', 'end 2', 'start 3', 'end 3']);
    expect(deps.store.planRun(run.id)).toMatchObject({ status: 'completed' });
  });
});
