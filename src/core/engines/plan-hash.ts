import { sha256 } from '../hash/sha256.ts';
import type { EngineMode, EnginePlan } from '../model/engine.ts';

/** The engine and the seven things that Ratchet gives it. */
export type PlanInputs = Omit<EnginePlan, 'mode' | 'hash' | 'scopeHash'>;

/** Change this if the same inputs must give another hash. */
const FORMAT = 'plan-1';

/**
 * SHA-256 of everything that makes two plans of one engine equal: targets, configuration file, arguments, enabled, profile,
 * variables and folder. It excludes the mode and everything of other engines. The order of arguments counts. The order of
 * variables does not, because a process cannot see it.
 */
export function toPlanHash({ engine, targets, configPath, args, enabled, profile, env, cwd }: PlanInputs): string {
  const variables = Object.entries(env).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return sha256(JSON.stringify([FORMAT, engine, targets, configPath, args, enabled, profile, variables, cwd]));
}

/**
 * Creates a plan. It is the only way to do so, so that hash and inputs always agree. `scope` is what the targets were computed
 * from, or the targets themselves if they do not follow from the scope.
 */
export function createPlan(mode: EngineMode, inputs: PlanInputs, scope: readonly string[]): EnginePlan {
  const { engine, targets, configPath, args, enabled, profile, env, cwd } = inputs;
  const given = { engine, targets, configPath, args, enabled, profile, env, cwd };
  return { ...given, mode, hash: toPlanHash(given), scopeHash: toPlanHash({ ...given, targets: scope }) };
}

/** Whether one run serves both plans. */
export function isSamePlan(left: EnginePlan, right: EnginePlan): boolean {
  return left.hash === right.hash;
}
