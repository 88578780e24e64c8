import { toParents } from './canonical-scope.ts';

/** The project that a path belongs to: the nearest of its folders that is one; null if there is none. */
export type FindOwner = (path: string) => string | null;

/** Builds `FindOwner` for the projects of one engine. A path belongs to at most one of them. */
export function createFindOwner(projects: readonly string[]): FindOwner {
  const folders = new Set(projects);
  return (path) => [path, ...toParents(path)].find((folder) => folders.has(folder)) ?? null;
}

/** By project: the projects directly below it, with no other one in between. Sorted. */
export function findInnerProjects(projects: readonly string[]): ReadonlyMap<string | null, readonly string[]> {
  const folders = new Set(projects);
  return Map.groupBy(
    [...folders].toSorted(),
    (project) => toParents(project).find((folder) => folders.has(folder)) ?? null,
  );
}
