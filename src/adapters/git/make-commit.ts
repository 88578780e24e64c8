import { InvariantError } from '../../core/model/errors.ts';
import { parseSha, type Sha } from '../../core/model/ids.ts';
import type { SessionRepository } from '../../ports/git.ts';
import type { GitContext } from './git-context.ts';
import { toIntentRef } from './prepare-session.ts';
import { type GitCall, runGitOk } from './run-git.ts';

/** See `Git.createCommit`. */
export async function createCommit(
  context: GitContext,
  repository: SessionRepository,
  commit: { readonly treeSha: Sha; readonly message: string; readonly parents: readonly Sha[]; readonly at: number },
  signal: AbortSignal,
): Promise<Sha> {
  if (commit.parents[0] !== repository.headSha) throw new InvariantError('the first parent of a fixup is the head');
  const { name, email } = context.identity;
  const date = `${String(Math.floor(commit.at / 1000))} +0000`;
  const call: GitCall = {
    args: ['commit-tree', commit.treeSha, ...commit.parents.flatMap((parent) => ['-p', parent])],
    gitDir: repository.controlDir,
    cwd: repository.controlDir,
    stdin: commit.message,
    env: {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      GIT_COMMITTER_DATE: date,
    },
    timeoutMs: context.limits.commandTimeoutMs,
  };
  return parseSha((await runGitOk(context.runGit, call, signal)).toString('utf8').trim());
}

/** See `Git.keepCommit`. The fetch checks every object once more (`transfer.fsckObjects`). */
export async function keepCommit(
  context: GitContext,
  repository: SessionRepository,
  commitSha: Sha,
  signal: AbortSignal,
): Promise<void> {
  const { controlDir, mirror, runId } = repository;
  const timeoutMs = context.limits.commandTimeoutMs;
  const made = `refs/ratchet/made/${runId}`;
  const name: GitCall = { args: ['update-ref', made, commitSha], gitDir: controlDir, cwd: controlDir, timeoutMs };
  await runGitOk(context.runGit, name, signal);
  const move: GitCall = {
    args: [
      ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance'],
      ...['--', controlDir, `+${made}:${toIntentRef(runId)}`],
    ],
    gitDir: mirror.gitDir,
    cwd: mirror.gitDir,
    localPeer: true,
    timeoutMs,
  };
  await context.lockMirror(mirror.repositoryId, () => runGitOk(context.runGit, move, signal));
}
