import type { EnginePlan } from '../model/engine.ts';

/**
 * Splits a plan into plans with fewer targets, in order, that each fit the limit of a command line. A plan that fits or has a
 * single target is returned as it is. All parts keep the hash of the whole.
 */
export function splitPlan(plan: EnginePlan, fits: (part: EnginePlan) => boolean): readonly EnginePlan[] {
  const { targets } = plan;
  if (targets.length <= 1 || fits(plan)) return [plan];
  const middle = Math.ceil(targets.length / 2);
  return [targets.slice(0, middle), targets.slice(middle)].flatMap((part) =>
    splitPlan({ ...plan, targets: part }, fits),
  );
}
