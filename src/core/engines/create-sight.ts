import type { EngineMode, EngineSpec } from '../model/engine.ts';
import { createScopeMatcher } from './canonical-scope.ts';
import { createGlobMatcher } from './glob-matcher.ts';
import type { PlannedEngines } from './plan-engines.ts';

/** Whether the TARGET run of an engine looks at a file, as far as its globs and its scope tell. */
export type Sight = (engine: string, path: string) => boolean;

/**
 * What the engines that were planned look at. A tool for whole projects is not narrowed by the scope, but by the folder that it
 * runs in. Of an engine that has no TARGET plan to run nothing is known, and all might be looked at.
 */
export function createSight({ toRun, scopes }: Pick<PlannedEngines, 'toRun' | 'scopes'>): Sight {
  const sights = scopes.filter(isTarget).flatMap(({ engine, paths }) => {
    const own = toRun.filter(({ spec }) => spec.id === engine);
    return own.flatMap(({ spec, plans }) =>
      plans
        .filter(isTarget)
        .map(({ cwd }) => [engine, lookAt(spec, spec.targetMode === 'project' ? [cwd] : paths)] as const),
    );
  });
  const byEngine = new Map(sights);
  return (engine, path) => byEngine.get(engine)?.(path) ?? true;
}

function lookAt({ globs }: Pick<EngineSpec, 'globs'>, scope: readonly string[]): (path: string) => boolean {
  const isForIt = createGlobMatcher(globs);
  const isInScope = createScopeMatcher(scope);
  return (path) => isForIt(path) && isInScope(path);
}

function isTarget({ mode }: { readonly mode: EngineMode }): boolean {
  return mode === 'target';
}
