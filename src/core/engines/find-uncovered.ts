import type { EngineSpec } from '../model/engine.ts';
import type { EngineSettings } from '../model/policy.ts';
import { toParents } from './canonical-scope.ts';
import { createGlobMatcher } from './glob-matcher.ts';

/** What decides whether an engine looks at a path. */
export interface CoverInput {
  /** Canonical. */
  readonly paths: readonly string[];
  /** The selected engines. */
  readonly specs: readonly Pick<EngineSpec, 'id' | 'globs'>[];
  readonly settings: Readonly<Record<string, Pick<EngineSettings, 'enabled'>>>;
  /** Canonical paths of the repository. */
  readonly files: readonly string[];
}

/** The paths that neither are nor contain a file for a selected engine. Without such an engine, every path. */
export function findUncovered({ paths, specs, settings, files }: CoverInput): readonly string[] {
  const enabled = specs.filter(({ id }) => settings[id]?.enabled !== false);
  const matches = createGlobMatcher(enabled.flatMap(({ globs }) => globs));
  const reached = new Set(files.filter(matches).flatMap((path) => [path, ...toParents(path)]));
  return paths.filter((path) => !reached.has(path));
}
