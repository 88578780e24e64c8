import { WorkspaceError } from '../../core/model/errors.ts';
import { isOk, type RunGit } from './run-git.ts';

const MAX_BRANCH_LENGTH = 244;
const CHECK_TIMEOUT_MS = 10_000;

/**
 * The full reference of a branch. A branch name is hostile text (threat T23): it may look like an option, a refspec or a
 * shell command. With `refs/heads/` in front and git's own rules held it is only ever a name. Throws `WorkspaceError`
 * (`FETCH_FAILED`, never retried) for a name that no branch can have.
 */
export async function toBranchRef(runGit: RunGit, branch: string, cwd: string, signal: AbortSignal): Promise<string> {
  const ref = `refs/heads/${branch}`;
  // NUL ends an argument, so that git would check something else than what is used later.
  if (branch === '' || branch.length > MAX_BRANCH_LENGTH || branch.includes('\0')) throw notABranch();
  const call = { args: ['check-ref-format', ref], gitDir: null, cwd, timeoutMs: CHECK_TIMEOUT_MS };
  const checked = await runGit(call, signal);
  if (!isOk(checked)) throw notABranch();
  return ref;
}

function notABranch(): WorkspaceError {
  return new WorkspaceError('FETCH_FAILED', 'the branch name is not one that git allows', { retry: 'never' });
}
