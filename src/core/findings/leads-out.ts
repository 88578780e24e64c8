/** A file by its path at the base and at the head. */
export interface FilePaths {
  readonly basePath: string;
  readonly headPath: string;
}

/**
 * Whether a rename took a file out of what an engine looks at: that nothing is found in it any more says nothing then. Where the
 * base's path was out of its sight already, the engine sees more than it tells, and nothing changed.
 */
export function leadsOut({ basePath, headPath }: FilePaths, isInSight: (path: string) => boolean): boolean {
  return headPath !== basePath && isInSight(basePath) && !isInSight(headPath);
}
