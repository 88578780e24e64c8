import type { EngineMode, EngineSpec } from '../model/engine.ts';
import { createScopeMatcher } from './canonical-scope.ts';
import { createGlobMatcher } from './glob-matcher.ts';
import type { PlannedEngines } from './plan-engines.ts';

/** Whether the TARGET run of an engine checks a file, judged by its globs and its scope. */
export type Sight = (engine: string, path: string) => boolean;

/**
 * Builds `Sight` from the planned engines. A whole-project tool is limited by the folder that it runs in, not by the scope. An
 * engine without a TARGET plan to run counts as checking every file.
 */
export function createSight({ toRun, scopes }: Pick<PlannedEngines, 'toRun' | 'scopes'>): Sight {
  const sights = scopes.filter(isTarget).flatMap(({ engine, paths }) => {
    const own = toRun.filter(({ spec }) => spec.id === engine);
    return own.flatMap(({ spec, plans }) =>
      plans
        .filter(isTarget)
        .map(({ cwd }) => [engine, createFileFilter(spec, spec.targetMode === 'project' ? [cwd] : paths)] as const),
    );
  });
  const byEngine = new Map(sights);
  return (engine, path) => byEngine.get(engine)?.(path) ?? true;
}

function createFileFilter({ globs }: Pick<EngineSpec, 'globs'>, scope: readonly string[]): (path: string) => boolean {
  const matchesGlobs = createGlobMatcher(globs);
  const isInScope = createScopeMatcher(scope);
  return (path) => matchesGlobs(path) && isInScope(path);
}

function isTarget({ mode }: { readonly mode: EngineMode }): boolean {
  return mode === 'target';
}
