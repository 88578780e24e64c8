import type { Resolution, ResolvedFile } from '../model/resolution.ts';
import type { TreeChange } from '../model/tree-change.ts';
import { type FilePatch, withoutFiles } from '../patch/parse-patch.ts';
import { toNamesText } from '../text/words.ts';
import { isConflictMarker } from './conflict-marker.ts';
import { findUndone } from './find-undone.ts';
import { type ChangeToJudge, judgeChange, type Violation } from './judge-change.ts';
import { toOwnPatch } from './own-patch.ts';
import { isTestPath } from './test-paths.ts';

/** A merge; `changes` and `patch` are its difference to the tree of git's own merge, conflict markers included. */
export interface MergeToJudge extends ChangeToJudge {
  /** null for a merge without conflicts. */
  readonly resolution: Resolution | null;
}

const NOTHING_RESOLVED: Resolution = { files: [], beside: [], named: [], differing: [], regenerated: [] };

/** Rules of `judgeChange` that are not asked: a clean merge has no change, and the others are judged with the sides in view. */
const OTHERWISE_JUDGED: ReadonlySet<Violation['code']> = new Set(['NO_CHANGE', 'CONFLICT_MARKERS']);

/**
 * All reasons to refuse a merge, in a fixed order (resolution S15). The base's own changes are not part of `changes`, so they are
 * not judged. A resolution may change conflicted files, and others in which the sides differ: what one side did often asks for
 * more than the conflicts. Only the resolution's own lines are judged and measured (see `toOwnPatch`). The rules about paths and
 * size do not apply to regenerated files.
 */
export function judgeMerge(merge: MergeToJudge): readonly Violation[] {
  const resolution = merge.resolution ?? NOTHING_RESOLVED;
  const regenerated = new Set(resolution.regenerated);
  const { files, beside } = resolution;
  const own = new Map([
    ...files.map((file) => [file.path, toOwnPatch(file, true)] as const),
    ...beside.map((file) => [file.path, toOwnPatch(file, false)] as const),
  ]);
  const changes = merge.changes.filter(({ path }) => !regenerated.has(path));
  const toJudge = {
    ...merge,
    changes: changes.map((change) => toOwnChange(change, own)),
    patch: withoutFiles(merge.patch, new Set(own.keys())),
    apart: [...own.values()],
    unmeasured: regenerated,
  };
  return [
    ...findOutside(changes, resolution),
    ...findUnresolved(resolution, own),
    ...toViolations(
      'MERGE_NOT_RESOLVED',
      findUndone(resolution),
      'Changes of one side were undone beside the conflicts',
    ),
    ...judgeChange(toJudge).filter(({ code }) => !OTHERWISE_JUDGED.has(code)),
    ...findDroppedTests(resolution, own),
  ];
}

/** The change with the counts of its own lines. */
function toOwnChange(change: TreeChange, own: ReadonlyMap<string, FilePatch>): TreeChange {
  const lines = own.get(change.path);
  if (lines === undefined || change.insertions === null) return change;
  return { ...change, insertions: lines.added.length, deletions: lines.removed.length };
}

function findOutside(changes: readonly TreeChange[], resolution: Resolution): readonly Violation[] {
  const inConflict = new Set(resolution.named);
  const differing = new Set(resolution.differing);
  const besides = changes.filter(({ path }) => !inConflict.has(path));
  const outside = besides.filter((change) => !differing.has(change.path) || hasOtherMode(change));
  return toViolations(
    'MERGE_NOT_RESOLVED',
    outside.map(({ path }) => path),
    'Files were changed that are not in conflict and in which the sides do not differ',
  );
}

const NO_ENTRY = '000000';

/** Git merged the modes. */
function hasOtherMode({ oldMode, newMode }: TreeChange): boolean {
  return oldMode !== newMode && ![oldMode, newMode].includes(NO_ENTRY);
}

function findUnresolved({ files, beside }: Resolution, own: ReadonlyMap<string, FilePatch>): readonly Violation[] {
  const unreadable = [...files, ...beside].filter(({ isUnreadable }) => isUnreadable).map(({ path }) => path);
  const marked = [...own]
    .filter(([, { added }]) => added.some((line) => isMark(line.trimStart())))
    .map(([path]) => path);
  return [
    ...toViolations('MERGE_NOT_RESOLVED', unreadable, 'Files are no text that can be read'),
    ...toViolations('MERGE_NOT_RESOLVED', marked, 'Conflict markers are left'),
  ];
}

/** The line between the two sides. Longer lines are not matched: they are more likely to underline a title. */
const SEPARATOR = /^={7}(?:\s|$)/u;

/** A side may contain marker lines as content (a text about merging). They are not the resolution's own. */
function isMark(line: string): boolean {
  return isConflictMarker(line) || SEPARATOR.test(line);
}

/**
 * A test file that both sides have must stay. The result must not be the sides with lines removed that both have, and must not
 * lack what both sides added. Lines of only one side may go: the other side may have removed what they test.
 */
function findDroppedTests({ files, beside }: Resolution, own: ReadonlyMap<string, FilePatch>): readonly Violation[] {
  const dropped = [...files, ...beside].filter((file) => isTestPath(file.path) && isDropped(file, own.get(file.path)));
  return toViolations(
    'TESTS_DELETED',
    dropped.map(({ path }) => path),
    'Tests were deleted',
  );
}

function isDropped(file: ResolvedFile, own: FilePatch | undefined): boolean {
  const { base, ours, theirs, result, isUnreadable } = file;
  if (isUnreadable || own === undefined) return false;
  if (result === null) return ours !== null && theirs !== null;
  if (own.added.length > 0) return false;
  return own.removed.some((line) => line.trim() !== '') || (result === base && result !== ours && result !== theirs);
}

function toViolations(code: Violation['code'], paths: readonly string[], what: string): readonly Violation[] {
  if (paths.length === 0) return [];
  return [{ code, paths, message: `${what}: ${toNamesText(paths)}.` }];
}
