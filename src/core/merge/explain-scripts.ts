import type { Resolution, ResolvedFile } from '../model/resolution.ts';
import { toScripts } from '../validation/plan-validation.ts';

/**
 * Texts that the result's definition files are compared with, by path. They are `before` (from the tree that git made),
 * except for a `package.json` in conflict, which git left with conflict markers. If each of its scripts equals the
 * head's or the base's, the result is compared with itself and passes. Otherwise it is compared with the head's version
 * and found to differ.
 */
export function explainScripts(
  before: Readonly<Record<string, string>>,
  resolution: Pick<Resolution, 'files'>,
): Readonly<Record<string, string>> {
  const explained = resolution.files.flatMap((file): readonly (readonly [string, string])[] => {
    const text = isExplained(file) ? file.result : file.ours;
    return text === null ? [] : [[file.path, text]];
  });
  return { ...before, ...Object.fromEntries(explained) };
}

/** Whether each script of either side or of the result equals one side's script of that name. Both may be missing. */
function isExplained({ ours, theirs, result }: ResolvedFile): boolean {
  const sides = [toEntries(ours), toEntries(theirs)];
  const made = toEntries(result);
  const names = new Set([...sides.flatMap((side) => [...side.keys()]), ...made.keys()]);
  return [...names].every((name) => sides.some((side) => side.get(name) === made.get(name)));
}

function toEntries(packageJson: string | null): ReadonlyMap<string, string> {
  const scripts = toScripts(packageJson ?? undefined) ?? {};
  return new Map(Object.entries(scripts).map(([name, script]) => [name, JSON.stringify(script)]));
}
