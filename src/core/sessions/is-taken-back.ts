/** Contents of a file that a commit of Ratchet changed. null: there is no such file. */
export interface FileVersions {
  /** Before the commit. */
  readonly before: string | null;
  /** With the commit. */
  readonly ours: string | null;
  /** At the head before the pushes that are judged. */
  readonly previous: string | null;
  /** At the head after them. */
  readonly now: string | null;
}

/**
 * Whether the pushes undid the commit in at least one of its files, however they did it: by `git revert`, by a reset, by a merge,
 * or by hand. A file that was restored before the pushes does not count.
 */
export function isTakenBack(files: readonly FileVersions[]): boolean {
  return files.some((file) => isRestored(file, file.now) && !isRestored(file, file.previous));
}

/** Whether `now` has the lines that the commit removed, and none of those that it added. Other lines may differ. */
function isRestored({ before, ours }: FileVersions, now: string | null): boolean {
  if (before === ours) return false;
  if (now === before) return true;
  if (now === null || before === null) return false;
  const counts = { before: countLines(before), ours: countLines(ours ?? ''), now: countLines(now) };
  const changed = [...new Set([...counts.before.keys(), ...counts.ours.keys()])]
    .map((line) => ({ line, before: countOf(counts.before, line), ours: countOf(counts.ours, line) }))
    .filter((line) => line.before !== line.ours);
  const telling = changed.filter(({ line }) => /[\p{L}\p{N}]/u.test(line));
  return telling.length > 0 && telling.every((line) => isUndone(line, countOf(counts.now, line.line)));
}

function isUndone({ before, ours }: { readonly before: number; readonly ours: number }, now: number): boolean {
  return ours > before ? now <= before : now >= before;
}

function countLines(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split(/\r?\n/u)) counts.set(line, countOf(counts, line) + 1);
  return counts;
}

function countOf(counts: ReadonlyMap<string, number>, line: string): number {
  return counts.get(line) ?? 0;
}
