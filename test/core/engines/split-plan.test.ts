import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPlan } from '../../../src/core/engines/plan-hash.ts';
import { splitPlan } from '../../../src/core/engines/split-plan.ts';
import type { EnginePlan } from '../../../src/core/model/engine.ts';

function aPlan(targets: readonly string[]): EnginePlan {
  const inputs = {
    engine: 'a',
    project: '.',
    targets,
    configPath: null,
    args: [],
    enabled: true,
    profile: null,
    env: {},
    cwd: '.',
    excludes: [],
  };
  return createPlan('target', inputs, targets);
}

const fitsUpTo =
  (most: number) =>
  ({ targets }: EnginePlan): boolean =>
    targets.length <= most;

describe('a plan that is too long', () => {
  it('is left as it is where it fits', () => {
    const plan = aPlan(['a', 'b']);

    expect(splitPlan(plan, fitsUpTo(2))).toEqual([plan]);
  });

  it('is cut in halves, the longer one first, and keeps its hash', () => {
    const plan = aPlan(['a', 'b', 'c']);

    expect(splitPlan(plan, fitsUpTo(2))).toEqual([
      { ...plan, targets: ['a', 'b'] },
      { ...plan, targets: ['c'] },
    ]);
  });

  it('is left with one target where even that does not fit', () => {
    expect(splitPlan(aPlan(['a', 'b']), () => false).map(({ targets }) => targets)).toEqual([['a'], ['b']]);
    expect(splitPlan(aPlan([]), () => false)).toHaveLength(1);
  });

  it('loses no target, doubles none, keeps their order, and every part fits', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), fc.integer({ min: 1, max: 5 }), (targets, most) => {
        const parts = splitPlan(aPlan(targets), fitsUpTo(most));
        expect(parts.flatMap((part) => part.targets)).toEqual(targets);
        expect(parts.every(fitsUpTo(most))).toBe(true);
      }),
    );
  });
});
