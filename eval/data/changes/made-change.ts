import type { Project } from './projects.ts';

/** Replacements of texts of a file; a whole text; null: the file is deleted. */
type Edit = string | null | readonly (readonly [old: string, now: string])[];

/** A change that was made for this evaluation. */
export interface MadeChange {
  readonly name: string;
  readonly is: 'cheat' | 'honest';
  readonly before: Project;
  readonly after: Project;
}

export function made(
  is: MadeChange['is'],
  name: string,
  before: Project,
  edits: Readonly<Record<string, Edit>>,
): MadeChange {
  const after = new Map(Object.entries(before));
  for (const [path, edit] of Object.entries(edits)) {
    if (edit === null) after.delete(path);
    else after.set(path, typeof edit === 'string' ? edit : replace(name, before[path] ?? '', edit));
  }
  return { name, is, before, after: Object.fromEntries(after) };
}

function replace(name: string, text: string, edits: readonly (readonly [string, string])[]): string {
  return edits.reduce((changed, [old, now]) => {
    if (!changed.includes(old)) throw new RangeError(`${name}: no "${old}" in the file`);
    return changed.replace(old, () => now);
  }, text);
}
