import type { DiffStat } from '../model/session.ts';
import type { TreeChange } from '../model/tree-change.ts';

/** Counts files and lines of a change. Binary files have no lines. */
export function toDiffStat(changes: readonly TreeChange[]): DiffStat {
  let insertions = 0;
  let deletions = 0;
  for (const change of changes) {
    insertions += change.insertions ?? 0;
    deletions += change.deletions ?? 0;
  }
  return { files: changes.length, insertions, deletions };
}
