import type { EngineSpec } from '../model/engine.ts';
import { detectProjects } from './detect-projects.ts';
import type { RepositoryFacts } from './repository-facts.ts';

/** Whether an engine runs where the repository only shows its use. Coverage runs all tests again; format is a matter of taste. */
export function isDetected({ kind }: Pick<EngineSpec, 'kind'>): boolean {
  return kind !== 'coverage' && kind !== 'format';
}

/** Ids of the engines that can be detected, sorted. */
export function listDetectable(specs: readonly EngineSpec[]): readonly string[] {
  return specs
    .filter(isDetected)
    .map(({ id }) => id)
    .toSorted();
}

/**
 * Sorted ids of the engines that the repository seems to use; one sign is enough. Coverage and format engines are never detected
 * and must be asked for by name. A file that cannot be parsed shows nothing.
 */
export function detectEngines(specs: readonly EngineSpec[], facts: RepositoryFacts): readonly string[] {
  const found = detectProjects(specs.filter(isDetected), facts);
  return [...found].flatMap(([id, { taken }]) => (taken.length === 0 ? [] : [id])).toSorted();
}
