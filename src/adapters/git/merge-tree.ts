import { WorkspaceError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { MergeTree } from '../../ports/git.ts';
import type { GitContext } from './git-context.ts';
import { EMPTY_TREE } from './git-environment.ts';
import { parseMergeTree } from './parse-merge-tree.ts';
import { describeFailure, type GitCall } from './run-git.ts';

/** Two commits to merge: `theirs` into `ours`. */
export interface MergePair {
  readonly ours: Sha;
  readonly theirs: Sha;
}

/** More conflicts than this are for a person to look at. */
const MAX_LISTING_BYTES = 16 * 1024 ** 2;
const CLEAN = 0;
const CONFLICTED = 1;

/**
 * See `Git.mergeTree`; in the repository `gitDir`, which is ours. Neither side's attributes are read and no driver is configured: whatever a `merge=` attribute names is
 * not run, and the built-in `union` does not hide a conflict either.
 */
export async function mergeTree(
  context: GitContext,
  gitDir: string,
  { ours, theirs }: MergePair,
  signal: AbortSignal,
): Promise<MergeTree> {
  const call: GitCall = {
    args: ['merge-tree', '--write-tree', '-z', '--messages', ours, theirs],
    gitDir,
    cwd: gitDir,
    env: WITHOUT_ATTRIBUTES,
    timeoutMs: context.limits.commandTimeoutMs,
    maxOutputBytes: MAX_LISTING_BYTES,
  };
  const output = await context.runGit(call, signal);
  const hasMerged = output.exitCode === CLEAN || output.exitCode === CONFLICTED;
  // A commit that is not there gives the exit code of a conflict.
  if (output.ended === 'exited' && hasMerged && output.stdout.length > 0) {
    const isClean = output.exitCode === CLEAN;
    if (isClean && (await isAncestor(context, gitDir, { ours, theirs }, signal))) return { kind: 'merged' };
    return parseMergeTree(output.stdout.toString('utf8'), isClean);
  }
  if (output.stderr.includes('unrelated histories')) return { kind: 'unrelated' };
  if (/not something we can merge|bad object|Not a valid/i.test(output.stderr)) {
    throw new WorkspaceError('FETCH_FAILED', 'a side of the merge is not in the mirror', { retry: 'later' });
  }
  throw new WorkspaceError('GIT_FAILED', describeFailure(call, output), {
    retry: output.ended === 'timed_out' ? 'later' : 'never',
  });
}

/** Newer versions of git would read attributes from the head in a bare repository. */
export const WITHOUT_ATTRIBUTES = { GIT_ATTR_SOURCE: EMPTY_TREE } as const;

async function isAncestor(context: GitContext, gitDir: string, pair: MergePair, signal: AbortSignal): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', pair.theirs, pair.ours];
  const timeoutMs = context.limits.commandTimeoutMs;
  const output = await context.runGit({ args, gitDir, cwd: gitDir, timeoutMs }, signal);
  return output.ended === 'exited' && output.exitCode === 0;
}
