import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBatches } from '../../../src/core/execution/plan-batches.ts';
import { findPlanErrors, type PlanError } from '../../../src/core/execution/validate-plan.ts';
import type { StepId, StructuredStep } from '../../../src/core/model/structured-plan.ts';
import { aStep } from './plan-steps.ts';

const supported = new Set(['run_command', 'read_file']);

function toIds(steps: readonly StructuredStep[]): readonly (readonly StepId[])[] {
  return toBatches(steps).batches.map((batch) => batch.map(({ step_id }) => step_id));
}

describe('the batches of a plan', () => {
  it.each<[string, readonly StructuredStep[], readonly (readonly StepId[])[]]>([
    ['one for independent steps, in the order of the plan', [aStep(3), aStep(1), aStep('b')], [[3, 1, 'b']]],
    ['one for each link of a chain', [aStep(3, [2]), aStep(2, [1]), aStep(1)], [[1], [2], [3]]],
    ['three for a diamond', [aStep(1), aStep(2, [1]), aStep(3, [1]), aStep(4, [2, 3])], [[1], [2, 3], [4]]],
    ['the first possible one for each step', [aStep(1), aStep(2, [1]), aStep(3)], [[1, 3], [2]]],
    ['not moved by a dependency that is named twice', [aStep(1), aStep(2, [1, '1'])], [[1], [2]]],
    ['ordered by a condition too', [aStep(1), aStep(2, [], { when: { step: '1', is: 'failed' } })], [[1], [2]]],
  ])('are %s', (_what, steps, batches) => {
    expect(toIds(steps)).toEqual(batches);
  });

  it('leave out the steps of a ring and those behind it', () => {
    const { batches, rest } = toBatches([aStep(1), aStep(2, [3]), aStep(3, [2]), aStep(4, [3])]);

    expect(batches.flat().map(({ step_id }) => step_id)).toEqual([1]);
    expect(rest.map(({ step_id }) => step_id)).toEqual([2, 3, 4]);
  });

  it('have each step once and after all that it follows, in any plan without a ring', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(), { maxLength: 4 }), { maxLength: 30 }), fc.nat(), (picks, turn) => {
        const steps = picks.map((needs, index) =>
          aStep(
            index,
            needs.filter(() => index > 0).map((need) => need % index),
          ),
        );
        const turned = [...steps.slice(turn % (steps.length + 1)), ...steps.slice(0, turn % (steps.length + 1))];
        const at = new Map(toIds(turned).flatMap((batch, index) => batch.map((id) => [id, index] as const)));

        expect([...at.keys()].toSorted()).toEqual(steps.map(({ step_id }) => step_id).toSorted());
        for (const { step_id, depends_on } of steps) {
          const before = depends_on.map((id) => at.get(id) ?? Number.NaN);
          // The first possible batch: right behind the last of its dependencies.
          expect(at.get(step_id)).toBe(Math.max(-1, ...before) + 1);
        }
      }),
    );
  });

  it('of 10,000 steps behind one, and of a chain of as many, are found at once', () => {
    const wide = [aStep('first'), ...Array.from({ length: 10_000 }, (_, index) => aStep(index, ['first']))];
    const long = Array.from({ length: 10_000 }, (_, index) => aStep(index, index === 0 ? [] : [index - 1]));

    expect(toIds(wide).map(({ length }) => length)).toEqual([1, 10_000]);
    expect(toIds(long)).toHaveLength(10_000);
    expect(findPlanErrors(long, { supported })).toEqual([]);
  });
});

describe('a plan that cannot run', () => {
  it.each<[string, readonly StructuredStep[], Omit<PlanError, 'code'>]>([
    ['without steps', [], { reason: 'no_steps', steps: [], message: 'The plan has no steps.' }],
    [
      'with an id of two steps',
      [aStep(1), aStep('1')],
      { reason: 'duplicate_id', steps: [1], message: '2 steps have the id 1.' },
    ],
    [
      'that needs a step it does not have',
      [aStep(1, [7])],
      { reason: 'unknown_dependency', steps: [1], message: 'Step 1 needs step "7", which the plan does not have.' },
    ],
    [
      'with a condition on a step it does not have',
      [aStep(1, [], { when: { step: 'x', is: 'completed' } })],
      { reason: 'unknown_dependency', steps: [1], message: 'Step 1 needs step "x", which the plan does not have.' },
    ],
    [
      'with an action that nothing carries out',
      [aStep('a', [], { action_type: 'fly' })],
      {
        reason: 'unsupported_action',
        steps: ['a'],
        message: 'UNSUPPORTED_ACTION: step "a" has the action type "fly"; there is run_command, read_file.',
      },
    ],
    ['whose step needs itself', [aStep(1, [1])], { reason: 'cycle', steps: [1], message: 'Step 1 needs itself.' }],
    [
      'with a ring, which is named in the order of its steps',
      [aStep(0), aStep(1, [3, 0]), aStep(2, [1]), aStep(3, [2]), aStep(4, [1])],
      { reason: 'cycle', steps: [2, 3, 1], message: 'The steps need each other in a ring: 2 → 3 → 1 → 2.' },
    ],
    [
      'with a ring through a condition, seen from a step behind it',
      [aStep('z', ['a']), aStep('a', ['b']), aStep('b', [], { when: { step: 'a', is: 'failed' } })],
      { reason: 'cycle', steps: ['b', 'a'], message: 'The steps need each other in a ring: "b" → "a" → "b".' },
    ],
  ])('%s', (_what, steps, error) => {
    expect(findPlanErrors(steps, { supported })).toEqual([{ code: 'PLAN_INVALID', ...error }]);
  });

  it('is told all that is wrong, but for rings where an id names two steps', () => {
    const steps = [aStep(1, [2]), aStep(1), aStep(2, [1]), aStep(3, [9])];

    expect(findPlanErrors(steps, { supported }).map(({ reason }) => reason)).toEqual([
      'duplicate_id',
      'unknown_dependency',
    ]);
  });

  it('gives at most 20 errors, and shortens long ids and rings', () => {
    const many = Array.from({ length: 50 }, (_, index) => aStep(index, ['gone']));
    const ring = Array.from({ length: 50 }, (_, index) => aStep(index, [(index + 1) % 50]));
    const [error] = findPlanErrors(ring, { supported });

    expect(findPlanErrors(many, { supported })).toHaveLength(20);
    expect(error?.steps).toHaveLength(50);
    expect(error?.message).toMatch(/^The steps need each other in a ring: 49 → 48 .* → 30 more → 49\.$/u);
    expect(findPlanErrors([aStep('x'.repeat(200), ['gone'])], { supported })[0]?.message.length).toBeLessThan(150);
  });
});
