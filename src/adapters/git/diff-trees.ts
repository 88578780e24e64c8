import type { Sha } from '../../core/model/ids.ts';
import type { TreeChange } from '../../core/model/tree-change.ts';
import type { SessionRepository, TreeDiff } from '../../ports/git.ts';
import type { GitContext } from './git-context.ts';
import { EMPTY_TREE } from './git-environment.ts';
import { parseTreeDiff, type RawChange } from './parse-tree-diff.ts';
import { type GitCall, runGitOk } from './run-git.ts';

const GITLINK = '160000';
const NO_ENTRY = '000000';
const PATCH_ID = /^([0-9a-f]{40}) /;
/** A longer diff is not compared with others: such a change is refused for its size anyway. */
const MAX_PATCH_ID_BYTES = 32 * 1024 ** 2;

/** Two trees (or commits) to compare. */
export interface TreePair {
  readonly from: Sha;
  readonly to: Sha;
}

/** See `Git.diffTrees`. Without room for a patch none is made. */
export async function diffTrees(
  context: GitContext,
  repository: SessionRepository,
  diff: TreePair & { readonly maxPatchBytes: number },
  signal: AbortSignal,
): Promise<TreeDiff> {
  const changes = await readChanges(context, repository, diff, signal);
  if (diff.maxPatchBytes === 0) return { changes, patch: '', patchTruncated: changes.length > 0 };
  const patch = await readPatch(context, repository, diff, signal);
  return { changes, ...patch };
}

/** See `Git.patchId`. */
export async function patchId(
  context: GitContext,
  repository: SessionRepository,
  pair: TreePair,
  signal: AbortSignal,
): Promise<string | null> {
  const call = { ...diffCall(context, repository, patchArgs(pair)), maxOutputBytes: MAX_PATCH_ID_BYTES };
  const diff = await context.runGit(call, signal);
  if (diff.ended === 'overflow') return null;
  if (diff.ended !== 'exited' || diff.exitCode !== 0) await runGitOk(context.runGit, call, signal);
  const stdin = diff.stdout;
  const id = await runGitOk(
    context.runGit,
    { ...diffCall(context, repository, ['patch-id', '--stable']), stdin },
    signal,
  );
  return PATCH_ID.exec(id.toString('latin1'))?.[1] ?? null;
}

/**
 * Attributes can make a file binary, and so hide it from a diff. These commands see none: they run without a work tree, and
 * newer versions of git, which would read attributes from the head, are told to take them from the empty tree.
 */
function diffCall(context: GitContext, repository: SessionRepository, args: readonly string[]): GitCall {
  return {
    args,
    gitDir: repository.controlDir,
    cwd: repository.controlDir,
    env: { GIT_ATTR_SOURCE: EMPTY_TREE },
    timeoutMs: context.limits.commandTimeoutMs,
  };
}

async function readChanges(
  context: GitContext,
  repository: SessionRepository,
  pair: TreePair,
  signal: AbortSignal,
): Promise<readonly TreeChange[]> {
  const args = [
    ...['diff-tree', '-r', '-z', '--raw', '--numstat', '--no-renames', '--no-abbrev', '--no-ext-diff', '--no-textconv'],
    ...['--ignore-submodules=none', pair.from, pair.to],
  ];
  const output = await runGitOk(context.runGit, diffCall(context, repository, args), signal);
  const raws = parseTreeDiff(output.toString('utf8'));
  const sizes = await readSizes(context, repository, raws, signal);
  return raws.map(({ newSha, ...change }) => ({ ...change, newBytes: sizes.get(newSha) ?? 0 }));
}

async function readSizes(
  context: GitContext,
  repository: SessionRepository,
  raws: readonly RawChange[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const blobs = raws.filter((raw) => raw.newMode !== NO_ENTRY && raw.newMode !== GITLINK).map((raw) => raw.newSha);
  if (blobs.length === 0) return new Map();
  const args = ['cat-file', '--batch-check=%(objectname) %(objectsize)'];
  const call = { ...diffCall(context, repository, args), stdin: `${[...new Set(blobs)].join('\n')}\n` };
  const lines = (await runGitOk(context.runGit, call, signal)).toString('utf8').trim().split('\n');
  return new Map(lines.map((line) => [line.slice(0, 40), Number(line.slice(41))]));
}

async function readPatch(
  context: GitContext,
  repository: SessionRepository,
  diff: TreePair & { readonly maxPatchBytes: number },
  signal: AbortSignal,
): Promise<Pick<TreeDiff, 'patch' | 'patchTruncated'>> {
  const call = { ...diffCall(context, repository, patchArgs(diff)), maxOutputBytes: diff.maxPatchBytes };
  const output = await context.runGit(call, signal);
  if (output.ended === 'overflow') {
    return { patch: output.stdout.subarray(0, diff.maxPatchBytes).toString('utf8'), patchTruncated: true };
  }
  if (output.ended !== 'exited' || output.exitCode !== 0) await runGitOk(context.runGit, call, signal);
  return { patch: output.stdout.toString('utf8'), patchTruncated: false };
}

/** `--text`: a file that looks binary is printed all the same, or a single NUL would hide a secret from the scan. */
function patchArgs({ from, to }: TreePair): readonly string[] {
  return [
    ...['diff-tree', '-r', '-p', '--text', '--full-index', '--no-renames', '--no-color', '--no-ext-diff'],
    ...['--no-textconv', '--src-prefix=a/', '--dst-prefix=b/', from, to],
  ];
}
