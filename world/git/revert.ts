import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { type CommitAuthor, type GitRepository, readCommit, writeCommit } from './repository.ts';
import { git } from './run-git.ts';

/** The commit to revert, the commit to build on, and who reverts. */
export type Revert = { readonly sha: string; readonly onto: string; readonly author: CommitAuthor };

/**
 * Writes the commit that `git revert` would: the inverse of `sha` (relative to its first parent) on top of `onto`. No
 * branch moves. Throws if it does not apply.
 */
export async function revertCommit(repository: GitRepository, { sha, onto, author }: Revert): Promise<string> {
  const reverted = await readCommit(repository, sha);
  const [parent] = reverted.parents;
  if (parent === undefined) throw new Error(`Commit ${sha} has no parent to go back to`);
  const patch = await git(repository.dir, ['diff', '--binary', '--full-index', sha, parent]);
  const scratch = await mkdtemp(path.join(repository.dir, 'revert-'));
  try {
    const env = { GIT_INDEX_FILE: path.join(scratch, 'index') };
    await git(repository.dir, ['read-tree', onto], { env });
    await git(repository.dir, ['apply', '--cached', '-'], { env, input: `${patch}\n` });
    const treeSha = await git(repository.dir, ['write-tree'], { env });
    const subject = reverted.message.split('\n')[0] ?? '';
    const message = `Revert "${subject}"\n\nThis reverts commit ${sha}.`;
    return await writeCommit(repository, { treeSha, parents: [onto], message, author });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
