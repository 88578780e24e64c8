const MAX_LENGTH = 64;

/**
 * Which of `known` was most likely meant by `written`: at most `maxDistance` typing errors away, whatever the case; the first
 * of the nearest, null when none is near.
 */
export function findNearest<Name extends string>(
  written: string,
  known: readonly Name[],
  maxDistance = 2,
): Name | null {
  if (written === '' || written.length > MAX_LENGTH) return null;
  let nearest: { readonly name: Name; readonly distance: number } | null = null;
  for (const name of known) {
    const distance = toEditDistance(Array.from(written.toLowerCase()), Array.from(name.toLowerCase()));
    if (distance <= maxDistance && (nearest === null || distance < nearest.distance)) nearest = { name, distance };
  }
  return nearest?.name ?? null;
}

/** Levenshtein distance, one row of the table at a time: `above` is the row before, without its first column. */
function toEditDistance(from: readonly string[], to: readonly string[]): number {
  let above: readonly number[] = to.map((_, index) => index + 1);
  for (const [row, letter] of from.entries()) {
    let left = row + 1;
    let diagonal = row;
    const current: number[] = [];
    for (const [column, over] of above.entries()) {
      const replaced = diagonal + (to[column] === letter ? 0 : 1);
      left = Math.min(replaced, over + 1, left + 1);
      current.push(left);
      diagonal = over;
    }
    above = current;
  }
  return above.at(-1) ?? from.length;
}
