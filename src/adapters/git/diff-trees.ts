import type { Sha } from '../../core/model/ids.ts';
import type { TreeChange } from '../../core/model/tree-change.ts';
import type { SessionRepository, TreeDiff } from '../../ports/git.ts';
import { type GitAt, gitAt } from './git-at.ts';
import type { GitContext } from './git-context.ts';
import { WITHOUT_ATTRIBUTES } from './git-environment.ts';
import { parseTreeDiff, type RawChange } from './parse-tree-diff.ts';

const GITLINK = '160000';
const NO_ENTRY = '000000';
const PATCH_ID = /^([0-9a-f]{40}) /;
/** No patch id for longer diffs: such a change is refused for its size anyway. */
const MAX_PATCH_ID_BYTES = 32 * 1024 ** 2;

/** Two trees (or commits) to compare. */
export interface TreePair {
  readonly from: Sha;
  readonly to: Sha;
}

/** See `Git.diffTrees`. Creates no patch if `maxPatchBytes` is 0. */
export async function diffTrees(
  context: GitContext,
  repository: SessionRepository,
  diff: TreePair & { readonly maxPatchBytes: number },
  signal: AbortSignal,
): Promise<TreeDiff> {
  const git = gitForDiffs(context, repository, signal);
  const changes = await readChanges(git, diff);
  if (diff.maxPatchBytes === 0) return { changes, patch: '', patchTruncated: changes.length > 0 };
  const { bytes, isWhole } = await git.start(patchArgs(diff), diff.maxPatchBytes);
  return { changes, patch: bytes.toString('utf8'), patchTruncated: !isWhole };
}

/** See `Git.patchId`. */
export async function patchId(
  context: GitContext,
  repository: SessionRepository,
  pair: TreePair,
  signal: AbortSignal,
): Promise<string | null> {
  const git = gitForDiffs(context, repository, signal);
  const { bytes: stdin, isWhole } = await git.start(patchArgs(pair), MAX_PATCH_ID_BYTES);
  if (!isWhole) return null;
  return PATCH_ID.exec(await git.text(['patch-id', '--stable'], { stdin }))?.[1] ?? null;
}

/** Attributes can mark a file as binary and so hide it from a diff. These commands read no attributes and no work tree. */
function gitForDiffs(context: GitContext, { controlDir }: SessionRepository, signal: AbortSignal): GitAt {
  return gitAt(context, controlDir, signal, { env: WITHOUT_ATTRIBUTES });
}

async function readChanges(git: GitAt, { from, to }: TreePair): Promise<readonly TreeChange[]> {
  const output = await git.text([
    ...['diff-tree', '-r', '-z', '--raw', '--numstat', '--no-renames', '--no-abbrev', '--no-ext-diff', '--no-textconv'],
    ...['--ignore-submodules=none', from, to],
  ]);
  const raws = parseTreeDiff(output);
  const sizes = await readSizes(git, raws);
  return raws.map(({ newSha, ...change }) => ({ ...change, newBytes: sizes.get(newSha) ?? 0 }));
}

async function readSizes(git: GitAt, raws: readonly RawChange[]): Promise<ReadonlyMap<string, number>> {
  const blobs = raws.filter((raw) => raw.newMode !== NO_ENTRY && raw.newMode !== GITLINK).map((raw) => raw.newSha);
  if (blobs.length === 0) return new Map();
  const stdin = `${[...new Set(blobs)].join('\n')}\n`;
  const sizes = await git.text(['cat-file', '--batch-check=%(objectname) %(objectsize)'], { stdin });
  const lines = sizes.trim().split('\n');
  return new Map(lines.map((line) => [line.slice(0, 40), Number(line.slice(41))]));
}

/** `--text` also prints files that look binary. Otherwise a single NUL would hide a secret from the scan. */
function patchArgs({ from, to }: TreePair): readonly string[] {
  return [
    ...['diff-tree', '-r', '-p', '--text', '--full-index', '--no-renames', '--no-color', '--no-ext-diff'],
    ...['--no-textconv', '--src-prefix=a/', '--dst-prefix=b/', from, to],
  ];
}
