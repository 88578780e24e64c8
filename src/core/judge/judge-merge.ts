import type { Resolution, ResolvedFile } from '../model/resolution.ts';
import { toNamesText } from '../text/words.ts';
import { isConflictMarker } from './conflict-marker.ts';
import { type ChangeToJudge, judgeChange, type Violation } from './judge-change.ts';
import { isTestPath } from './test-paths.ts';

/** A merge, as it differs from what git itself made of it. */
export interface MergeToJudge extends ChangeToJudge {
  /** null for a merge in which nothing was in conflict. */
  readonly resolution: Resolution | null;
}

const NOTHING_RESOLVED: Resolution = { files: [], named: [], regenerated: [] };

/** Codes of the rules for changes that mean something else in a merge. */
const OTHERWISE_JUDGED: ReadonlySet<Violation['code']> = new Set(['NO_CHANGE', 'TESTS_DELETED']);

/**
 * Everything that speaks against pushing a merge (resolution S15), in a fixed order. `changes` and `patch` are measured from
 * the tree that git itself made of the merge, markers and all, so that what the base brought is not held against it; none at
 * all is what a clean merge looks like. A file that a command of the policy made anew is held to no rule about its path or size.
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

/** The line between the two sides. A longer one is more likely to underline a title. */
const SEPARATOR = /^={7}(?:\s|$)/u;

/**
 * A line that one of the sides has already is content (a text about merging): as often as one of them has it, or as both
 * together where each added some to what the merge base had.
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
 * Tests in conflict are measured against both sides, since taking the markers away is only deletions, too: a test that both
 * sides have must stay, and what is left must not be one of the sides with lines taken away.
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

/** Whether `after` is `before` with lines taken away and none added. */
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
