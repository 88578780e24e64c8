/**
 * Whether a path was read from bytes that are no UTF-8, so that nothing can be found under it. A name may also hold the character
 * itself, which does no harm: it is then taken for one of those.
 */
export function isLossy(path: string): boolean {
  return path.includes('\uFFFD');
}
