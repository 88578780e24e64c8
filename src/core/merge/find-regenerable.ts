import type { Regenerable } from '../model/policy.ts';
import { createPathMatcher } from '../paths/path-globs.ts';

/** A file in conflict that a command regenerates. */
export interface Regeneration {
  readonly path: string;
  readonly command: string;
}

/**
 * The paths that the policy can regenerate. The first matching entry applies. A name that is not UTF-8 is left out: the
 * regenerated file would get another name.
 */
export function findRegenerable(paths: readonly string[], entries: readonly Regenerable[]): readonly Regeneration[] {
  const matchers = entries.map(({ path, command }) => ({ command, matches: createPathMatcher([path]) }));
  return paths.flatMap((path) => {
    if (path.includes('\uFFFD')) return [];
    const entry = matchers.find(({ matches }) => matches(path));
    return entry === undefined ? [] : [{ path, command: entry.command }];
  });
}
