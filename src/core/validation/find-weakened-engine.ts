import type { EnginesPolicy } from '../model/policy.ts';

/**
 * Whether a change redefines what the policy's own engines find: a program that a command names, a configuration file, a problem
 * matcher. A finding that is gone because of that was not fixed. Returns the path and what was changed in it, or null.
 */
export function findWeakenedEngine(
  policy: EnginesPolicy | null,
  changed: readonly string[],
): { readonly path: string; readonly what: string } | null {
  for (const [id, { declared, config, cwd }] of Object.entries(policy?.engines ?? {})) {
    const words = [config ?? '', ...(declared?.command ?? []), declared?.matcher ?? ''];
    const named = new Set(words.flatMap((word) => [toPath(word), toPath(`${cwd ?? ''}/${word}`)]));
    const path = changed.find((one) => named.has(one));
    if (path !== undefined) return { path, what: `the policy names it for the engine ${JSON.stringify(id)}` };
  }
  return null;
}

/** A word of a command as a path below the workspace. Most are none, and match no changed file. */
function toPath(word: string): string {
  return word.replace(/^(?:\.?\/)+/u, '').replaceAll(/\/(?:\.?\/)+/gu, '/');
}
