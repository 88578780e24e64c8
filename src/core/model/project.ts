/** The project of a repository whose engines look at all of it. */
export const ROOT_PROJECT = '.';

/** A project of an engine: most results of engines are about one. */
export interface EngineProject {
  /** Id of the engine. */
  readonly engine: string;
  /** Folder relative to the root; `.` is the root. */
  readonly project: string;
}

/** A key for maps: the id of the engine, and below the root its folder too. No id has a blank. */
export function toProjectKey({ engine, project }: EngineProject): string {
  return project === ROOT_PROJECT ? engine : `${engine} ${project}`;
}

/** How people read it: `eslint`, and below the root `eslint (packages/a)`. */
export function toProjectName({ engine, project }: EngineProject): string {
  return project === ROOT_PROJECT ? engine : `${engine} (${project})`;
}
