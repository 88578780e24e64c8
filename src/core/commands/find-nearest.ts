import leven from 'leven';

const MAX_LENGTH = 64;

/**
 * The name in `known` that is nearest to `written`, ignoring case: the first with the smallest edit distance of at most
 * `maxDistance`, or null.
 */
export function findNearest<Name extends string>(
  written: string,
  known: readonly Name[],
  maxDistance = 2,
): Name | null {
  if (written === '' || written.length > MAX_LENGTH) return null;
  let nearest: { readonly name: Name; readonly distance: number } | null = null;
  for (const name of known) {
    const distance = leven(written.toLowerCase(), name.toLowerCase());
    if (distance <= maxDistance && (nearest === null || distance < nearest.distance)) nearest = { name, distance };
  }
  return nearest?.name ?? null;
}
