import type { EnginePlan } from '../model/engine.ts';
import { createGlobMatcher } from './glob-matcher.ts';

/**
 * The targets of a plan without the folders that it leaves out, for a tool that cannot be told to leave something out: a folder
 * that holds one of those is replaced by what else it holds for the tool. Sorted.
 */
export function toCoveringTargets(
  { targets, excludes }: Pick<EnginePlan, 'targets' | 'excludes'>,
  files: readonly string[],
  globs: readonly string[],
): readonly string[] {
  if (excludes.length === 0) return targets;
  const left = new Set(excludes);
  const applicable = files.filter(createGlobMatcher(globs));
  const expand = (target: string): readonly string[] => {
    if (left.has(target)) return [];
    if (!excludes.some((folder) => isBelow(folder, target))) return [target];
    const start = target === '.' ? 0 : target.length + 1;
    const inside = applicable.filter((path) => isBelow(path, target));
    const children = new Set(inside.map((path) => path.slice(0, start) + path.slice(start).replace(/\/.*$/su, '')));
    return [...children].flatMap(expand);
  };
  return targets.flatMap(expand).toSorted();
}

function isBelow(path: string, folder: string): boolean {
  return folder === '.' || path.startsWith(`${folder}/`);
}
