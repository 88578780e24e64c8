import type { EnginePlan, EngineSpec } from '../model/engine.ts';
import { findTargets } from './find-targets.ts';
import { createPlan } from './plan-hash.ts';

/**
 * The plan of an engine over a few files of its project, to see whether they are repaired. A tool that cannot be narrowed keeps its
 * plan, and so does coverage, which a few tests do not show. The hashes differ, so no run of one is compared with one of the other.
 */
export function narrowPlan(spec: EngineSpec, plan: EnginePlan, files: readonly string[]): EnginePlan {
  const narrowed = files.length === 0 || spec.kind === 'coverage' ? null : narrow(spec, plan, files);
  if (narrowed === null || narrowed.targets.length === 0) return plan;
  return createPlan(plan.mode, { ...plan, ...narrowed }, narrowed.targets, narrowed.usesToolScope);
}

function narrow(
  { targetMode, narrow: toNarrowed }: EngineSpec,
  plan: EnginePlan,
  files: readonly string[],
): Pick<EnginePlan, 'targets' | 'args' | 'usesToolScope'> | null {
  if (targetMode === 'project') return toNarrowed?.(plan, files) ?? null;
  const targets = findTargets({ targetMode, applicable: files, scope: files, cwd: plan.cwd });
  return { targets, args: plan.args, usesToolScope: false };
}
