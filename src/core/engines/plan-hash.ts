import { sha256 } from '../hash/sha256.ts';
import type { EngineMode, EnginePlan } from '../model/engine.ts';

/** The engine, and the seven things that Ratchet gives it. */
export type PlanInputs = Omit<EnginePlan, 'mode' | 'hash' | 'scopeHash'>;

/** Changes when the same inputs would have to give another hash. */
const FORMAT = 'plan-1';

/**
 * SHA-256 of everything that makes two plans of one engine equal: targets, configuration file, arguments, whether it is enabled,
 * profile, variables and folder. The mode is no part of it, nor is anything of other engines. The order of arguments counts; that
 * of variables, which a process cannot see, does not.
 */
export function toPlanHash({ engine, targets, configPath, args, enabled, profile, env, cwd }: PlanInputs): string {
  const variables = Object.entries(env).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return sha256(JSON.stringify([FORMAT, engine, targets, configPath, args, enabled, profile, variables, cwd]));
}

/**
 * The plan of these inputs in one mode: the only way to make one, so that no plan has the hash of another. `scope` is what the
 * targets were made from; they themselves where they do not follow from it.
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
