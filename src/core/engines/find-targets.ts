import type { EnginePlan, TargetMode } from '../model/engine.ts';
import { assertNever } from '../model/errors.ts';
import { createScopeMatcher, toParents } from './canonical-scope.ts';

/** What targets are computed from. */
export interface TargetsInput {
  readonly targetMode: TargetMode;
  /** Files of the repository that the engine checks, canonical. */
  readonly applicable: readonly string[];
  /** Canonical. */
  readonly scope: readonly string[];
  /** Folder that the engine runs in, canonical. */
  readonly cwd: string;
}

/**
 * The targets of an engine, canonical and sorted. Empty if the scope holds no file for the engine, which then must not run.
 * - `project`: the folder that it runs in. The scope is ignored, because such a tool cannot be narrowed.
 * - `files`: each file in scope. Scope entries that no longer exist are left out.
 * - `paths`: the scope entries that are, or contain, a file for the engine.
 * - `packages`: the folders that contain such files.
 * A scope entry around the folder that the engine runs in counts as that folder: a tool does not look above it.
 */
export function findTargets({ targetMode, applicable, scope: given, cwd }: TargetsInput): readonly string[] {
  const around = [cwd, ...toParents(cwd)];
  const scope = [...new Set(given.map((path) => (around.includes(path) ? cwd : path)))];
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

/** Folders that a plan leaves out, relative to the folder that the tool runs in. */
export function toExcludesFrom({ excludes, cwd }: Pick<EnginePlan, 'excludes' | 'cwd'>): readonly string[] {
  return excludes.map((folder) => toRelative(folder, cwd));
}

/**
 * The targets of a plan as arguments for a tool that runs in `cwd`. A name that a tool could read as an option or as a file of
 * arguments gets the prefix `./`, because the author of the pull request chooses the names.
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
