import type { Resolution, ResolvedFile } from '../model/resolution.ts';
import { toNamesText } from '../text/words.ts';
import { isConflictMarker } from './conflict-marker.ts';
import { type ChangeToJudge, judgeChange, type Violation } from './judge-change.ts';
import { isTestPath } from './test-paths.ts';

/** A merge; `changes` and `patch` are its difference to the tree of git's own merge, conflict markers included. */
export interface MergeToJudge extends ChangeToJudge {
  /** null for a merge without conflicts. */
  readonly resolution: Resolution | null;
}

const NOTHING_RESOLVED: Resolution = { files: [], named: [], regenerated: [] };

/** Rules of `judgeChange` that do not apply: a clean merge has no change, and `findDroppedTests` judges tests. */
const OTHERWISE_JUDGED: ReadonlySet<Violation['code']> = new Set(['NO_CHANGE', 'TESTS_DELETED', 'TESTS_WEAKENED']);

/**
 * All reasons to refuse a merge, in a fixed order (resolution S15). The base's own changes are not part of `changes`, so they are
 * not judged. The rules about paths and size do not apply to regenerated files.
 */
export function judgeMerge(merge: MergeToJudge): readonly Violation[] {
  const resolution = merge.resolution ?? NOTHING_RESOLVED;
  const regenerated = new Set(resolution.regenerated);
  const changes = merge.changes.filter(({ path }) => !regenerated.has(path));
  return [
    ...findOutside({ ...merge, changes }, resolution),
    ...findUnresolved(resolution),
    ...judgeChange({ ...merge, changes, unmeasured: regenerated }).filter(({ code }) => !OTHERWISE_JUDGED.has(code)),
    ...findDroppedTests(resolution),
  ];
}

function findOutside({ changes }: ChangeToJudge, { named }: Resolution): readonly Violation[] {
  const inConflict = new Set(named);
  const outside = changes.filter(({ path }) => !inConflict.has(path)).map(({ path }) => path);
  return toViolations('MERGE_NOT_RESOLVED', outside, 'Files were changed that are not in conflict');
}

function findUnresolved({ files }: Resolution): readonly Violation[] {
  const unreadable = files.filter(({ isUnreadable }) => isUnreadable).map(({ path }) => path);
  const marked = files.filter(hasMarkers).map(({ path }) => path);
  return [
    ...toViolations('MERGE_NOT_RESOLVED', unreadable, 'Files in conflict are no text that can be read'),
    ...toViolations('MERGE_NOT_RESOLVED', marked, 'Conflict markers are left'),
  ];
}

/** The line between the two sides. Longer lines are not matched: they are more likely to underline a title. */
const SEPARATOR = /^={7}(?:\s|$)/u;

/**
 * Whether the result has markers that are not content. A side may contain marker lines as content (a text about merging). The
 * result may have such a line as often as one side does, or as often as the merge base plus what each side added.
 */
function hasMarkers({ base, ours, theirs, result }: ResolvedFile): boolean {
  if (result === null) return false;
  const inBase = countMarks(toLines(base));
  const inOurs = countMarks(toLines(ours));
  const inTheirs = countMarks(toLines(theirs));
  return [...countMarks(toLines(result))].some(([line, count]) => {
    const byUs = inOurs.get(line) ?? 0;
    const byThem = inTheirs.get(line) ?? 0;
    return count > Math.max(byUs, byThem, byUs + byThem - (inBase.get(line) ?? 0));
  });
}

function countMarks(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) {
    if (isConflictMarker(line) || SEPARATOR.test(line)) counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return counts;
}

/**
 * Compares conflicted tests with both sides, because removing the markers alone shows up as deletions too. A test file that both
 * sides have must stay, and the result must not be one of the sides with lines removed.
 */
function findDroppedTests({ files }: Resolution): readonly Violation[] {
  const dropped = files.filter((file) => isTestPath(file.path) && isDropped(file)).map(({ path }) => path);
  return toViolations('TESTS_DELETED', dropped, 'Tests were deleted');
}

function isDropped({ ours, theirs, result, isUnreadable }: ResolvedFile): boolean {
  if (isUnreadable) return false;
  if (result === null) return ours !== null && theirs !== null;
  return [ours, theirs].some((side) => side !== null && isShortened(toLines(side), toLines(result)));
}

/** Whether `after` is `before` with lines removed and none added. */
function isShortened(before: readonly string[], after: readonly string[]): boolean {
  if (after.length >= before.length) return false;
  let at = 0;
  for (const line of after) {
    at = before.indexOf(line, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function toLines(text: string | null): readonly string[] {
  return text === null || text === '' ? [] : text.split(/\r?\n/u);
}

function toViolations(code: Violation['code'], paths: readonly string[], what: string): readonly Violation[] {
  if (paths.length === 0) return [];
  return [{ code, paths, message: `${what}: ${toNamesText(paths)}.` }];
}
