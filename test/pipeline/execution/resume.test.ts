import { describe, expect, it } from 'vitest';
import type { ExecutionResult } from '../../../src/core/model/plan-run.ts';
import type { StructuredPlan } from '../../../src/core/model/structured-plan.ts';
import { executePlan } from '../../../src/pipeline/execution/execute-plan.ts';
import { createExecutionToolRegistry } from '../../../src/pipeline/execution/execution-tool-registry.ts';
import { beginPlanRun, type PlanJournal, resumePlanRun } from '../../../src/pipeline/execution/plan-journal.ts';
import { aStep } from '../../core/execution/plan-steps.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { memoryStore } from '../../support/store.ts';
import {
  type Act,
  aNoteAdapter,
  aNoteBook,
  anExecution,
  aPlan,
  DONE,
  FAILED,
  type NoteBook,
  toStates,
  UNTIL_STOPPED,
} from './execution-fixture.ts';

const owner = { owner: 'me', place: '/here' };

function deps() {
  let ids = 0;
  const newId = () => `id-${String((ids += 1))}`;
  return { store: memoryStore(), clock: createFakeClock(), newId };
}

/** The journal of a process that is killed at its nth write: before it, or right after it. */
function dyingJournal(journal: PlanJournal, at: number, when: 'before' | 'after'): PlanJournal {
  let writes = 0;
  const dying =
    <Args extends readonly unknown[]>(write: (...args: Args) => Promise<void>) =>
    async (...args: Args) => {
      writes += 1;
      if (writes > at || (writes === at && when === 'before')) throw new Error('killed');
      await write(...args);
      if (writes === at) throw new Error('killed');
    };
  return {
    ...journal,
    start: dying(journal.start),
    end: dying(journal.end),
    close: dying(journal.close),
  };
}

async function resume(
  { store, clock, newId }: ReturnType<typeof deps>,
  id: string,
  place: NoteBook,
  acts: Readonly<Record<string, Act>> = {},
): Promise<ExecutionResult> {
  clock.advance(60_000);
  const resumed = await resumePlanRun({ store, clock, newId }, id);
  if (resumed.kind !== 'resumed') throw new Error(resumed.kind);
  return executePlan(resumed.run.plan, anExecution(place, acts, { journal: resumed.journal, maxConcurrent: 1 }));
}

describe('a run that is stored', () => {
  it('goes on after the last completed step; a step that was stopped is undone and runs again (004.R26, R30)', async () => {
    const all = deps();
    const place = aNoteBook();
    const plan = aPlan([aStep(1), aStep(2, [1]), aStep(3, [2])]);
    const { run, journal } = await beginPlanRun(all, { plan, ...owner });
    const stop = new AbortController();
    const running = executePlan(plan, anExecution(place, { 2: UNTIL_STOPPED }, { journal, signal: stop.signal }));
    await expect.poll(() => place.log).toContain('start 2');
    const kept = all.store.planSteps(run.id);
    stop.abort();
    const first = await running;
    const second = await resume(all, run.id, place);

    // The undo is stored while the action is at work.
    expect(kept.at(-1)).toMatchObject({ key: '2', result: null, compensation: { note: '2' }, sequence: 2 });
    expect(toStates(first.results)).toEqual({
      1: 'completed',
      2: 'failed CANCELLED null',
      3: 'skipped CANCELLED null',
    });
    expect(toStates(second.results)).toEqual({ 1: 'completed', 2: 'completed', 3: 'completed' });
    expect(second.results.get('2')?.attempts).toBe(2);
    expect(place.log).toEqual(['start 1', 'end 1', 'start 2', 'undo 2', 'start 2', 'end 2', 'start 3', 'end 3']);
    expect(all.store.planRun(run.id)).toMatchObject({ status: 'completed' });
  });

  const plans: readonly [string, StructuredPlan, Readonly<Record<string, Act>>][] = [
    ['that completes', aPlan([aStep(1), aStep(2, [1]), aStep(3, [1]), aStep(4, [2, 3])]), {}],
    ['with a failure', aPlan([aStep(1), aStep(2), aStep(3, [2]), aStep(4, [1])]), { 2: async () => FAILED }],
    [
      'that is undone',
      aPlan([aStep(1), aStep(2, [1]), aStep(3, [2], { rollback_on_fail: true }), aStep(4, [3])]),
      { 3: async () => FAILED },
    ],
    [
      'that spends its budget',
      aPlan([aStep(1, [], { estimate_usd: 0.06 }), aStep(2, [], { estimate_usd: 0.06 }), aStep(3, [2]), aStep(4)]),
      {},
    ],
  ];

  it.each(plans)('%s ends the same if its process is killed at any write (004.R26, R30)', async (_what, plan, acts) => {
    const whole = aNoteBook();
    const expected = await executePlan(plan, anExecution(whole, acts, { maxConcurrent: 1 }));
    let isKilled = true;
    for (let at = 1; isKilled; at += 1) {
      for (const when of ['before', 'after'] as const) {
        const all = deps();
        const place = aNoteBook();
        const { run, journal } = await beginPlanRun(all, { plan, ...owner });
        const dying = dyingJournal(journal, at, when);
        const end = await executePlan(plan, anExecution(place, acts, { journal: dying, maxConcurrent: 1 })).catch(
          () => null,
        );
        isKilled = end === null;
        if (isKilled) all.clock.advance(60_000);
        const isFound = all.store.abandonedPlanRuns(all.clock.now(), 9).map(({ id }) => id);
        const isOver = all.store.planRun(run.id)?.status === 'completed';
        const { results } = await resume(all, run.id, place, acts);

        expect(isFound).toEqual(isOver ? [] : [run.id]);
        expect(toStates(results)).toEqual(toStates(expected.results));
        expect(place.notes).toEqual(whole.notes);
        expect(place.log.filter((line) => line === 'end 1').length).toBeLessThanOrEqual(2);
      }
    }
  });

  it('is not taken from a process that is alive, and is lost by one that was silent for too long (S40)', async () => {
    const all = deps();
    const place = aNoteBook();
    const plan = aPlan([aStep(1), aStep(2, [1])]);
    const { run, journal } = await beginPlanRun(all, { plan, ...owner });
    const early = await resumePlanRun(all, run.id);
    const acts: Readonly<Record<string, Act>> = {
      1: async () => {
        all.clock.advance(60_001);
        all.store.leasePlanRun(run.id, { id: 'other', now: all.clock.now(), until: all.clock.now() + 1000 });
        return DONE;
      },
    };
    const late = executePlan(plan, anExecution(place, acts, { journal }));

    expect(early.kind).toBe('busy');
    await expect(late).rejects.toThrow('run by another process');
    expect(place.log).not.toContain('start 2');
    expect((await resumePlanRun(all, 'x')).kind).toBe('unknown');
  });

  it('repeats what the undo of an unfinished step took back from its siblings (004.R30)', async () => {
    const all = deps();
    const place = aNoteBook();
    // Its undo restores the whole place as it was: what was noted since is gone.
    const wide = aNoteAdapter(
      {},
      {
        prepareUndo: async (_step, input) => ({ all: [...input.place.notes] }),
        restoresPlace: () => true,
        undo: async ({ all: notes }, book) => {
          book.notes.clear();
          for (const note of Array.isArray(notes) ? notes : []) book.notes.add(String(note));
          return { note: null };
        },
      },
    );
    const narrow = (acts: Readonly<Record<string, Act>>) => ({ ...aNoteAdapter(acts), actionType: 'note' });
    const plan = aPlan([
      aStep('before', [], { action_type: 'note' }),
      aStep('wide', ['before']),
      aStep('beside', ['before'], { action_type: 'note' }),
    ]);
    const { run, journal } = await beginPlanRun(all, { plan, ...owner });
    const stop = new AbortController();
    const stopped = { ...wide, act: aNoteAdapter({ wide: UNTIL_STOPPED }).act };
    const first = executePlan(
      plan,
      anExecution(
        place,
        {},
        { journal, signal: stop.signal, registry: createExecutionToolRegistry([stopped, narrow({})]) },
      ),
    );
    await expect.poll(() => all.store.planSteps(run.id).filter(({ result }) => result !== null)).toHaveLength(2);
    stop.abort();
    await first;
    const resumed = await resumePlanRun(all, run.id);
    if (resumed.kind !== 'resumed') throw new Error(resumed.kind);
    const registry = createExecutionToolRegistry([wide, narrow({})]);
    const { stats } = await executePlan(plan, anExecution(place, {}, { journal: resumed.journal, registry }));

    expect(stats.completed).toBe(3);
    expect(place.notes).toEqual(new Set(['before', 'wide', 'beside']));
    expect(place.log.filter((line) => line === 'start before')).toHaveLength(1);
  });
});
