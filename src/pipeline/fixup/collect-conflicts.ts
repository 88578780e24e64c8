import { isPointerHeader } from '../../core/judge/lfs-pointer.ts';
import type { OpenFile } from '../../core/merge/find-unresolvable.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Resolution, ResolvedFile } from '../../core/model/resolution.ts';
import type { ShownConflict } from '../../core/prompts/to-merge-prompt.ts';
import type { ConflictedFile } from '../../ports/git.ts';
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

/** How `treeSha` resolves the conflicted files, for the judgement of the merge. */
export async function toResolution(
  deps: Pick<Deps, 'git'>,
  { repository }: Pick<PreparedFixup, 'repository'>,
  resolved: {
    readonly files: readonly ConflictedFile[];
    readonly named: readonly string[];
    readonly regenerated: readonly string[];
    readonly treeSha: Sha;
  },
  signal: AbortSignal,
): Promise<Resolution> {
  const { named, regenerated, treeSha } = resolved;
  const isRegenerated = new Set(regenerated);
  const files = resolved.files.filter(({ path }) => !isRegenerated.has(path));
  const paths = files.map(({ path }) => path);
  const sides = await readSides(deps, { repository }, files, signal);
  const want = { treeish: treeSha, paths, maxBytes: 2 * MAX_CONFLICT_BYTES };
  const texts = await deps.git.readFiles(repository, want, signal);
  const there = new Set(await deps.git.listFiles(repository, signal, treeSha));
  const toText = (blob: Sha | null): string | null => (blob === null ? null : (sides.get(blob) ?? ''));
  const toResolved = ({ path, baseBlob, ourBlob, theirBlob }: ConflictedFile): ResolvedFile => ({
    path,
    base: toText(baseBlob),
    ours: toText(ourBlob),
    theirs: toText(theirBlob),
    result: texts[path] ?? null,
    isUnreadable: there.has(path) && texts[path] === undefined,
  });
  return { files: files.map(toResolved), named, regenerated };
}

function toBlobs({ baseBlob, ourBlob, theirBlob }: ConflictedFile): readonly Sha[] {
  return [baseBlob, ourBlob, theirBlob].filter((blob) => blob !== null);
}
