import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pickResults, toSkipped, trackPlan } from '../../../src/core/execution/track-plan.ts';
import type { StepCause, StepResult, StepState } from '../../../src/core/model/plan-run.ts';
import type { StructuredStep } from '../../../src/core/model/structured-plan.ts';
import { aResult, aStep, failing } from './plan-steps.ts';

const done = aResult();
const failed = aResult({ state: 'failed', cause: { code: 'ACTION_FAILED', step: null, message: 'no' } });
const stopped: StepCause = { code: 'CANCELLED', step: null, message: 'stopped' };

/** Runs a plan one step at a time; `ends` says how a step ends, by key. Returns the order of the starts and the ends. */
function play(
  steps: readonly StructuredStep[],
  ends: Readonly<Record<string, StepResult>> = {},
  kept: ReadonlyMap<string, StepResult> = new Map(),
) {
  const tracker = trackPlan(steps, kept);
  const started: string[] = [];
  for (let step = tracker.takeNext(); step !== null; step = tracker.takeNext()) {
    const key = String(step.step_id);
    started.push(key);
    tracker.end(key, ends[key] ?? done);
  }
  return { started, results: tracker.results };
}

function toCauses(results: ReadonlyMap<string, StepResult>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...results].map(([key, { state, cause }]) => [
      key,
      cause === null ? state : `${cause.code} ${String(cause.step)}`,
    ]),
  );
}

describe('the steps of a run', () => {
  it('become ready when all that they follow have ended, and start in the order of the plan (004.R9)', () => {
    const tracker = trackPlan([aStep('d', ['b', 'c']), aStep('b', ['a']), aStep('c'), aStep('a')]);
    const first = [tracker.takeNext(), tracker.takeNext(), tracker.takeNext()];
    tracker.end('c', done);
    const early = tracker.takeNext();
    tracker.end('a', done);
    const b = tracker.takeNext();
    tracker.end('b', done);

    expect(first.map((step) => step?.step_id)).toEqual(['c', 'a', undefined]);
    expect(early).toBeNull();
    expect(b?.step_id).toBe('b');
    expect(tracker.takeNext()?.step_id).toBe('d');
  });

  it('that become ready late start before later ones of the plan that have waited longer', () => {
    const tracker = trackPlan([aStep('a'), aStep('a2', ['a']), aStep('b'), aStep('c'), aStep('b2', ['b']), aStep('d')]);
    const start = (): unknown => tracker.takeNext()?.step_id;
    const first = [start(), start()];
    tracker.end('b', done);
    const second = start();
    tracker.end('a', done);

    expect([...first, second, start(), start(), start(), start()]).toEqual(['a', 'b', 'c', 'a2', 'b2', 'd', undefined]);
  });

  it('are skipped, and all behind them, because of the step that did not complete (004.R8, R9)', () => {
    const plan = [aStep(1), aStep(2, [1]), aStep(3, [2]), aStep(4), aStep(5, [4, 3])];
    const { started, results } = play(plan, { 1: failed });

    expect(started).toEqual(['1', '4']);
    expect(toCauses(results)).toEqual({
      1: 'ACTION_FAILED null',
      2: 'DEPENDENCY 1',
      3: 'DEPENDENCY 2',
      4: 'completed',
      5: 'DEPENDENCY 3',
    });
    expect(results.get('2')).toEqual(
      toSkipped({ code: 'DEPENDENCY', step: 1, message: 'Step 1, which it needs, did not complete.' }),
    );
  });

  it.each<[string, 'completed' | 'failed' | 'ended', StepState, boolean]>([
    ['runs after a failure that it waits for', 'failed', 'failed', true],
    ['does not run after a success if it waits for a failure', 'failed', 'completed', false],
    ['runs after a success that it waits for', 'completed', 'completed', true],
    ['does not run after a failure if it waits for a success', 'completed', 'failed', false],
    ['runs after any end: a success', 'ended', 'completed', true],
    ['runs after any end: a failure', 'ended', 'failed', true],
    ['never runs after a step that was skipped', 'ended', 'skipped', false],
    ['does not take a skipped step for a failed one', 'failed', 'skipped', false],
    ['does not take an undone step for a completed one', 'completed', 'rolled_back', false],
  ])('a conditional step %s (004.R32, S39)', (_what, is, state, runs) => {
    // The condition replaces the demand that the step completed, also where it is a dependency too (S39).
    const plan = [aStep('a'), aStep('b', ['a'], { when: { step: 'a', is } })];
    const { started, results } = play(plan, { a: aResult({ state }) });

    expect(started).toEqual(runs ? ['a', 'b'] : ['a']);
    expect(results.get('b')?.cause).toEqual(
      runs
        ? null
        : {
            code: 'CONDITION',
            step: 'a',
            message: `It runs only if step "a" has ${is === 'ended' ? 'run' : is}, which it has not.`,
          },
    );
  });

  it('name the dependency before the condition, and in the order of the step', () => {
    const plan = [aStep('c'), aStep('b'), aStep('a'), aStep('d', ['a', 'b'], { when: { step: 'c', is: 'failed' } })];

    expect(toCauses(play(plan, { a: failed, b: failed }).results)['d']).toBe('DEPENDENCY a');
  });

  it('end once: a second end, and the end of a step that was not taken, change nothing (S35)', () => {
    const tracker = trackPlan([aStep(1), aStep(2, [1])]);
    tracker.takeNext();

    expect(tracker.end('2', done)).toEqual([]);
    expect(tracker.end('9', done)).toEqual([]);
    expect(tracker.end('1', failed)).toHaveLength(2);
    expect(tracker.end('1', done)).toEqual([]);
    expect(tracker.results.get('1')).toBe(failed);
  });

  it('that were not taken are skipped when the run stops, and none becomes ready after that', () => {
    const tracker = trackPlan([aStep(1), aStep(2), aStep(3, [1]), aStep(4, [3])]);
    tracker.takeNext();
    const skipped = tracker.skipRest(stopped);

    expect(skipped.map(({ key }) => key)).toEqual(['2', '3', '4']);
    expect(tracker.end('1', done).map(({ key }) => key)).toEqual(['1']);
    expect(tracker.takeNext()).toBeNull();
    expect(tracker.skipRest(stopped)).toEqual([]);
    expect(toCauses(tracker.results)).toEqual({
      1: 'completed',
      2: 'CANCELLED null',
      3: 'CANCELLED null',
      4: 'CANCELLED null',
    });
  });

  it('stay as an earlier process left them, and the others follow from that', () => {
    const plan = [aStep(1), aStep(2), aStep(3, [1]), aStep(4, [2]), aStep(5, [4])];
    const { started, results } = play(
      plan,
      {},
      new Map([
        ['1', done],
        ['2', failed],
      ]),
    );

    expect(started).toEqual(['3']);
    expect(toCauses(results)).toMatchObject({ 3: 'completed', 4: 'DEPENDENCY 2', 5: 'DEPENDENCY 4' });
  });

  it('get the results of the steps that they follow, and of no other (004.R10)', () => {
    const results = new Map([
      ['1', done],
      ['2', failed],
    ]);

    expect(pickResults(results, new Set(['2', '3']))).toEqual(new Map([['2', failed]]));
  });

  it('complete once, after all that they need, and every step has an end, in any plan with any failures (004.R6, S35)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ needs: fc.array(fc.nat(), { maxLength: 3 }), fails: fc.boolean() }), { maxLength: 25 }),
        (picks) => {
          const steps = picks.map(({ needs }, index) =>
            aStep(index, index === 0 ? [] : needs.map((need) => need % index)),
          );
          const { started, results } = play(steps, failing(picks.map(({ fails }) => fails)));

          expect(new Set(started).size).toBe(started.length);
          expect(results.size).toBe(steps.length);
          for (const { step_id, depends_on } of steps) {
            const isReady = depends_on.every((id) => results.get(String(id))?.state === 'completed');
            expect(started.includes(String(step_id))).toBe(isReady);
            for (const id of isReady ? depends_on : []) {
              expect(started.indexOf(String(id))).toBeLessThan(started.indexOf(String(step_id)));
            }
          }
        },
      ),
    );
  });

  it('are tracked in time that grows with their number, in a chain, a fan and a skipped chain of 10,000 (004.R25)', () => {
    const chain = Array.from({ length: 10_000 }, (_, index) => aStep(index, index === 0 ? [] : [index - 1]));
    const fan = [aStep('first'), ...Array.from({ length: 10_000 }, (_, index) => aStep(index, ['first']))];

    expect(play(chain).started).toHaveLength(10_000);
    expect(play(fan).started).toHaveLength(10_001);
    expect(play(chain, { 0: failed }).results.size).toBe(10_000);
  });
});
