import type { EnginesReport } from '../model/engine-report.ts';
import { toParents } from './canonical-scope.ts';

/**
 * The submodules that a change adds or moves to another commit and whose content is not here: no engine looked at what the change
 * brings. `changed` has the paths that the change touches.
 */
export function findUnlooked(
  { submodules }: Pick<EnginesReport, 'submodules'>,
  changed: ReadonlySet<string>,
): readonly string[] {
  return submodules.filter(({ path, isHere }) => !isHere && changed.has(path)).map(({ path }) => path);
}

/** The submodules that were asked for, or in which a path was: a repository of their own, whose files no engine gets by name. */
export function findAskedSubmodules({
  submodules,
  uncoveredPaths,
}: Pick<EnginesReport, 'submodules' | 'uncoveredPaths'>): readonly string[] {
  const asked = new Set(uncoveredPaths.flatMap((path) => [path, ...toParents(path)]));
  return submodules.filter(({ path }) => asked.has(path)).map(({ path }) => path);
}
