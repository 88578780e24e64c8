import { InvariantError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Git, SessionRepository } from '../../ports/git.ts';
import { gitAt } from './git-at.ts';
import type { GitContext } from './git-context.ts';
import { mergeTree } from './merge-tree.ts';
import { findCommits } from './prepare-session.ts';

/** Author and committer of commits that only serve one merge and never leave the control repository. */
const NOBODY = {
  ...{ GIT_AUTHOR_NAME: 'Ratchet', GIT_AUTHOR_EMAIL: 'ratchet@localhost', GIT_AUTHOR_DATE: '@0 +0000' },
  ...{ GIT_COMMITTER_NAME: 'Ratchet', GIT_COMMITTER_EMAIL: 'ratchet@localhost', GIT_COMMITTER_DATE: '@0 +0000' },
};

/**
 * See `Git.revertTree`. The oldest git that is supported takes no merge base from the caller, so three commits are made that have
 * the wanted one: the trees of `onto` and of the parent, each as a child of the tree of the commit.
 */
export async function revertTree(
  context: GitContext,
  repository: SessionRepository,
  { commitSha, parentSha, onto }: Parameters<Git['revertTree']>[1],
  signal: AbortSignal,
): ReturnType<Git['revertTree']> {
  const there = await findCommits(context, repository.mirror, [commitSha, parentSha], signal);
  if (there.length < 2) return { kind: 'missing' };
  const git = gitAt(context, repository.controlDir, signal, { env: NOBODY });
  const commit = (of: Sha, ...parents: readonly Sha[]): Promise<Sha> =>
    git.sha(['commit-tree', `${of}^{tree}`, ...parents.flatMap((parent) => ['-p', parent])], { stdin: '' });
  const base = await commit(commitSha);
  const [ours, theirs] = [await commit(onto, base), await commit(parentSha, base)];
  const merged = await mergeTree(context, repository.controlDir, { ours, theirs }, signal);
  if (merged.kind === 'unrelated') throw new InvariantError('two children of one commit have no common ancestor');
  const before = await git.sha(['rev-parse', '--verify', '--end-of-options', `${onto}^{tree}`]);
  return merged.kind === 'clean' && merged.treeSha === before ? { kind: 'merged' } : merged;
}
