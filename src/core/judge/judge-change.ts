import type { Policy } from '../model/policy.ts';
import type { RejectCode } from '../model/session.ts';
import type { TreeChange } from '../model/tree-change.ts';
import { type FilePatch, parsePatch, withoutFiles } from '../patch/parse-patch.ts';
import { createFoldedPathMatcher, createPathMatcher, isNamedBy, toFoldedName } from '../paths/path-globs.ts';
import { toNamesText } from '../text/words.ts';
import { isConflictMarker } from './conflict-marker.ts';
import { findHiddenText } from './find-hidden-text.ts';
import { isPointerHeader } from './lfs-pointer.ts';
import { LOCKFILES, PROTECTED_PATHS } from './protected-paths.ts';
import { toDiffStat } from './to-diff-stat.ts';
import { findBareRepositories, findCollisions, findUnsafeEntry } from './unsafe-entries.ts';

/** One reason to refuse a change. */
export interface Violation {
  readonly code: RejectCode;
  /** Affected paths, as git names them: untrusted text. */
  readonly paths: readonly string[];
  /** One sentence for people. It quotes at most three of the paths. */
  readonly message: string;
}

/** A change as git reports it, never as the agent does (001.R38). */
export interface ChangeToJudge {
  readonly changes: readonly TreeChange[];
  /** Unified diff of the same change. */
  readonly patch: string;
  /** The patch was cut. The missing part cannot be judged, so the change counts as too large. */
  readonly patchTruncated?: boolean;
  /** Files whose changed lines are not taken from `patch`. */
  readonly apart?: readonly FilePatch[];
  /** The patch of these paths does not count towards the size limit. Its content is judged like any other. */
  readonly unmeasured?: ReadonlySet<string>;
  readonly policy: Policy['changes'];
  /** Paths that the head tracks, to find colliding names. */
  readonly headPaths?: readonly string[];
}

/** In the order of reporting: the first violation gives the rejection its code. */
const RULES: readonly ((change: ChangeToJudge, files: readonly FilePatch[]) => readonly Violation[])[] = [
  findNoChange,
  findUnsafeEntries,
  findProtectedPaths,
  findPathsNotAllowed,
  findTooLarge,
  findHidden,
  findConflictMarkers,
  findPointerEdits,
];

/** A longer patch is cut. */
export const MAX_PATCH_BYTES = 4 * 1024 * 1024;

/** The most files that a policy can allow. The other rules would block the service for seconds over many more paths. */
const MAX_JUDGED_FILES = 10_000;

/**
 * All reasons to refuse the change, in a fixed order (001.R40, R41; T21, T22, T25, T52, T53). Total: hostile names and diffs give
 * violations, never errors.
 */
export function judgeChange(change: ChangeToJudge): readonly Violation[] {
  if (change.changes.length > MAX_JUDGED_FILES) return findTooManyFiles(change);
  const files = [...parsePatch(change.patch), ...(change.apart ?? [])];
  return RULES.flatMap((rule) => rule(change, files));
}

function findNoChange({ changes }: ChangeToJudge): readonly Violation[] {
  if (!changes.every(isModeOnly)) return [];
  return toViolations(
    'NO_CHANGE',
    changes,
    () => (changes.length === 0 ? 'Nothing was changed.' : 'Only file modes were changed.'),
    true,
  );
}

function isModeOnly({ kind, oldMode, newMode, insertions, deletions }: TreeChange): boolean {
  return kind === 'modified' && oldMode !== newMode && insertions === 0 && deletions === 0;
}

function findUnsafeEntries({ changes, headPaths }: ChangeToJudge): readonly Violation[] {
  const unsafe = changes.flatMap((change) => {
    const why = findUnsafeEntry(change);
    return why === null ? [] : [toViolation('UNSAFE_ENTRY', [change.path], (names) => `${names} ${why}.`)];
  });
  const bare = findBareRepositories(changes, headPaths ?? []).map((path) =>
    toViolation('UNSAFE_ENTRY', [path], (names) => `${names} makes its folder a bare repository.`),
  );
  const colliding = findCollisions(changes, headPaths ?? []).map((paths) =>
    toViolation('UNSAFE_ENTRY', paths, (names) => `${names} are one file where names are case-insensitive.`),
  );
  return [...unsafe, ...bare, ...colliding];
}

function findProtectedPaths({ changes, policy }: ChangeToJudge): readonly Violation[] {
  const isProtected = createFoldedPathMatcher([...PROTECTED_PATHS, ...policy.protectedPaths]);
  const touched = changes.filter(({ path }) => isProtected(path) || isForbiddenLockfile(path, policy));
  return toViolations('PROTECTED_PATH', touched, (names) => `The change touches protected paths: ${names}.`);
}

/** A lockfile may change only if an allowed glob ends in its exact name. */
function isForbiddenLockfile(path: string, { allowedPaths }: Policy['changes']): boolean {
  return LOCKFILES.has(toFoldedName(path)) && !isNamedBy(allowedPaths, path);
}

function findPathsNotAllowed({ changes, policy }: ChangeToJudge): readonly Violation[] {
  if (policy.allowedPaths === null) return [];
  const isAllowed = createPathMatcher(policy.allowedPaths);
  const outside = changes.filter(({ path }) => !isAllowed(path));
  return toViolations('PATH_NOT_ALLOWED', outside, (names) => `The change leaves the allowed paths: ${names}.`);
}

function findTooLarge(change: ChangeToJudge): readonly Violation[] {
  const { changes, patchTruncated, policy } = change;
  const { files, insertions, deletions } = toDiffStat(changes);
  const lines = insertions + deletions;
  const bytes = toChangedBytes(change);
  const limits: readonly (readonly [boolean, string])[] = [
    [files > policy.maxFiles, `${files} files (at most ${policy.maxFiles})`],
    [lines > policy.maxLines, `${lines} lines (at most ${policy.maxLines})`],
    [patchTruncated === true || bytes > policy.maxBytes, `${bytes} bytes or more (at most ${policy.maxBytes})`],
  ];
  const exceeded = limits.filter(([isExceeded]) => isExceeded).map(([, text]) => text);
  if (exceeded.length === 0) return [];
  return [{ code: 'DIFF_TOO_LARGE', paths: [], message: `The change is too large: ${exceeded.join(', ')}.` }];
}

function findTooManyFiles({ changes, policy }: ChangeToJudge): readonly Violation[] {
  const most = Math.min(policy.maxFiles, MAX_JUDGED_FILES);
  const message = `The change is too large: ${changes.length} files (at most ${most}).`;
  return [{ code: 'DIFF_TOO_LARGE', paths: [], message }];
}

/** Size of the patch in bytes, plus the full size of binary files, which a patch does not contain. */
function toChangedBytes({ changes, patch, apart = [], unmeasured }: ChangeToJudge): number {
  const texts = [unmeasured === undefined ? patch : withoutFiles(patch, unmeasured)];
  for (const { added, removed } of apart) texts.push(...added, ...removed);
  let bytes = new TextEncoder().encode(texts.join('\n')).length;
  for (const { insertions, newBytes } of changes) bytes += insertions === null ? newBytes : 0;
  return bytes;
}

function findHidden(_change: ChangeToJudge, files: readonly FilePatch[]): readonly Violation[] {
  return toViolations(
    'HIDDEN_TEXT',
    findHiddenText(files),
    (names) => `The change adds characters that nobody can see: ${names}.`,
  );
}

function findConflictMarkers(_change: ChangeToJudge, files: readonly FilePatch[]): readonly Violation[] {
  const marked = files.filter(({ added }) => added.some(isConflictMarker));
  return toViolations('CONFLICT_MARKERS', marked, (names) => `The change adds conflict markers: ${names}.`);
}

/** An edited LFS pointer would name an object that nobody uploaded (trap 51). */
function findPointerEdits(_change: ChangeToJudge, files: readonly FilePatch[]): readonly Violation[] {
  const pointers = files.filter(({ added, removed, context }) =>
    [...added, ...removed, ...context].some(isPointerHeader),
  );
  return toViolations('UNSAFE_ENTRY', pointers, (names) => `The change edits Git LFS pointers: ${names}.`);
}

/** One violation for all `entries`; none if there are no entries, unless `isViolationWhenEmpty`. */
function toViolations(
  code: RejectCode,
  entries: readonly { readonly path: string }[],
  toMessage: (names: string) => string,
  isViolationWhenEmpty = false,
): readonly Violation[] {
  if (entries.length === 0 && !isViolationWhenEmpty) return [];
  return [
    toViolation(
      code,
      entries.map(({ path }) => path),
      toMessage,
    ),
  ];
}

function toViolation(code: RejectCode, paths: readonly string[], toMessage: (names: string) => string): Violation {
  return { code, paths, message: toMessage(toNamesText(paths)) };
}
