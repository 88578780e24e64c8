import type { Miss } from './row.ts';

/** The misses of a row: how many of each kind, the most frequent first, and up to `limit` of each. */
export function renderMisses(misses: readonly Miss[], limit: number): readonly string[] {
  if (limit === 0) return [];
  const kinds = [...Map.groupBy(misses, ({ kind }) => kind)].toSorted(
    ([, left], [, right]) => right.length - left.length,
  );
  return kinds.flatMap(([kind, ofKind]) => [
    `${ofKind.length} of ${misses.length} misses: ${kind}`,
    ...ofKind.slice(0, limit).map(({ item, text }) => `  ${item} | ${text}`),
  ]);
}
