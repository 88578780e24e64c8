import type { Regenerable } from '../model/policy.ts';
import { createPathMatcher } from '../paths/path-globs.ts';

/** A file in conflict that a command makes anew. */
export interface Regeneration {
  readonly path: string;
  readonly command: string;
}

/**
 * Those of `paths` that the policy can make anew, in its order of trust: the first entry that matches counts. A name that is no
 * UTF-8 is left out: a file of that name, written anew, would be another one.
 */
export function findRegenerable(paths: readonly string[], entries: readonly Regenerable[]): readonly Regeneration[] {
  const matchers = entries.map(({ path, command }) => ({ command, matches: createPathMatcher([path]) }));
  return paths.flatMap((path) => {
    if (path.includes('\uFFFD')) return [];
    const entry = matchers.find(({ matches }) => matches(path));
    return entry === undefined ? [] : [{ path, command: entry.command }];
  });
}
