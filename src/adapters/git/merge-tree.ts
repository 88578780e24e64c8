import { RepositoryError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { MergeTree } from '../../ports/git.ts';
import { gitAt, isAncestor, toCall } from './git-at.ts';
import type { GitContext } from './git-context.ts';
import { WITHOUT_ATTRIBUTES } from './git-environment.ts';
import { parseMergeTree } from './parse-merge-tree.ts';
import { toGitError } from './run-git.ts';

/** Two commits to merge: `theirs` into `ours`. */
export interface MergePair {
  readonly ours: Sha;
  readonly theirs: Sha;
}

/** Output with more conflicts than this is left to people. */
const MAX_LISTING_BYTES = 16 * 1024 ** 2;
const CLEAN = 0;
const CONFLICTED = 1;

/**
 * See `Git.mergeTree`. `gitDir` must be one of Ratchet's own repositories. Reads no attributes and configures no merge
 * driver: a driver named by a `merge=` attribute does not run, and the built-in `union` driver cannot hide a conflict.
 */
export async function mergeTree(
  context: GitContext,
  gitDir: string,
  { ours, theirs }: MergePair,
  signal: AbortSignal,
): Promise<MergeTree> {
  const args = ['merge-tree', '--write-tree', '-z', '--messages', ours, theirs];
  const call = toCall(context, gitDir, args, { env: WITHOUT_ATTRIBUTES, maxOutputBytes: MAX_LISTING_BYTES });
  const output = await context.runGit(call, signal);
  const hasMerged = output.exitCode === CLEAN || output.exitCode === CONFLICTED;
  // git exits with 1 for a missing commit too, but then prints nothing to stdout.
  if (output.ended === 'exited' && hasMerged && output.stdout.length > 0) {
    const isClean = output.exitCode === CLEAN;
    if (isClean && (await isAncestor(gitAt(context, gitDir, signal), theirs, ours))) return { kind: 'merged' };
    return parseMergeTree(output.stdout.toString('utf8'), isClean);
  }
  if (output.stderr.includes('unrelated histories')) return { kind: 'unrelated' };
  if (/not something we can merge|bad object|Not a valid/i.test(output.stderr)) {
    throw new RepositoryError('FETCH_FAILED', 'a side of the merge is not in the mirror', { retry: 'later' });
  }
  throw toGitError(call, output);
}
