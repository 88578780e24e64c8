/**
 * Whether a rename (from the path at the base to the path at the head) moved a file out of what an engine checks, so that finding nothing in it proves nothing. If the base's path
 * was already outside, the engine checks more than it declares, and nothing changed.
 */
export function leadsOut(basePath: string, headPath: string, isInSight: (path: string) => boolean): boolean {
  return headPath !== basePath && isInSight(basePath) && !isInSight(headPath);
}
