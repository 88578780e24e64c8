import { RepositoryError } from '../../core/model/errors.ts';
import { isOk, type RunGit } from './run-git.ts';

const MAX_BRANCH_LENGTH = 244;
const CHECK_TIMEOUT_MS = 10_000;
/** Names that no rule of git can forbid, as nearly all branches have: a process for each of them would be wasted. */
const PLAIN = /^\w[\w-]*(?:\/\w[\w-]*)*$/;

/**
 * Returns the full ref of a branch. Branch names are untrusted (threat T23): one may look like an option, a refspec or
 * a shell command. With `refs/heads/` in front and checked by `git check-ref-format`, it can only be a ref name; only a name of
 * plain words is taken without asking git. Throws `RepositoryError` (`FETCH_FAILED`, never retried) for an invalid branch name.
 */
export async function toBranchRef(runGit: RunGit, branch: string, cwd: string, signal: AbortSignal): Promise<string> {
  const ref = `refs/heads/${branch}`;
  // An argument ends at NUL, so git would check a different name than the one used later.
  if (branch === '' || branch.length > MAX_BRANCH_LENGTH || branch.includes('\0')) throw notABranch();
  if (PLAIN.test(branch)) return ref;
  const call = { args: ['check-ref-format', ref], gitDir: null, cwd, timeoutMs: CHECK_TIMEOUT_MS };
  const checked = await runGit(call, signal);
  if (!isOk(checked)) throw notABranch();
  return ref;
}

function notABranch(): RepositoryError {
  return new RepositoryError('FETCH_FAILED', 'the branch name is not one that git allows', { retry: 'never' });
}
