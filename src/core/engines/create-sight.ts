import type { EngineMode, EngineSpec } from '../model/engine.ts';
import { type EngineProject, toProjectKey } from '../model/project.ts';
import { createScopeMatcher } from './canonical-scope.ts';
import { createGlobMatcher } from './glob-matcher.ts';
import { createFindOwner, type FindOwner } from './own-files.ts';
import type { PlannedEngines } from './plan-engines.ts';

/** Whether the TARGET run of an engine in a project checks a file, judged by its globs, its scope and its project. */
export type Sight = (run: EngineProject, path: string) => boolean;

/**
 * Builds `Sight` from the planned engines. A whole-project tool is limited by the folder that it runs in, not by the scope. An
 * engine without a TARGET plan to run counts as checking every file.
 */
export function createSight({ plans, toRun, scopes }: Pick<PlannedEngines, 'plans' | 'toRun' | 'scopes'>): Sight {
  const owners = createFindOwners(plans);
  const running = new Map(toRun.map((one) => [toProjectKey({ engine: one.spec.id, project: one.project }), one]));
  const sights = scopes.filter(isTarget).flatMap((scope) => {
    const key = toProjectKey(scope);
    const one = running.get(key);
    const plan = one?.plans.find(isTarget);
    if (one === undefined || plan === undefined) return [];
    const { spec } = one;
    const isInScope = createFileFilter(spec, spec.targetMode === 'project' ? [plan.cwd] : scope.paths);
    const isOwn = (path: string): boolean => owners.get(scope.engine)?.(path) === scope.project;
    return [[key, (path: string): boolean => isInScope(path) && isOwn(path)] as const];
  });
  const byKey = new Map(sights);
  return (run, path) => byKey.get(toProjectKey(run))?.(path) ?? true;
}

/** `FindOwner` of each planned engine, by id. */
export function createFindOwners(plans: PlannedEngines['plans']): ReadonlyMap<string, FindOwner> {
  const byEngine = Map.groupBy(plans, ({ engine }) => engine);
  return new Map(
    [...byEngine].map(([engine, own]) => [engine, createFindOwner(own.map(({ project }) => project))] as const),
  );
}

function createFileFilter({ globs }: Pick<EngineSpec, 'globs'>, scope: readonly string[]): (path: string) => boolean {
  const matchesGlobs = createGlobMatcher(globs);
  const isInScope = createScopeMatcher(scope);
  return (path) => matchesGlobs(path) && isInScope(path);
}

function isTarget({ mode }: { readonly mode: EngineMode }): boolean {
  return mode === 'target';
}
