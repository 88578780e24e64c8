import type { Coverage } from '../model/finding.ts';
import { parsePatch } from '../patch/parse-patch.ts';
import { unquotePath } from '../paths/unquote-path.ts';
import { sortByKey } from './order-findings.ts';
import { subtract } from './subtract.ts';

/** Changed files by head path, each with the lines (1-based) that the change added or edited. */
export type ChangedLines = ReadonlyMap<string, ReadonlySet<number>>;

/** Head path to base path of renamed files. */
type Renames = ReadonlyMap<string, string>;

/**
 * Lines that a unified diff adds, for every file that it names. A file that only lost lines, or is binary, has an empty set. The
 * diff shows a rename as a deleted file and a new one, so lines of the new file that the old one had do not count as changed.
 */
export function toChangedLines(patch: string, renames: Renames = new Map()): ChangedLines {
  const files = parsePatch(patch).map((file) => ({ ...file, path: unquotePath(file.path) }));
  const removed = new Map(files.map((file) => [file.path, file.removed]));
  return new Map(
    files.map(({ path, added, addedAt }) => {
      const lines = added.map((text, index) => ({ text, at: addedAt.slice(index, index + 1) }));
      const changed = subtract(lines, removed.get(renames.get(path) ?? '') ?? [], ({ text }) => text);
      return [path, new Set(changed.flatMap(({ at }) => at))];
    }),
  );
}

/** Changed lines that no test covers, by file, sorted by path. Files without such a line are left out. */
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
