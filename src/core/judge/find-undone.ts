import type { Resolution, ResolvedFile } from '../model/resolution.ts';
import { isConflictMarker } from './conflict-marker.ts';
import { toTextLines } from './count-lines.ts';

/**
 * Fewer lines in a conflicted file may go with the side that was not taken: the import that only its code needed, a variable
 * that it declared.
 */
const MIN_LINES_BESIDE_CONFLICT = 5;

/**
 * Paths in which the resolution undid what one side had changed and git had merged without a conflict: a file with the change is
 * deleted or a deleted file is back; or of all lines that the side added none is left, and all that it removed are back. A part
 * of a side's change may go, because what the other side did often asks for that.
 */
export function findUndone({ files, beside }: Pick<Resolution, 'files' | 'beside'>): readonly string[] {
  const results = [...files, ...beside].map(({ path, result }) => ({ path, lines: toKeys(toTextLines(result)) }));
  const isElsewhere = (path: string, line: string): boolean =>
    results.some((other) => other.path !== path && other.lines.has(line));
  const undone = (file: ResolvedFile, least: number): boolean =>
    isUndone(file, least, (line) => isElsewhere(file.path, line));
  return [
    ...files.filter((file) => file.result !== null && undone(file, MIN_LINES_BESIDE_CONFLICT)),
    ...beside.filter((file) => hasSwitched(file) || undone(file, 1)),
  ].map(({ path }) => path);
}

/** Whether the file is there against the will of the side that added or deleted it. */
function hasSwitched({ merged, result, isUnreadable }: ResolvedFile): boolean {
  return !isUnreadable && (merged === null) !== (result === null);
}

function isUndone(file: ResolvedFile, least: number, isElsewhere: (line: string) => boolean): boolean {
  if (file.isUnreadable) return false;
  const toSet = (text: string | null): ReadonlySet<string> => toKeys(toTextLines(text));
  const [merged, result] = [toSet(file.merged), toSet(file.result)];
  const clean = toKeys(withoutConflicts(toTextLines(file.merged)));
  const isUndoneOf = (side: ReadonlySet<string>, other: ReadonlySet<string>): boolean => {
    const added = [...clean].filter((line) => side.has(line) && !other.has(line));
    const removed = [...other].filter((line) => !side.has(line) && !merged.has(line));
    if (added.length + removed.length < least) return false;
    if (added.some((line) => result.has(line)) || !removed.every((line) => result.has(line))) return false;
    return removed.length > 0 || added.filter(isElsewhere).length * 2 < added.length;
  };
  const [ours, theirs] = [toSet(file.ours), toSet(file.theirs)];
  return isUndoneOf(ours, theirs) || isUndoneOf(theirs, ours);
}

/** Lines without their blanks; those without a letter or digit stand everywhere and tell nothing. */
function toKeys(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.map((line) => line.replaceAll(/\s+/gu, '')).filter((line) => /[\p{L}\p{N}]/u.test(line)));
}

/** The lines that git merged: those outside of the blocks between its markers. */
function withoutConflicts(lines: readonly string[]): readonly string[] {
  let isInside = false;
  return lines.filter((line) => {
    if (!isConflictMarker(line)) return !isInside;
    isInside = !line.startsWith('>');
    return false;
  });
}
