import type { Resolution, ResolvedFile } from '../model/resolution.ts';
import { toScripts } from '../validation/plan-validation.ts';

/**
 * Texts to compare the result's definition files with: `before` (of the tree that git made), but for a `package.json` in
 * conflict, which is not readable there. Its scripts are as before where each is what the head or the base has, whichever was
 * taken; else they are compared with the head's, and seen to differ.
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

/** Each script that any side has, or that was made up, is what one of the two sides has for it (which may be nothing). */
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
