/** The paths of one file at the base and at the head. */
export interface FilePaths {
  readonly basePath: string;
  readonly headPath: string;
}

/**
 * Whether a rename moved a file out of what an engine checks, so that finding nothing in it proves nothing. If the base's path
 * was already outside, the engine checks more than it declares, and nothing changed.
 */
export function leadsOut({ basePath, headPath }: FilePaths, isInSight: (path: string) => boolean): boolean {
  return headPath !== basePath && isInSight(basePath) && !isInSight(headPath);
}
