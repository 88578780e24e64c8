import { sha256 } from '../hash/sha256.ts';
import type { EngineMode, EnginePlan } from '../model/engine.ts';
import { ROOT_PROJECT } from '../model/project.ts';

/** The engine, its project, and the seven things that Ratchet gives it. `excludes` follows from the projects. */
export type PlanInputs = Omit<EnginePlan, 'mode' | 'hash' | 'scopeHash' | 'usesToolScope'>;

/** Change this if the same inputs must give another hash. */
const FORMAT = 'plan-1';

/**
 * SHA-256 of everything that makes two plans of one engine equal: project, targets, configuration file, arguments, enabled,
 * profile, variables and folder. It excludes the mode and everything of other engines. The order of arguments counts. The order
 * of variables does not, because a process cannot see it. Plans of the root have the hashes of the time before projects.
 */
export function toPlanHash(inputs: PlanInputs): string {
  const { engine, project, targets, configPath, args, enabled, profile, env, cwd, excludes } = inputs;
  const variables = Object.entries(env).toSorted(([left], [right]) => (left < right ? -1 : 1));
  const parts = [FORMAT, engine, targets, configPath, args, enabled, profile, variables, cwd];
  const isPlainRoot = project === ROOT_PROJECT && excludes.length === 0;
  return sha256(JSON.stringify(isPlainRoot ? parts : [...parts, project, excludes]));
}

/**
 * Creates a plan. It is the only way to do so, so that hash and inputs always agree. `scope` is what the targets were computed
 * from, or the targets themselves if they do not follow from the scope.
 */
export function createPlan(
  mode: EngineMode,
  inputs: PlanInputs,
  scope: readonly string[],
  usesToolScope = false,
): EnginePlan {
  const { engine, project, targets, configPath, args, enabled, profile, env, cwd, excludes } = inputs;
  const given = { engine, project, targets, configPath, args, enabled, profile, env, cwd, excludes };
  const scopeHash = toPlanHash({ ...given, targets: scope });
  return {
    ...given,
    mode,
    hash: toPlanHash(given),
    scopeHash: usesToolScope ? sha256(JSON.stringify([scopeHash, 'tool'])) : scopeHash,
    usesToolScope,
  };
}

/** Whether one run serves both plans. */
export function isSamePlan(left: EnginePlan, right: EnginePlan): boolean {
  return left.hash === right.hash;
}
