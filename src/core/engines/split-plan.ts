import type { EnginePlan } from '../model/engine.ts';

/**
 * A plan as plans of fewer targets, in order, each of which fits: a command line has a limit. What fits is one plan, the given one;
 * what does not fit even with a single target is left as it is. All keep the hash of the whole.
 */
export function splitPlan(plan: EnginePlan, fits: (part: EnginePlan) => boolean): readonly EnginePlan[] {
  const { targets } = plan;
  if (targets.length <= 1 || fits(plan)) return [plan];
  const middle = Math.ceil(targets.length / 2);
  return [targets.slice(0, middle), targets.slice(middle)].flatMap((part) =>
    splitPlan({ ...plan, targets: part }, fits),
  );
}
