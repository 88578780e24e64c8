import { isPointerHeader } from '../../core/judge/lfs-pointer.ts';
import type { OpenFile } from '../../core/merge/find-unresolvable.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Resolution, ResolvedFile } from '../../core/model/resolution.ts';
import type { TreeChange } from '../../core/model/tree-change.ts';
import type { ShownConflict } from '../../core/prompts/to-merge-prompt.ts';
import type { ConflictedFile, MergeTree } from '../../ports/git.ts';
import type { Deps } from '../deps.ts';
import type { PreparedFixup } from './fixup-session.ts';

/** A person must merge larger files. */
export const MAX_CONFLICT_BYTES = 1024 * 1024;
/** Of one side of one file, in the evidence for the agent; characters. */
const MAX_SIDE_LENGTH = 256 * 1024;

/** Texts of the sides of conflicted files, by blob SHA. */
export type Sides = ReadonlyMap<Sha, string>;

/** Reads all sides of `files`. Omits blobs that are too large or not text. */
export async function readSides(
  { git }: Pick<Deps, 'git'>,
  { repository }: Pick<PreparedFixup, 'repository'>,
  files: readonly ConflictedFile[],
  signal: AbortSignal,
): Promise<Sides> {
  const blobs = files.filter(({ isText }) => isText).flatMap(toBlobs);
  return git.readBlobs(repository, { blobs, maxBytes: MAX_CONFLICT_BYTES }, signal);
}

/** `isText`: every side was read as text and is no Git LFS pointer. Merging two pointers gives no valid third one. */
export function toOpenFile(file: ConflictedFile, sides: Sides): OpenFile {
  const texts = toBlobs(file).map((blob) => sides.get(blob));
  const isText = file.isText && texts.every((text) => text !== undefined && !isPointerHeader(text));
  return { path: file.path, isText };
}

/** The sides of a file as the agent is shown them. */
export function toShownConflict({ path, baseBlob, ourBlob, theirBlob }: ConflictedFile, sides: Sides): ShownConflict {
  const textOf = (blob: Sha | null): string | null =>
    (blob === null ? undefined : sides.get(blob))?.slice(0, MAX_SIDE_LENGTH).toWellFormed() ?? null;
  return { path, base: textOf(baseBlob), ours: textOf(ourBlob), theirs: textOf(theirBlob) };
}

/** A merge whose conflicts are resolved. */
interface ResolvedMerge {
  readonly merge: Extract<MergeTree, { readonly kind: 'conflicted' }>;
  readonly regenerated: readonly string[];
  /** The result, and how it differs from the tree of git's own merge. */
  readonly treeSha: Sha;
  readonly changes: readonly TreeChange[];
}

type ResolveDeps = Pick<Deps, 'git'>;
/** A merge of `baseSha` into `headSha`. */
interface Given extends Pick<PreparedFixup, 'policy' | 'repository'> {
  readonly session: { readonly fixup: Pick<PreparedFixup['session']['fixup'], 'headSha' | 'baseSha'> };
}

/** How `treeSha` resolves the conflicted files, and what it changes beside them, for the judgement of the merge. */
export async function toResolution(
  deps: ResolveDeps,
  given: Given,
  resolved: ResolvedMerge,
  signal: AbortSignal,
): Promise<Resolution> {
  const { merge, regenerated, changes } = resolved;
  const isRegenerated = new Set(regenerated);
  const files = merge.files.filter(({ path }) => !isRegenerated.has(path));
  const isKnown = new Set([...merge.named, ...regenerated]);
  const paths = changes.map(({ path }) => path).filter((path) => !isKnown.has(path));
  // More are refused for their number: nothing has to be read.
  const beside = paths.length > given.policy.changes.maxFiles ? [] : paths;
  const { headSha, baseSha } = given.session.fixup;
  const read = async (treeish: Sha, wanted: readonly string[]): Promise<TreeTexts> =>
    readTexts(deps, given, { treeish, paths: wanted }, signal);
  const result = await read(resolved.treeSha, [...files.map(({ path }) => path), ...beside]);
  const merged = await read(merge.treeSha, [...files.map(({ path }) => path), ...beside]);
  const trees = { result, merged, ours: await read(headSha, beside), theirs: await read(baseSha, beside) };
  const sides = await readSides(deps, given, files, signal);
  return {
    files: files.map((file) => toResolved(file, sides, trees)),
    beside: beside.map((path) => toBeside(path, trees)),
    named: merge.named,
    differing: beside.length === 0 ? [] : await readDiffering(deps, given, signal),
    regenerated,
  };
}

/** Texts of a tree by path, and the paths that it has. */
interface TreeTexts {
  readonly texts: Readonly<Record<string, string>>;
  readonly there: ReadonlySet<string>;
}

async function readTexts(
  { git }: ResolveDeps,
  { repository }: Given,
  { treeish, paths }: { readonly treeish: Sha; readonly paths: readonly string[] },
  signal: AbortSignal,
): Promise<TreeTexts> {
  if (paths.length === 0) return { texts: {}, there: new Set() };
  const texts = await git.readFiles(repository, { treeish, paths, maxBytes: 2 * MAX_CONFLICT_BYTES }, signal);
  return { texts, there: new Set(await git.listFiles(repository, signal, treeish)) };
}

/** Paths in which the head and the base branch differ: all that one side changed and the other did not change alike. */
async function readDiffering(
  { git }: ResolveDeps,
  { repository, session }: Given,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { headSha, baseSha } = session.fixup;
  const { changes } = await git.diffTrees(repository, { from: headSha, to: baseSha, maxPatchBytes: 0 }, signal);
  return changes.map(({ path }) => path);
}

type Trees = Readonly<Record<'result' | 'merged' | 'ours' | 'theirs', TreeTexts>>;

function toResolved(file: ConflictedFile, sides: Sides, { result, merged }: Trees): ResolvedFile {
  const { path } = file;
  const toText = (blob: Sha | null): string | null => (blob === null ? null : (sides.get(blob) ?? ''));
  return {
    path,
    base: toText(file.baseBlob),
    ours: toText(file.ourBlob),
    theirs: toText(file.theirBlob),
    merged: merged.texts[path] ?? null,
    result: result.texts[path] ?? null,
    isUnreadable: isUnreadable(result, path),
  };
}

function toBeside(path: string, trees: Trees): ResolvedFile {
  const { ours, theirs, merged, result } = trees;
  return {
    ...{ path, base: null },
    ours: ours.texts[path] ?? null,
    theirs: theirs.texts[path] ?? null,
    merged: merged.texts[path] ?? null,
    result: result.texts[path] ?? null,
    isUnreadable: Object.values(trees).some((tree) => isUnreadable(tree, path)),
  };
}

function isUnreadable({ texts, there }: TreeTexts, path: string): boolean {
  return there.has(path) && texts[path] === undefined;
}

function toBlobs({ baseBlob, ourBlob, theirBlob }: ConflictedFile): readonly Sha[] {
  return [baseBlob, ourBlob, theirBlob].filter((blob) => blob !== null);
}
