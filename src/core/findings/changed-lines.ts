import { parsePatch } from '../judge/parse-patch.ts';
import type { Coverage } from '../model/finding.ts';
import { unquotePath } from '../paths/unquote-path.ts';
import { sortByKey } from './order-findings.ts';

/** Changed files by path in head, each with the lines (1-based) that the change added or edited. */
export type ChangedLines = ReadonlyMap<string, ReadonlySet<number>>;

/** Path in head to path in base, of files that were renamed. */
type Renames = ReadonlyMap<string, string>;

/**
 * Lines that a unified diff adds, of every file that it names: one that only lost lines, or is binary, has none. The diff tells a
 * renamed file as one that is gone and one that is new: of the new one, lines that the old one had are no changed lines.
 */
export function toChangedLines(patch: string, renames: Renames = new Map()): ChangedLines {
  const files = parsePatch(patch).map((file) => ({ ...file, path: unquotePath(file.path) }));
  const removed = new Map(files.map((file) => [file.path, file.removed]));
  return new Map(
    files.map(({ path, added, addedAt }) => {
      const before = countLines(removed.get(renames.get(path) ?? '') ?? []);
      const isKnown = (line: string): boolean => takeLine(before, line);
      return [path, new Set(added.flatMap((line, index) => (isKnown(line) ? [] : addedAt.slice(index, index + 1))))];
    }),
  );
}

function countLines(lines: readonly string[]): Map<string, number> {
  return new Map([...Map.groupBy(lines, (line) => line)].map(([line, group]) => [line, group.length]));
}

/** Whether `line` is among the ones that are left; then it is left once less. */
function takeLine(left: Map<string, number>, line: string): boolean {
  const count = left.get(line) ?? 0;
  if (count > 0) left.set(line, count - 1);
  return count > 0;
}

/** Changed lines that no test runs, by file; files without such a line are left out. Sorted by path. */
export function findUncoveredChanges(
  coverage: Coverage,
  changed: ChangedLines,
): readonly { readonly path: string; readonly lines: readonly number[] }[] {
  const files = coverage.files.map(({ path, missingLines }) => ({
    path,
    lines: missingLines.filter((line) => changed.get(path)?.has(line) === true),
  }));
  return sortByKey(
    files.filter(({ lines }) => lines.length > 0),
    ({ path }) => [path],
  );
}
