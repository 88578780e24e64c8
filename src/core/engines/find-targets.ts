import type { EnginePlan, TargetMode } from '../model/engine.ts';
import { assertNever } from '../model/errors.ts';
import { createScopeMatcher, toParents } from './canonical-scope.ts';

/** What targets are made from. */
export interface TargetsInput {
  readonly targetMode: TargetMode;
  /** Files of the repository that the engine looks at, canonical. */
  readonly applicable: readonly string[];
  /** Canonical. */
  readonly scope: readonly string[];
  /** Folder that the engine runs in, canonical. */
  readonly cwd: string;
}

/**
 * What an engine is pointed at, canonical and sorted; empty where nothing in the scope is for it, and then it must not run.
 * - `project`: the folder that it runs in, whatever the scope, as such a tool cannot be narrowed down.
 * - `files`: each file by itself. A path of the scope that is no file any more is left out.
 * - `paths`: the entries of the scope that are, or hold, a file of it.
 * - `packages`: the folders in which such files lie.
 */
export function findTargets({ targetMode, applicable, scope, cwd }: TargetsInput): readonly string[] {
  const isInScope = createScopeMatcher(scope);
  switch (targetMode) {
    case 'project':
      return applicable.some(createScopeMatcher([cwd])) ? [cwd] : [];
    case 'files':
      return applicable.filter(isInScope).toSorted();
    case 'paths': {
      const reached = new Set(applicable.flatMap((path) => [path, ...toParents(path)]));
      return scope.filter((path) => reached.has(path));
    }
    case 'packages':
      return [...new Set(applicable.filter(isInScope).flatMap((path) => toParents(path).slice(0, 1)))].toSorted();
    default:
      return assertNever(targetMode);
  }
}

/**
 * The targets of a plan as arguments for a tool that runs in its `cwd`. A name that a tool could take for an option or for a file
 * of arguments gets `./` before it: names are chosen by whoever opened the pull request.
 */
export function toTargetsFrom({ targets, cwd }: Pick<EnginePlan, 'targets' | 'cwd'>): readonly string[] {
  return targets.map((target) => toArgument(toRelative(target, cwd)));
}

function toRelative(target: string, cwd: string): string {
  const from = toSegments(cwd);
  const to = toSegments(target);
  const differs = from.findIndex((segment, index) => segment !== to[index]);
  const shared = differs === -1 ? from.length : differs;
  const relative = [...from.slice(shared).map(() => '..'), ...to.slice(shared)];
  return relative.length === 0 ? '.' : relative.join('/');
}

function toSegments(path: string): readonly string[] {
  return path === '.' ? [] : path.split('/');
}

function toArgument(path: string): string {
  return /^[-@]/u.test(path) ? `./${path}` : path;
}
