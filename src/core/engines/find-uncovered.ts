import type { EngineSpec } from '../model/engine.ts';
import type { EngineSettings } from '../model/policy.ts';
import { ROOT_PROJECT } from '../model/project.ts';
import { toParents } from './canonical-scope.ts';
import { createGlobMatcher } from './glob-matcher.ts';
import { createFindOwner } from './own-files.ts';
import type { ProjectToPlan } from './plan-engine.ts';

/** What decides whether an engine looks at a path. */
export interface CoverInput {
  /** Canonical. */
  readonly paths: readonly string[];
  /** The selected engines. */
  readonly specs: readonly Pick<EngineSpec, 'id' | 'globs'>[];
  readonly settings: Readonly<Record<string, Pick<EngineSettings, 'enabled'>>>;
  /** By id; an engine without an entry looks at all of the repository. */
  readonly projects?: Readonly<Record<string, readonly Pick<ProjectToPlan, 'project'>[]>>;
  /** Canonical paths of the repository. */
  readonly files: readonly string[];
}

/** The paths that neither are nor contain a file of a project of a selected engine. Without such an engine, every path. */
export function findUncovered({ paths, specs, settings, projects = {}, files }: CoverInput): readonly string[] {
  const enabled = specs.filter(({ id }) => settings[id]?.enabled !== false);
  const matchers = enabled.map(({ id, globs }) => {
    const findOwner = createFindOwner(projects[id]?.map(({ project }) => project) ?? [ROOT_PROJECT]);
    const isForEngine = createGlobMatcher(globs);
    return (path: string): boolean => isForEngine(path) && findOwner(path) !== null;
  });
  const reached = new Set(
    files.filter((path) => matchers.some((matches) => matches(path))).flatMap((path) => [path, ...toParents(path)]),
  );
  return paths.filter((path) => !reached.has(path));
}
